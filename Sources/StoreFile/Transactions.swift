internal import Concurrency
package import SQLite
internal import Text

/// The connection that writes a store's file, the runs that use it, and the open transaction.
///
/// Pages that follow soon share a transaction. It stays open from its first page to its commit, which `CommitGroup`
/// decides on. Any other use of the store commits it first, so nobody sees half of it. A page that cannot be stored is
/// undone alone. If the commit fails, none of its pages is stored: their feeds return to the state of the last commit,
/// and their runs fail.
///
/// The file is checked when a transaction begins and before it is committed, not for each of its pages.
///
/// - Isolation: the store's.
package final class Transactions: @unchecked Sendable {
    // Sendable: for the alarm, which runs on the store's thread.
    let path: String
    package let connection: Connection
    /// The names of the feeds on which a run is open.
    package var openFeeds: Set<String> = []
    /// The locks on the open feeds, by name.
    package var locks: [String: FeedLock] = [:]
    /// Results that wait for a transaction of their own; nil before the first.
    private(set) var queue: (any CommitQueue)?
    /// The state that other modules keep for the open store, by type.
    private var attachments: [ObjectIdentifier: AnyObject] = [:]
    private let executor: ThreadExecutor
    /// The open files of the connection; nil if they are only read.
    private let files: StoreFiles?
    /// The mode of reading; nil if the file is written, too.
    private let reading: Store.Reading?
    private var group = OpenGroup()
    /// True if the path led to another file at the last check. Nothing is written until it leads to ours again.
    private var hasMoved = false
    /// The time until which the log is not tried again, and the error: SQLite waits ten seconds for it each time.
    private var lostRace: (until: ContinuousClock.Instant, error: SQLiteError)?
    /// The part of the log that `checkLog` has read.
    private var checkedLog = Connection.CheckedLog()
    /// True if an alarm is set for the time when the pages are due, in case no further page comes.
    private var hasAlarm = false

    init(
        _ connection: Connection, path: String, files: StoreFiles?, reading: Store.Reading?, executor: ThreadExecutor
    ) {
        self.connection = connection
        self.path = path
        self.files = files
        self.reading = reading
        self.executor = executor
    }

    /// The open transaction, and the work to do after its commit.
    private struct OpenGroup {
        var rule = CommitGroup()
        /// The runs that have pages in it.
        var writers: [any PageTransactionWriter] = []
        /// Publishes the events of its pages.
        var publications: [@Sendable () -> Void] = []
        /// The previous transaction, whose commit in another database is under way.
        var underway = Underway()
    }

    /// The work to do after a commit once it has reached another database, too.
    private struct Underway {
        var publications: [@Sendable () -> Void] = []
        /// The time to check whether the commit has ended, if no other commit comes before.
        var dueAt: ContinuousClock.Instant?
    }

    /// Runs `body` on committed data, and turns SQLite's errors into the feed's.
    package func storing<Result>(_ body: () throws -> Result) throws(FeedSyncError) -> Result {
        try inGroup {
            try closeGroup()
            try checkFile()
            storeQueue()
            return try body()
        }
    }

    /// The problem of the open file; nil if its path still leads to it.
    var fileProblem: String? {
        connection.hasMoved ? "\(path) was deleted, moved or replaced since it was opened" : nil
    }

    /// Runs `body` while pages may wait for their commit: it reads their state from the feed's writer, or does not
    /// depend on them.
    package func inGroup<Result>(_ body: () throws -> Result) throws(FeedSyncError) -> Result {
        do {
            let result = try body()
            try reading?.check()
            return result
        } catch {
            if let error = error as? SQLiteError, error.isLostRace, lostRace.map({ $0.until <= .now }) ?? true {
                lostRace = (.now + .seconds(10), error)
            }
            // A read while the file changed may have failed in any way.
            do { try reading?.check() } catch { throw FeedSyncError(storing: error, path: path) }
            throw FeedSyncError(storing: error, path: path)
        }
    }

    /// Stores a page with `body`, to be committed together with pages that follow soon.
    ///
    /// - Parameter body: Returns the facts of the page for the commit's rules, and publishes its events once they are
    ///   committed.
    package func store(
        by writer: some PageTransactionWriter,
        _ body: () throws -> (page: CommitGroup.Page, publish: @Sendable () -> Void)
    ) throws {
        let (page, publish) = try storeInGroup(body)
        if !isOpen(for: writer) { group.writers.append(writer) }
        group.publications.append(publish)
        let isFull = group.rule.add(page, at: .now, isBehind: isBehind)
        if isFull { try closeGroup(waits: false) }
        setAlarm()
    }

    /// True if the writer has pages in the open transaction.
    package func isOpen(for writer: some PageTransactionWriter) -> Bool { group.writers.contains { $0 === writer } }

    /// Commits the pages that wait for it, if any.
    ///
    /// - Parameter waits: True if the pages are committed when this returns. Otherwise their commit may be under way in
    ///   another database, and an alarm is set for its end.
    /// - Throws: The error that kept them from being stored. They are undone then.
    package func closeGroup(waits: Bool = true) throws {
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
        for writer in writers { writer.didCommit() }
        publishUnderway()
        group.underway.publications = publications
        if !waits, connection.companion != nil {
            group.underway.dueAt = .now + CommitGroup.longestPause
        } else {
            publishUnderway()
        }
    }

    /// Stores the waiting results, after the pages, so that events are numbered in order.
    package func storeQueue() { queue?.store(in: self) }

    /// Commits the results of a queue when they are due, and before the store is used otherwise.
    package func attach(_ queue: any CommitQueue) { self.queue = queue }

    /// The state of a type that another module keeps for the open store.
    package func attachment<Attachment: AnyObject>(_ make: () -> Attachment) -> Attachment {
        let id = ObjectIdentifier(Attachment.self)
        if let known = attachments[id] as? Attachment { return known }
        let made = make()
        attachments[id] = made
        return made
    }

    /// True while a commit is under way in another database.
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
    private func storeInGroup<Result>(_ body: () throws -> Result) throws -> Result {
        guard group.writers.isEmpty else {
            do { return try connection.savepoint(body) } catch {
                // SQLite itself may have undone the earlier pages, too.
                if !connection.isInTransaction { undoGroup(error) }
                throw error
            }
        }
        try checkFile()
        try connection.begin(.immediate)
        do { return try body() } catch {
            connection.rollback()
            throw error
        }
    }

    /// Checks that the log, which has the rows of the last run, is as it was written.
    ///
    /// - Throws: `FeedSyncError` of kind `store` if another program has changed it.
    package func checkLog() throws(FeedSyncError) {
        guard files != nil, !connection.logIsSound(behind: &checkedLog) else { return }
        throw FeedSyncError(
            .store, "\(path)-wal, the store's log, was changed by another program while feedsync was using it",
            advice: "feedsync doctor --store \(ShellWord.quoted(path))")
    }

    /// Undoes the pages that wait for their commit. Their feeds return to the state of the last commit.
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
    package func setAlarm() {
        guard !hasAlarm else { return }
        let moments = [group.rule.dueAt(isBehind: isBehind), group.underway.dueAt, queue?.dueAt]
        guard let due = moments.compactMap(\.self).min() else { return }
        hasAlarm = true
        executor.wake(after: due - .now) { [weak self] in self?.closeIfDue() }
    }

    private func closeIfDue() {
        hasAlarm = false
        // An error is reported to their runs when they continue.
        if let due = group.rule.dueAt(isBehind: isBehind), due <= .now { try? closeGroup(waits: false) }
        if let due = group.underway.dueAt, due <= .now {
            if isBehind { group.underway.dueAt = .now + CommitGroup.longestPause } else { try? settle() }
        }
        if let due = queue?.dueAt, due <= .now { storeQueue() }
        setAlarm()
    }

    /// Checks that written data can be found again, and that SQLite need not wait long to write.
    ///
    /// If the file was replaced, its log is next to the new file, which SQLite would damage with it. The log is
    /// therefore checkpointed into the old file, wherever that is now, and stays empty: nothing more is written, even
    /// by code without an open feed. If the log or its index was replaced, there is no checkpoint, and the next
    /// connection reads the files as they are.
    ///
    /// - Parameter isWriting: True for a write without an open feed.
    /// - Throws: `FeedSyncError` of kind `store` if the path no longer leads to the open file; `SQLiteError`.
    package func checkFile(isWriting: Bool = false) throws {
        if let lostRace, .now < lostRace.until { throw lostRace.error }
        if reading?.heedsReplacement == true, let fileProblem {
            throw FeedSyncError(.store, fileProblem, advice: "open it again to read what is there now")
        }
        // A reader loses nothing.
        guard hasMoved || isWriting || !openFeeds.isEmpty else { return }
        let change = connection.hasMoved ? .store : files?.change
        guard let change else {
            hasMoved = false
            return
        }
        hasMoved = true
        let what =
            switch change {
            case .store: path
            case .log: "\(path)-wal, the store's log,"
            case .index: "\(path)-shm, the index of the store's log,"
            }
        let error = FeedSyncError(
            .store, "\(what) was deleted, moved or replaced while feedsync was using it",
            advice: "run the command again; what stands at that path now was not changed")
        undoGroup(error)
        switch change {
        case .store, .log(isReplaced: false): try? connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        // Another process may use the new files without knowing our locks.
        case .log, .index: break
        }
        try? connection.leaveLog()
        throw error
    }
}

/// A run with pages in the open transaction.
///
/// - Isolation: the store's.
package protocol PageTransactionWriter: AnyObject {
    var feed: String { get }
    /// Writes what only the last page of the transaction decides.
    func saveOnce() throws
    /// Records that the pages are committed.
    func didCommit()
    /// Restores the state of the last commit.
    func undo(_ error: any Error)
}

/// Results that wait to be stored together, in a transaction of their own.
///
/// - Isolation: the store's.
package protocol CommitQueue: AnyObject {
    /// The time to store them unless another one comes first; nil if none waits.
    var dueAt: ContinuousClock.Instant? { get }
    /// Stores them, after the pages. It keeps an error for their own run.
    func store(in transactions: Transactions)
}
