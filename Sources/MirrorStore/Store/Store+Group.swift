internal import Concurrency
internal import SQLite

/// Pages that share a transaction.
///
/// It stays open from its first page to its commit, which `CommitGroup` decides on. Whatever else is asked of the store
/// commits it first, so nobody sees half of it. A page that cannot be stored is undone by itself. If the commit fails,
/// no page of it is stored: their feeds stand where the last commit left them, and their runs fail.
extension Store {
    /// The transaction that is open, with what follows from its commit.
    struct OpenGroup {
        var rule = CommitGroup()
        /// The feeds that have pages in it.
        var writers: [FeedWriter] = []
        /// Tells of its pages.
        var publications: [@Sendable () -> Void] = []
        /// The same of the transaction before, whose commit in another database is on its way.
        var underway = Underway()
        /// Whether somebody looks whether it is due, if no further page comes.
        var hasAlarm = false
    }

    /// What follows from a commit once it is in another database, too.
    struct Underway {
        var publications: [@Sendable () -> Void] = []
        /// When to look whether it has ended, if no other commit comes before.
        var dueAt: ContinuousClock.Instant?
    }

    /// Stores a page of the feed, to be committed with those that come close to it.
    ///
    /// - Parameter publish: is called with the page's events once they are committed.
    /// - Returns: nil where another list of the feed has found columns since this one's were read: `catchUp`, and decode the page
    ///   again.
    package func commit(
        _ page: PageCommit, to feed: String, now: String, publish: @escaping @Sendable (StatusEvent) -> Void
    ) throws(FeedSyncError) -> PageOutcome? {
        try inGroup {
            // What their responses said of a quota is older than what this page's said.
            if !page.cost.quota.isEmpty { storeConfirmed() }
            let writer = try session(feed)
            guard try !writer.isBehind(page) else { return nil }
            let outcome = try storeInGroup { try writer.commit(page, now: now) }
            if !group.writers.contains(where: { $0 === writer }) { group.writers.append(writer) }
            group.publications.append { outcome.events.forEach(publish) }
            let isFull = group.rule.add(
                CommitGroup.Page(
                    bytes: page.content.byteCount, waited: page.waited, isFollowed: outcome.beginsNext),
                at: .now, isBehind: isBehind)
            if isFull { try closeGroup(waits: false) }
            setAlarm()
            return outcome
        }
    }

    /// What is known of a list's feed by now.
    package func catchUp(_ feed: String) throws(FeedSyncError) -> ResolvedFeed {
        try inGroup { try session(feed).catchUp() }
    }

    /// Commits the pages that wait for it, if any do.
    ///
    /// - Parameter waits: Whether they are committed when this returns. If not, their commit may be on its way in another
    ///   database; an alarm looks for its end.
    /// - Throws: what keeps them from being stored; they are undone then.
    func closeGroup(waits: Bool = true) throws {
        guard !group.writers.isEmpty else { return try settle() }
        let (writers, publications) = (group.writers, group.publications)
        forgetGroup()
        do {
            try checkFile()
            for writer in writers {
                try locks[writer.feed]?.check()
                try writer.saveOnce()
            }
            try connection.commit(isFollowed: !waits)
        } catch {
            connection.rollback()
            group.underway = Underway()
            for writer in writers { writer.undo(error) }
            throw error
        }
        for writer in writers { writer.isCommitted() }
        publishUnderway()
        group.underway.publications = publications
        if !waits, connection.companion != nil {
            group.underway.dueAt = .now + CommitGroup.longestPause
        } else {
            publishUnderway()
        }
    }

    /// Whether a commit is on its way in another database.
    private var isBehind: Bool { connection.companion?.isBusy ?? false }

    /// Waits for the commit that is on its way.
    private func settle() throws {
        guard group.underway.dueAt != nil else { return }
        do { try connection.companion?.settle() } catch {
            group.underway = Underway()
            throw error
        }
        publishUnderway()
    }

    private func publishUnderway() {
        let publications = group.underway.publications
        group.underway = Underway()
        for publish in publications { publish() }
    }

    /// A page's transaction: the one that is open, in which it can be undone alone, or a new one.
    private func storeInGroup(_ body: () throws -> PageOutcome) throws -> PageOutcome {
        guard group.writers.isEmpty else {
            do { return try connection.savepoint(body) } catch {
                // SQLite itself may have undone the pages before it, too.
                if !connection.isInTransaction { undoGroup(error) }
                throw error
            }
        }
        try connection.begin(.immediate)
        do { return try body() } catch {
            connection.rollback()
            throw error
        }
    }

    /// Undoes the pages that wait for their commit: their feeds stand where the last commit left them, whatever the file
    /// becomes.
    func undoGroup(_ error: any Error) {
        connection.rollback()
        for writer in group.writers { writer.undo(error) }
        forgetGroup()
    }

    private func forgetGroup() {
        group.writers = []
        group.publications = []
        group.rule.close()
    }

    /// Looks again when the pages have waited long enough.
    func setAlarm() {
        let moments = [group.rule.dueAt(isBehind: isBehind), group.underway.dueAt, confirmed.rule.dueAt()]
        guard !group.hasAlarm, let due = moments.compactMap(\.self).min() else { return }
        group.hasAlarm = true
        executor.wake(after: due - .now) { [weak self, executor] in
            Task(executorPreference: executor) { await self?.closeIfDue() }
        }
    }

    private func closeIfDue() {
        group.hasAlarm = false
        // If they cannot be stored, their runs are told when they go on.
        if let due = group.rule.dueAt(isBehind: isBehind), due <= .now { try? closeGroup(waits: false) }
        if let due = group.underway.dueAt, due <= .now {
            if isBehind { group.underway.dueAt = .now + CommitGroup.longestPause } else { try? settle() }
        }
        if let due = confirmed.rule.dueAt(), due <= .now { storeConfirmed() }
        setAlarm()
    }
}

extension PageCommit.Content {
    /// The bytes of the body; 0 without one.
    fileprivate var byteCount: Int { if case .decoded(let page) = self { page.byteCount } else { 0 } }
}
