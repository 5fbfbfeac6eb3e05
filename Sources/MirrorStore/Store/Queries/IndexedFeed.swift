internal import SQLite

/// The known properties of a feed with a full-text index, while the store stays the same.
///
/// - Isolation: the store's.
final class IndexedFeed {
    fileprivate var mark: Store.Mark
    /// Since when the store is as it is, and until when it was, as far as is known.
    private let first: ContinuousClock.Instant
    fileprivate var last: ContinuousClock.Instant
    private let shared: SharedVocabularies?
    let source: ListingSource
    /// The columns that are indexed, the one that counts most first.
    let columns: [String]
    /// The index's name.
    let index: String
    private var hasBeenScanned = false
    /// Parts that are in many words or rows.
    private var commonParts: Set<[UInt8]> = []
    private static let mostCommonParts = 1_000
    /// Nil within where the index has too many words.
    private var vocabulary: Vocabulary??

    fileprivate init?(
        _ feed: String, _ mark: Store.Mark, _ shared: SharedVocabularies?, on connection: Connection
    ) throws {
        guard let source = try ListingSource(feed, on: connection) else { return nil }
        columns = try SearchIndex.storedColumns(of: source.name, on: connection)
        guard !columns.isEmpty else { return nil }
        (self.mark, self.source, self.shared) = (mark, source, shared)
        first = .now
        last = first
        index = SearchIndex.name(of: source.name)
    }

    /// True if the index's words were read.
    var hasVocabulary: Bool { vocabulary.map { $0 != nil } ?? false }

    /// The words of the index; nil where they are not worth reading yet: it takes as long as looking through all rows
    /// three times.
    func vocabulary(on connection: Connection) throws -> Vocabulary? {
        // Shared words are there without a wait.
        if let shared { return shared.words(of: index, from: first, to: last) ?? nil }
        if let vocabulary { return vocabulary }
        guard hasBeenScanned else { return nil }
        let read = try Vocabulary(of: index, on: connection)
        vocabulary = .some(read)
        // What reading them takes counts as a change of this connection's.
        mark = try Store.Mark(of: connection)
        return read
    }

    /// True if a part of words is known to be common.
    func isCommon(_ part: [UInt8]) -> Bool { commonParts.contains(part) }

    /// Keeps in mind that a part of words is common.
    func noteCommon(_ part: [UInt8]) {
        if commonParts.count < Self.mostCommonParts { commonParts.insert(part) }
    }

    /// Keeps in mind that all rows were looked through.
    func noteScan() { hasBeenScanned = true }
}

/// The feeds that are searched again and again.
///
/// - Isolation: the store's.
final class IndexedFeeds {
    private var kept: [String: IndexedFeed] = [:]

    /// The shared words of indexes; nil if each connection reads them itself.
    var shared: SharedVocabularies?

    /// One of them as a transaction sees it; nil where it has no index.
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
