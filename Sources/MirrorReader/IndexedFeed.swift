internal import SQLite

/// The known properties of a feed with a full-text index, valid while the store does not change.
///
/// - Isolation: the store's.
final class IndexedFeed {
    fileprivate var mark: Store.Mark
    /// The first and the last time at which the store is known to have been in this state.
    private let first: ContinuousClock.Instant
    fileprivate var last: ContinuousClock.Instant
    private let shared: SharedVocabularies?
    let source: FeedRows
    /// The indexed columns, the one with the most weight first.
    let columns: [String]
    /// The index's name.
    let index: String
    private var hasBeenScanned = false
    /// Parts of words that are in many words or rows.
    private var commonParts: Set<[UInt8]> = []
    private static let mostCommonParts = 1_000
    /// The inner value is nil if the index has too many words.
    private var vocabulary: Vocabulary??

    fileprivate init?(
        _ feed: String, _ mark: Store.Mark, _ shared: SharedVocabularies?, on connection: Connection
    ) throws {
        guard let source = try FeedRows(feed, on: connection) else { return nil }
        columns = try SearchIndex.storedColumns(of: source.name, on: connection)
        guard !columns.isEmpty else { return nil }
        (self.mark, self.source, self.shared) = (mark, source, shared)
        first = .now
        last = first
        index = SearchIndex.name(of: source.name)
    }

    /// The words of the index; nil while they are not worth reading. Reading them takes as long as three scans of all
    /// rows.
    func vocabulary(on connection: Connection) throws -> Vocabulary? {
        // Shared words are available without a wait.
        if let shared { return shared.words(of: index, from: first, to: last) ?? nil }
        if let vocabulary { return vocabulary }
        guard hasBeenScanned else { return nil }
        let read = try Vocabulary(of: index, on: connection)
        vocabulary = .some(read)
        // Reading them counts as a change of this connection.
        mark = try Store.Mark(of: connection)
        return read
    }

    /// True if a part of words is known to be common.
    func isCommon(_ part: [UInt8]) -> Bool { commonParts.contains(part) }

    /// Records that a part of words is common.
    func noteCommon(_ part: [UInt8]) {
        if commonParts.count < Self.mostCommonParts { commonParts.insert(part) }
    }

    /// Records that all rows were scanned.
    func noteScan() { hasBeenScanned = true }
}

extension Store {
    /// The feeds of the open store that are searched.
    var indexedFeeds: IndexedFeeds { transactions.attachment(IndexedFeeds.init) }
}

/// The feeds that are searched repeatedly.
///
/// - Isolation: the store's.
final class IndexedFeeds {
    private var kept: [String: IndexedFeed] = [:]

    /// The shared words of indexes; nil if each connection reads them itself.
    var shared: SharedVocabularies?

    /// A feed as a transaction sees it; nil if it has no index.
    ///
    /// - Parameter began: A moment before the transaction read anything.
    func feed(_ name: String, since began: ContinuousClock.Instant, on connection: Connection) throws -> IndexedFeed? {
        let mark = try Store.Mark(of: connection)
        if let known = kept[name], known.mark == mark {
            known.last = began
            return known
        }
        kept[name] = try IndexedFeed(name, mark, shared, on: connection)
        return kept[name]
    }
}
