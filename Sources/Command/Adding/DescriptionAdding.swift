internal import Connectors
internal import Editing
internal import FeedSync
internal import HTTP

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
        let api = try DescribedFeeds.reading(try APIDescription(bytes, source: path))
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
        let recording = try DescribedFeeds.reading(try Recording(bytes, source: path))
        return try DescribedFeeds(session).listOrAdd(
            recording.collections, besides: recording.leftOut, option: .har, of: path,
            orFailing: ("\(path): no response is a list of objects", "no list becomes a feed"),
            recording.translation(of:given:besides:hasColumns:))
    }
}

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
        let files = try await files()
        let connector = try DescribedFeeds.reading(try Connector(files))
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

/// The bytes of a description: of a file or at a URL.
enum DescriptionSource {
    /// The contents of a file that the command line names.
    static func contents(of path: String, limit: Int) throws(Failure) -> [UInt8] {
        try reading(path) { path throws(FileError) in try FileContents.read(path, limit: limit) }
    }

    /// Reads a file or a folder that the command line names.
    static func reading<Content>(
        _ path: String, _ read: (String) throws(FileError) -> Content
    ) throws(Failure) -> Content {
        do throws(FileError) {
            return try read(path)
        } catch {
            let message = "\(path) \(error.problem)"
            throw error.code == 0
                ? Failure(.data, [message], advice: Command.add.helpAdvice)
                : .usage(message, advice: Command.add.helpAdvice)
        }
    }

    /// The text at a URL.
    ///
    /// - Throws: `Failure` with exit code 64 for a word that is not a URL, else 69.
    static func download(
        _ text: String, limit: Int, advice: String, _ session: Session
    ) async throws(Failure) -> [UInt8] {
        let options = try session.engineOptions(folder: "")
        let response: Response
        do throws(HTTPError) {
            response = try await options.client.send(Request(try WebURL(text), limits: ResponseLimits(body: limit)))
        } catch {
            let isOfWords = error.kind == .invalidURL || error.kind == .unsupportedScheme
            throw Failure(isOfWords ? .usage : .unavailable, ["\(error)"], advice: Command.add.helpAdvice)
        }
        guard response.isSuccess else {
            throw Failure(
                .unavailable, ["\(response.url): the server answered with status \(response.status)"], advice: advice)
        }
        return response.body.withUnsafeBytes { Array($0) }
    }
}
