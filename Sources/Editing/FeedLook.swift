package import FeedSync
internal import HTTP

/// A look at the upstream of a new feed.
package struct FeedLook: Sendable {
    /// The feed with its discovered settings.
    package let draft: FeedDraft
    /// The discovered settings and their evidence.
    package let inspection: Inspection

    /// The progress to show while the user waits.
    package enum Step: Sendable {
        /// A page is requested, at this address.
        case requesting(String)
        /// A request is tried again.
        case retry(attempt: Int, reason: String)
        /// A remark.
        case note(String)
    }

    /// Someone is waiting, and can try again by hand.
    private static let mostRetries = 2
    /// Of how many rows the lists are looked at, until one has a second page.
    private static let mostLists = 5

    /// Requests a feed's first pages to discover the settings that its draft leaves open; for a web page, those of the
    /// feed that the page names.
    ///
    /// - Parameters:
    ///   - draft: The known settings.
    ///   - store: The store with the rows of its parent; nil if nothing is stored yet.
    ///   - hasColumns: True to write the discovered columns, too.
    /// - Throws: `EditingError` if the draft is not valid, or the page is not that of a feed.
    package init(
        at draft: FeedDraft, options: EngineOptions, store: Store?, hasColumns: Bool = false,
        report: @escaping @Sendable (Step) -> Void = { _ in }
    ) async throws(EditingError) {
        var draft = draft
        let text = try draft.text()
        // Nothing is requested for a feed that cannot be added.
        let definition = try draft.definition(in: text)
        guard definition.forEach == nil else {
            let rows = try await draft.rows(in: store, limit: Self.mostLists)
            inspection = try await Self.inspect(rows, of: definition, options, hasColumns, report)
            self.draft = draft.isOpen ? draft.adding(inspection) : draft
            return
        }
        var inspection = try await Self.inspect(definition, options, hasColumns, report)
        if let feed = try Self.feed(of: inspection, named: draft.entry, report) {
            draft = draft.moved(to: feed)
            inspection = try await Self.inspect(try draft.definition(in: text), options, hasColumns, report)
            guard inspection.alternates.isEmpty else {
                throw EditingError(
                    .page,
                    ["\(draft.entry.name): \(feed), which the web page names as its feed, is a web page, too"],
                    advice: "add the URL of the feed itself")
            }
        }
        // A preset says all that it is to say.
        self.draft = draft.isOpen ? draft.adding(inspection) : draft
        self.inspection = inspection
    }

    /// Requests lists of rows, one after the other, until one has items and a second page; else the one with the most
    /// items counts.
    private static func inspect(
        _ rows: [ParentRow], of definition: FeedDefinition, _ options: EngineOptions, _ hasColumns: Bool,
        _ report: @escaping @Sendable (Step) -> Void
    ) async throws(EditingError) -> Inspection {
        var best: Inspection?
        var failure: EditingError?
        for row in rows {
            do throws(EditingError) {
                let inspection = try await Self.inspect(row, of: definition, options, hasColumns, report)
                // A list of one page is no certain evidence for the pagination of longer ones.
                if inspection.hasSecondPage || !definition.hasOpenPagination, inspection.itemCount > 0 {
                    return inspection
                }
                if inspection.itemCount > best?.itemCount ?? -1 { best = inspection }
            } catch {
                // A row may have no list; other rows show the form of the lists.
                guard error.isOfOneList else { throw error }
                failure = failure ?? error
            }
        }
        if let best { return best }
        throw failure ?? .words("no row of the parent has a list")
    }

    private static func inspect(
        _ row: ParentRow, of definition: FeedDefinition, _ options: EngineOptions, _ hasColumns: Bool,
        _ report: @escaping @Sendable (Step) -> Void
    ) async throws(EditingError) -> Inspection {
        let list = try await storing(try definition.part(for: row))
        report(.note("looking at \(list.name), the list of a row of \(definition.forEach?.feed ?? "")"))
        let inspection = try await Self.inspect(list, options, hasColumns, report)
        guard inspection.alternates.isEmpty else {
            throw EditingError(.page, ["\(list.name): this is a web page"], advice: "give the URL of the lists")
        }
        return inspection
    }

    private static func inspect(
        _ definition: FeedDefinition, _ options: EngineOptions, _ hasColumns: Bool,
        _ report: @escaping @Sendable (Step) -> Void
    ) async throws(EditingError) -> Inspection {
        let address = definition.shownURL
        report(.requesting(address))
        do throws(FeedSyncError) {
            let discovered = try await Discovery(
                definition, options: options, salt: "", mostRetries: mostRetries,
                progress: { step in
                    guard case .retry(let attempt, let reason) = step else { return }
                    report(.retry(attempt: attempt, reason: reason))
                }
            ).discover()
            var findings = discovered.findings
            // An empty list may be an object by name once it has items, as PHP writes it.
            if discovered.itemCount == 0 { findings.items = nil }
            let members = try FeedEntry.Member.members(of: findings, for: definition, hasColumns: hasColumns)
            return Inspection(members: members, discovered: discovered)
        } catch {
            throw failure(error, of: definition, at: address)
        }
    }

    private static func failure(
        _ error: FeedSyncError, of definition: FeedDefinition, at address: String
    ) -> EditingError {
        let name = definition.name
        guard error.kind != .cancelled else {
            return EditingError(.feed(.cancelled), ["\(name): stopped; nothing was written"])
        }
        // The page is wrong, and not the definition, which does not exist yet.
        let isOfPage = error.kind == .configuration && error.httpStatus != nil
        var messages = ["\(name): \(error)"]
        // A request has the normalised URL. That is not a redirect.
        let asked = (try? WebURL(address).description) ?? address
        if let url = error.url, definition.url.isLiteral, !url.hasPrefix(asked), !url.hasPrefix(address) {
            messages.append("\(name): \(address) redirects there; is it a login page?")
        }
        let wantsCredential = error.kind == .refused && definition.authentication == nil
        let advice =
            wantsCredential
            ? "authenticate, for example with --header 'Authorization: Bearer ${TOKEN}'" : error.advice
        let isOpen = advice?.hasPrefix("write ") ?? false
        return EditingError(
            isOfPage ? .page : .feed(error.kind), messages,
            advice: isOfPage && isOpen ? "give them with --items and --key: feedsync help add" : advice)
    }

    /// The URL of the feed that a web page names; nil if the inspected page is a feed itself.
    ///
    /// - Throws: `EditingError` if the feed is at another host: the user's headers may be meant only for this one.
    private static func feed(
        of inspection: Inspection, named entry: FeedEntry, _ report: (Step) -> Void
    ) throws(EditingError) -> String? {
        guard let feed = inspection.alternates.first else { return nil }
        let page =
            entry.members.lazy.compactMap { if case ("url", .text(let url)) = ($0.name, $0.value) { url } else { nil } }
            .first ?? ""
        let isSameOrigin = (try? WebURL(page).origin) == feed.url.origin
        let mayBeSecret = Set(["headers", "query", "body", "auth"])
        guard isSameOrigin || !entry.members.contains(where: { mayBeSecret.contains($0.name) }) else {
            throw EditingError(
                .page, ["\(entry.name): this is a web page, whose feed is at another host: \(feed.url.redacted)"],
                advice: "add that URL, with the headers and parameters that are meant for it")
        }
        report(.note("\(page) is a web page; its feed is \(feed.url.redacted)"))
        for other in inspection.alternates.dropFirst().prefix(9) {
            report(.note("it names \(other.url.redacted), too" + (other.title.map { " (\($0))" } ?? "")))
        }
        return feed.url.text
    }
}

