internal import Concurrency
internal import SQLite

/// The words of full-text indexes, read by one connection for several others that search meanwhile.
///
/// The file has no number for its states, so times are compared: a connection that has seen no change between two looks
/// was in the same state as any other connection at a moment in between.
///
/// - Isolation: any thread.
package final class SharedVocabularies: Sendable {
    /// The words of an index at a moment between two times.
    fileprivate struct Known {
        let words: Vocabulary?
        let after: ContinuousClock.Instant
        let before: ContinuousClock.Instant
    }

    private struct State {
        /// In the order in which they were read.
        var known: [(index: String, words: Known)] = []
        var underWay: Set<String> = []
    }

    private let state = Lock(State())
    private let reader: Store
    /// Each takes a few megabytes.
    private static let mostKnown = 8

    /// - Parameter reader: The store, for exclusive use.
    package init(reader: Store) { self.reader = reader }

    /// The words of an index for a connection that has seen no change from `first` to `last`. Nil while they are read;
    /// the inner value is nil if there are too many.
    func words(
        of index: String, from first: ContinuousClock.Instant, to last: ContinuousClock.Instant
    ) -> Vocabulary?? {
        let (found, begins) = state.withLock { state -> (Vocabulary??, Bool) in
            if let known = state.known.last(where: { $0.index == index })?.words, first < known.after,
                known.before < last
            {
                return (.some(known.words), false)
            }
            return (nil, state.underWay.insert(index).inserted)
        }
        if begins { begin(index) }
        return found
    }

    /// Reads the words of indexes before the first search: as many as are kept.
    package func read(_ indexes: some Sequence<String>) {
        for index in indexes.prefix(Self.mostKnown) where state.withLock({ $0.underWay.insert(index).inserted }) {
            begin(index)
        }
    }

    private func begin(_ index: String) {
        Task(executorPreference: reader.executor) { await self.read(index) }
    }

    private func read(_ index: String) async {
        // If this fails, the next search tries again.
        let read = try? await reader.words(of: index)
        state.withLock { state in
            state.underWay.remove(index)
            guard let read else { return }
            state.known.removeAll { $0.index == index }
            state.known.append((index, read))
            if state.known.count > Self.mostKnown { state.known.removeFirst() }
        }
    }
}

extension Store {
    /// Reads the words of a full-text index.
    fileprivate func words(of index: String) throws(FeedSyncError) -> SharedVocabularies.Known {
        try snapshot {
            let after = ContinuousClock.now
            // From its first read on, the transaction sees the same state.
            _ = try connection.int64("SELECT count(*) FROM sqlite_schema")
            let before = ContinuousClock.now
            return SharedVocabularies.Known(
                words: try Vocabulary(of: index, on: connection), after: after, before: before)
        }
    }

    /// Takes the words of indexes from a cache shared with other connections to the store.
    ///
    /// - Returns: The existing indexes. Their words, if read from now on, are valid until the store changes.
    package func share(_ vocabularies: SharedVocabularies) throws(FeedSyncError) -> [String] {
        indexedFeeds.shared = vocabularies
        let feeds = try searchableFeeds().map(\.feed)
        return try snapshot {
            let began = ContinuousClock.now
            return try feeds.compactMap { try indexedFeeds.feed($0, since: began, on: connection)?.index }
        }
    }
}
