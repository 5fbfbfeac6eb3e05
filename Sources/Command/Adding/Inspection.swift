internal import FeedSync
internal import Reports

/// What was found at a URL, and what of it goes into the file.
struct Inspection: Sendable {
    /// The members to write.
    let members: [FeedEntry.Member]
    /// The parameters that the found pagination sets in every request.
    let ownParameters: PageParameters
    private let discovered: DiscoveryResult

    init(members: [FeedEntry.Member], discovered: DiscoveryResult) {
        self.members = members
        self.discovered = discovered
        ownParameters = PageParameters(discovered.definition.pagination)
    }

    /// The feeds that the URL names, where it is a web page's and not a feed's.
    var alternates: [AlternateLink] { discovered.alternates }

    /// What was found, how certain it is, and the evidence.
    func lines(_ palette: Palette, width: Int?) -> [String] {
        let indentation = String(repeating: " ", count: 12)
        let room = (width ?? 100) - indentation.count
        let findings = discovered.evidence.flatMap { finding in
            let subject = finding.subject.rawValue
            let gap = String(repeating: " ", count: max(1, indentation.count - subject.count))
            let certainty = finding.certainty == .nothing ? "" : "\(finding.certainty.rawValue): "
            let told = TextLayout.wrapped(certainty + finding.text, to: room)
            let found = TextLayout.wrapped(found(finding, most: 12) ?? "not found", to: room)
            let shown = found.map { finding.found == nil ? palette.failure($0) : palette.name($0) }
            return zip([palette.faint(subject) + gap] + found.dropFirst().map { _ in indentation }, shown).map(+)
                + told.map { indentation + Self.paint(palette, finding.certainty, $0) }
        }
        let parts = [
            NumberFormat.count(discovered.itemCount, "item"),
            NumberFormat.count(discovered.cost.requestCount, "request"),
            NumberFormat.bytes(discovered.cost.byteCount),
        ]
        let hints = hints.flatMap { TextLayout.wrapped($0, to: room) }.map { indentation + palette.attention($0) }
        return findings + hints + [palette.faint("(\(parts[0]) on the first page; \(parts[1]), \(parts[2]))"), ""]
    }

    /// Of items that there are and that the feed will not have.
    var warning: String? {
        discovered.missing.map { missing in
            "\(NumberFormat.count(discovered.itemCount)) of \(NumberFormat.count(missing.total, "item")): "
                + "`\(missing.place)` says there are more, but no way to get them was found; add `pagination` to the feed"
        }
    }

    /// What a missing finding means for the feed.
    private var hints: [String] {
        guard discovered.itemCount > 0 else {
            return ["the rest is worked out as soon as a page has items"]
        }
        guard discovered.evidence.contains(where: { $0.subject == .pagination && $0.found == nil }) else { return [] }
        return ["this page counts as the whole list; if there is more, add `pagination` to the feed"]
    }

    /// Each finding as a JSON object.
    var json: [String] {
        discovered.evidence.map { finding in
            let fields: JSONFields = [
                "subject": finding.subject.rawValue,
                "found": found(finding),
                "certainty": finding.certainty.rawValue,
                "evidence": finding.text,
            ]
            return fields.json
        }
    }

    /// What was found, on one line; of the columns at most `most` names and types.
    private func found(_ finding: Evidence, most: Int = .max) -> String? {
        guard finding.subject == .columns, finding.found != nil else { return finding.found }
        let columns = discovered.definition.columns
        let shown = columns.prefix(most).map { $0.name + ($0.type.map { " \($0.rawValue)" } ?? "") }
        let others = columns.count - shown.count
        return shown.joined(separator: ", ") + (others > 0 ? " and \(NumberFormat.count(others)) more" : "")
    }

    private static func paint(_ palette: Palette, _ certainty: Evidence.Certainty, _ text: String) -> String {
        switch certainty {
        case .certain, .likely: palette.faint(text)
        case .guess, .nothing: palette.attention(text)
        }
    }
}

extension Session {
    /// Someone is waiting, and can try again by hand.
    private static let mostRetries = 2

    /// Requests a feed's pages, to find what its definition leaves open.
    ///
    /// - Throws: `Failure`, as for a page that a feed's command requests.
    func inspect(
        _ definition: FeedDefinition, folder: String
    ) async throws(Failure) -> Inspection {
        let options = try engineOptions(folder: folder)
        let address = definition.shownAddress
        if let width = console.progressWidth {
            console.showProgress(DisplayWidth.cut("\(definition.name)  requesting \(address)", to: width - 1))
        }
        defer { console.showProgress("") }
        do throws(FeedSyncError) {
            let discovered = try await Discovery(
                definition, options: options, salt: "", mostRetries: Self.mostRetries,
                progress: { [console] step in
                    guard case .retry(let attempt, let reason) = step, let width = console.progressWidth else { return }
                    let text = "\(definition.name)  attempt \(attempt): \(DisplayWidth.printable(reason))"
                    console.showProgress(DisplayWidth.cut(text, to: width - 1))
                }
            ).discover()
            let members = try FeedEntry.Member.members(
                of: discovered.findings, for: definition, hasColumns: invocation.has(.columns))
            return Inspection(members: members, discovered: discovered)
        } catch {
            throw Self.failure(error, of: definition, at: address)
        }
    }

    private static func failure(
        _ error: FeedSyncError, of definition: FeedDefinition, at address: String
    ) -> Failure {
        guard error.kind != .cancelled else {
            return Failure(ExitCode(error.kind), ["\(definition.name): stopped; nothing was written"])
        }
        let failure = Failure(error, feed: definition.name)
        // A page that is not a feed is to blame here: there is no definition yet.
        let isOfPage = error.kind == .configuration && error.httpStatus != nil
        var messages = failure.messages
        if let url = error.url, definition.url.isLiteral, !url.hasPrefix(address) {
            messages.append("\(definition.name): \(address) redirects there; is it a login page?")
        }
        let wantsCredential = error.kind == .refused && definition.authentication == nil
        let advice =
            wantsCredential
            ? "authenticate, for example with --header 'Authorization: Bearer ${TOKEN}'" : failure.advice
        let isOpen = advice?.hasPrefix("write ") ?? false
        return Failure(
            isOfPage ? .data : failure.code, messages,
            advice: isOfPage && isOpen ? "give them with --items and --key: feedsync help add" : advice)
    }
}

extension FeedDefinition {
    /// The URL as written, without its query, which may contain anything.
    fileprivate var shownAddress: String { String(url.description.prefix { $0 != "?" && $0 != "#" }) }
}
