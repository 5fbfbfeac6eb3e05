internal import Adding
internal import FeedSync

/// Feeds that pages are typing: each page has one, whose latest draft is looked at.
actor Forms {
    private struct Entry {
        let feed: TypedFeed
        /// When it was used last, by the number of uses.
        var use = 0
    }

    private let options: EngineOptions
    private let store: @Sendable () async -> Store?
    private var entries: [String: Entry] = [:]
    private var useCount = 0

    /// The most pages that type at a time.
    private static let mostPages = 50

    /// - Parameter store: What has the rows that lists are looked at of; nil as long as nothing is stored.
    init(options: EngineOptions, store: @escaping @Sendable () async -> Store?) {
        (self.options, self.store) = (options, store)
    }

    /// What a look at a page's draft gives; nil if a later draft of the page took its place.
    ///
    /// - Parameter page: What tells the page from others; empty for one without scripts, whose draft is looked at right away.
    func outcome(of draft: FeedDraft, page: String) async -> TypedFeed.Outcome? {
        guard !page.isEmpty else { return await Self.look(at: draft, options, store) }
        return await feed(of: page).outcome(of: draft)
    }

    /// What a page types makes no feed now.
    func drop(page: String) async {
        if let entry = entries[page] { _ = await entry.feed.outcome(of: nil) }
    }

    private func feed(of page: String) -> TypedFeed {
        useCount += 1
        if let known = entries[page]?.feed {
            entries[page]?.use = useCount
            return known
        }
        if entries.count >= Self.mostPages, let oldest = entries.min(by: { $0.value.use < $1.value.use })?.key {
            entries[oldest] = nil
        }
        let feed = TypedFeed { [options, store] draft in await Self.look(at: draft, options, store) }
        entries[page] = Entry(feed: feed, use: useCount)
        return feed
    }

    private static func look(
        at draft: FeedDraft, _ options: EngineOptions, _ store: @Sendable () async -> Store?
    ) async -> TypedFeed.Outcome {
        var options = options
        options.folder = draft.file.folder
        do throws(AddingError) {
            return .success(try await FeedLook(at: draft, options: options, store: await store()))
        } catch {
            return .failure(error)
        }
    }
}
