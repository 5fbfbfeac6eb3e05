package import FeedSync

/// Runs commands on a store of which the server shows a copy.
package protocol CommandRunner: Sendable {
    /// Runs a command. When it returns, the copy has the rows that the command stored.
    ///
    /// - Throws: `FeedSyncError`.
    func run(
        _ command: RequestCommand, on definition: FeedDefinition, of configuration: Configuration?
    ) async throws(FeedSyncError) -> RunSummary

    /// Runs `change` on a store that has the named feeds, for writing, while nothing else changes them. When it
    /// returns, the copy has the change.
    ///
    /// - Parameters:
    ///   - names: The feeds. The configuration may lack some of them.
    ///   - configuration: Nil if it cannot be read.
    /// - Throws: `FeedSyncError`: `locked` if another process works on a feed, `store`.
    func change<Result: Sendable>(
        _ names: [String], of configuration: Configuration?, _ change: @Sendable (Store) async -> Result
    ) async throws(FeedSyncError) -> Result

    /// Stops all commands after their last committed pages.
    func close() async
}
