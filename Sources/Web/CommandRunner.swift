package import FeedSync

/// Runs commands on a store that the server shows a copy of.
package protocol CommandRunner: Sendable {
    /// Runs a command. When it returns, the copy has what the command stored.
    ///
    /// - Parameter feeds: All of the configuration.
    /// - Throws: `FeedSyncError`.
    func run(
        _ command: RequestCommand, on definition: FeedDefinition, of feeds: [FeedDefinition]
    ) async throws(FeedSyncError) -> RunSummary

    /// Stops all commands after their last committed pages.
    func close() async
}
