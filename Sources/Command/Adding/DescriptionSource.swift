internal import Editing
internal import FeedSync
internal import HTTP

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
