internal import Connectors
internal import FeedSync

/// The collections of an OpenAPI document, which `add --openapi` lists and adds.
struct DocumentAdding {
    let session: Session
    let path: String

    /// Lists the collections of an OpenAPI document, or adds those that the operands name, without requests to their
    /// upstream.
    ///
    /// - Throws: `Failure` with exit code 64 for unknown words and values that are missing, 65 for a file that
    ///   is not such a document.
    func perform() async throws(Failure) -> ExitCode {
        let bytes = try await bytes()
        let api = try DescribedFeeds.reading(bytes) { bytes throws(ConnectorError) in
            try APIDescription(bytes, source: path)
        }
        let feeds = try DescribedFeeds(session)
        if session.invocation.operands.isEmpty, api.isCut {
            session.console.warn("\(path): only the first 10,000 paths were read")
        }
        return try feeds.listOrAdd(
            api.lists.map(\.collection), besides: api.leftOut, option: .openapi, of: path,
            orFailing: (
                "\(path): no GET of the document answers with a list of objects", "no collection becomes a feed"
            ), api.translation(of:given:besides:hasColumns:))
    }

    private func bytes() async throws(Failure) -> [UInt8] {
        guard !path.contains("://") else {
            return try await DescriptionSource.download(
                path, limit: APIDescription.mostBytes,
                advice: "give the URL of the document itself, not of a page that shows it",
                session)
        }
        return try DescriptionSource.contents(of: path, limit: APIDescription.mostBytes)
    }
}

/// The lists among recorded requests, which `add --har` lists and adds.
struct RecordingAdding {
    let session: Session
    let path: String

    /// Lists the lists of a HAR file, or adds those that the operands name, without requests to their upstream.
    ///
    /// - Throws: `Failure` with exit code 64 for unknown words, 65 for a file that is not a HAR file.
    func perform() throws(Failure) -> ExitCode {
        let bytes = try DescriptionSource.contents(of: path, limit: Recording.mostBytes)
        let recording = try DescribedFeeds.reading(bytes) { bytes throws(ConnectorError) in
            try Recording(bytes, source: path)
        }
        return try DescribedFeeds(session).listOrAdd(
            recording.collections, besides: recording.leftOut, option: .har, of: path,
            orFailing: ("\(path): no response is a list of objects", "no list becomes a feed"),
            recording.translation(of:given:besides:hasColumns:))
    }
}
