internal import CPostgreSQL

// A pooler between this program and the server.
extension Connection {
    /// True if the session is not the server's own: a pooler has numbers of its own for its clients.
    ///
    /// Source: https://www.postgresql.org/docs/15/protocol-message-formats.html, BackendKeyData
    func isPooled() throws(PostgreSQLError) -> Bool {
        try scalar("SELECT pg_backend_pid()") != "\(cpq_backend_id(handle))"
    }

    /// Refuses a pooler that gives each transaction another session. Locks and settings of this program would be those
    /// of others, and theirs of this one.
    ///
    /// Two connections see it: each finds the setting of the other, or none.
    func checkPool(_ uri: String) throws(PostgreSQLError) {
        let other = try Connection(to: uri)
        var isShared = false
        for _ in 0..<3 where !isShared {
            try execute("SET feedsync.session = 'one'")
            try other.execute("SET feedsync.session = 'two'")
            let found = "SELECT current_setting('feedsync.session', true)"
            let (one, two) = (try scalar(found), try other.scalar(found))
            isShared = one != "one" || two != "two"
        }
        try execute("RESET feedsync.session")
        try other.execute("RESET feedsync.session")
        guard isShared else { return }
        throw PostgreSQLError(
            "the URI leads to a pooler that gives each transaction another session; feedsync needs a session of its own",
            isPooled: true)
    }
}
