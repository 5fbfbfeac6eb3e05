internal import SQLite

extension Connection {
    /// Makes temporary tables and views. Only this connection sees them, so even one that only reads the store may.
    func makingTemporary<Result>(_ body: () throws -> Result) throws -> Result {
        let isReader = try int64("PRAGMA query_only") == 1
        if isReader { try execute("PRAGMA query_only = OFF") }
        defer { if isReader { try? execute("PRAGMA query_only = ON") } }
        return try body()
    }
}
