internal import Concurrency
internal import SQLite

/// Pages that share a transaction.
///
/// It stays open from its first page to its commit, which `CommitGroup` decides on. Any other use of the store commits
/// it first, so nobody sees half of it. A page that cannot be stored is undone alone. If the commit fails, none of its
/// pages is stored: their feeds return to the state of the last commit, and their runs fail.
extension Store {
    /// The open transaction, and the work to do after its commit.
    struct OpenGroup {
        var rule = CommitGroup()
        /// The feeds that have pages in it.
        var writers: [FeedWriter] = []
        /// Publishes the events of its pages.
        var publications: [@Sendable () -> Void] = []
        /// The previous transaction, whose commit in another database is under way.
        var underway = Underway()
        /// True if an alarm is set that commits the transaction when it is due, in case no further page comes.
        var hasAlarm = false
    }

    /// The work to do after a commit once it has reached another database, too.
    struct Underway {
        var publications: [@Sendable () -> Void] = []
        /// The time to check whether the commit has ended, if no other commit comes before.
        var dueAt: ContinuousClock.Instant?
    }

    /// Stores a page of the feed, to be committed together with pages that follow soon.
    ///
    /// - Parameter publish: Called with the page's events once they are committed.
    /// - Returns: nil if another list of the feed has found columns since this list's columns were read. The caller
    ///   then calls `catchUp` and decodes the page again.
    package func commit(
        _ page: PageCommit, to feed: String, now: String, publish: @escaping @Sendable (StatusEvent) -> Void
    ) throws(FeedSyncError) -> PageOutcome? {
        try inGroup {
            // The quota readings of the queued lists are older than this page's.
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

    /// The shape of a list's feed with all findings so far.
    package func catchUp(_ feed: String) throws(FeedSyncError) -> ResolvedFeed {
        try inGroup { try session(feed).catchUp() }
    }

    /// Commits the pages that wait for it, if any.
    ///
    /// - Parameter waits: True if the pages are committed when this returns. Otherwise their commit may be under way in
    ///   another database, and an alarm checks for its end.
    /// - Throws: The error that kept them from being stored. They are undone then.
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

    /// True if a commit is under way in another database.
    private var isBehind: Bool { connection.companion?.isBusy ?? false }

    /// Waits for the commit that is under way.
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

    /// The transaction of a page: a savepoint in the open one, or a new one.
    private func storeInGroup(_ body: () throws -> PageOutcome) throws -> PageOutcome {
        guard group.writers.isEmpty else {
            do { return try connection.savepoint(body) } catch {
                // SQLite itself may have undone the earlier pages, too.
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

    /// Undoes the pages that wait for their commit. Their feeds return to the state of the last commit, whatever
    /// happens to the file.
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

    /// Sets an alarm for the time at which the pages have waited long enough.
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
        // An error is reported to their runs when they continue.
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
