internal import Connectors
internal import FeedSync
internal import HTTP

/// The streams of a low-code connector, which `add --connector` adds.
struct ConnectorAdding {
    let session: Session
    let path: String

    /// Adds the streams of a low-code connector to the configuration, without requests to their upstream.
    ///
    /// - Throws: `Failure` with exit code 64 for unknown words and settings that are missing, 65 for a file that
    ///   is not a manifest, and if no stream can become a feed.
    func perform() async throws(Failure) -> ExitCode {
        let file = try session.fileForFeeds()
        let connector = try DescribedFeeds.reading(try await files()) { files throws(ConnectorError) in
            try Connector(files)
        }
        let feeds = try DescribedFeeds(session)
        return try feeds.add(to: file, orFailing: "no stream of the connector becomes a feed") {
            configured throws(ConnectorError) in
            try connector.translation(of: session.invocation.operands, given: feeds.given, besides: configured)
        }
    }

    private func files() async throws(Failure) -> Connector.Files {
        guard !path.contains("://") else {
            let manifest = try await DescriptionSource.download(
                path, limit: Connector.Files.mostBytes, advice: "give the URL of the manifest.yaml itself", session)
            return Connector.Files(source: path, manifest: manifest)
        }
        return try DescriptionSource.reading(path, Connector.Files.init(reading:))
    }
}
