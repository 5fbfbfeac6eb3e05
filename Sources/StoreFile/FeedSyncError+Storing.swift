internal import Migrations
internal import SQLite

extension FeedSyncError {
    /// An error of the store, with advice.
    package init(storing error: any Error, path: String) {
        switch error {
        case let error as FeedSyncError: self = error
        // Nothing is wrong with the store.
        case let error as SQLiteError where error.isInterrupted:
            self.init(.cancelled, "the query was ended", advice: "ask for less")
        case let error as SQLiteError where error.advice != nil: self.init(.store, error.message, advice: error.advice)
        case let error as SQLiteError: self.init(error, path: path)
        case let error as MigrationError:
            self.init(.store, "\(path): \(error)", advice: "use the feedsync that wrote the store, or a newer one")
        default: self.init(.bug, "\(path): \(error)")
        }
    }

    /// The advice for a list that there is not, which is a slip of the command line.
    package static let adviceOnLists =
        "feedsync sql 'SELECT name FROM feed_part'  # shows the lists that were asked for"

    /// The advice for a damaged file.
    package static let adviceOnDamage = "restore a backup, or run feedsync doctor to see what can be saved"

    /// The code of an error that a file was moved: https://sqlite.org/rescode.html#readonly_dbmoved
    private static let movedFile: Int32 = 1032

    private init(_ error: SQLiteError, path: String) {
        let advice =
            if error.isNotADatabase {
                "choose another file with --store; this one was not changed"
            } else if error.isFull {
                "make room on the disk, then run the command again; nothing was lost"
            } else if error.isReadOnly || error.isCannotOpen {
                "check that you can write to the file and its folder, or choose another with --store"
            } else if error.isBusy {
                "another program is using the store; run it again when that is done"
            } else if error.isCorrupt {
                Self.adviceOnDamage
            } else {
                "the store may be damaged, or changed by hand; restore a backup, or use another with --store"
            }
        // A lock that is held for longer than the wait means another process at work, as with a feed's lock.
        let kind: Kind = error.isBusy ? .locked : .store
        // A file that was moved can only be read, too, and says so itself.
        if error.isReadOnly, error.code != Self.movedFile {
            self.init(kind, "\(error.path ?? path) cannot be written by this user", advice: advice)
            return
        }
        self.init(kind, error.path == nil ? "\(path): \(error)" : "\(error)", advice: advice)
    }
}