extension FeedDraft {
    /// The first rows of its parent, as requests for their lists have them.
    ///
    /// - Throws: `EditingError` where there are none yet, or where they have no such column.
    package func rows(in store: Store?, limit: Int) async throws(EditingError) -> [ParentRow] {
        let definition = try definition(in: try text())
        let parent = definition.forEach?.feed ?? ""
        let rows: [ParentRow]?
        do throws(FeedSyncError) { rows = try await store?.parentRows(of: definition, limit: limit) ?? nil } catch {
            guard error.kind == .configuration else { throw EditingError(error) }
            throw .words(error.message, advice: error.advice)
        }
        guard let rows else {
            throw EditingError(
                .feed(.configuration), ["\(parent) has no rows yet; a list can only be looked at for a row"],
                advice: "run feedsync sync \(parent) first, then add \(entry.name) again")
        }
        guard !rows.isEmpty else {
            let columns = definition.parentColumns.map(\.word).joined(separator: ", ")
            throw EditingError(
                .feed(.configuration),
                ["no row of \(parent) has a list: each is removed, or has no value for \(columns)"],
                advice: "feedsync show \(parent)  # prints the rows")
        }
        return rows
    }
}

extension EditingError {
    /// True if the list of another row may still be found.
    fileprivate var isOfOneList: Bool {
        switch place {
        case .words, .configuration: false
        case .page: true
        case .feed(let kind): [.rejected, .refused, .undecodable, .unfollowable].contains(kind)
        }
    }
}
