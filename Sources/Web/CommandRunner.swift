package import FeedSync

/// Runs commands on a store of which the server shows a copy.
package protocol CommandRunner: Sendable {
    /// Runs a command. When it returns, the copy has the rows that the command stored.
    ///
    /// - Parameter feeds: All feeds of the configuration.
    /// - Throws: `FeedSyncError`.
    func run(
        _ command: RequestCommand, on definition: FeedDefinition, of feeds: [FeedDefinition]
    ) async throws(FeedSyncError) -> RunSummary

    /// Stops all commands after their last committed pages.
    func close() async
}
