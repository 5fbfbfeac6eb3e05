internal import Concurrency
internal import FeedSync
internal import HTTPServer

/// A server on this machine's loopback address, to which a browser comes back from a sign-in.
struct LoopbackListener {
    private let server: Server
    private let answers: AsyncStream<CodeSignIn.Answer>
    private let prompt = Lock<CodeSignIn.Prompt?>(nil)

    /// - Parameter port: The port to listen on; 0 for any free one.
    /// - Throws: `ServerError`.
    init(port: UInt16) throws(ServerError) {
        let (answers, continuation) = AsyncStream.makeStream(of: CodeSignIn.Answer.self)
        self.answers = answers
        let prompt = prompt
        server = try Server(port: port) { request in
            let answer = request.path == "/" ? prompt.withLock { $0 }?.answer(in: request.query) : nil
            guard let answer, answer != .foreign else {
                return Self.page("This is not the answer to the sign-in that feedsync waits for.", status: 400)
            }
            continuation.yield(answer)
            let isAllowed = if case .code = answer { true } else { false }
            return Self.page(
                isAllowed
                    ? "You are signed in. You can close this page, and go back to feedsync."
                    : "The sign-in was refused. You can close this page.")
        }
    }

    /// The address to which the browser comes back.
    var url: String { "\(server.url)/" }

    /// The first answer to a sign-in; nil after a time.
    func answer(to prompt: CodeSignIn.Prompt, within time: Duration) async -> CodeSignIn.Answer? {
        self.prompt.withLock { $0 = prompt }
        let answers = answers
        return await withTaskGroup(of: CodeSignIn.Answer?.self) { group in
            group.addTask {
                for await answer in answers { return answer }
                return nil
            }
            group.addTask {
                try? await ContinuousClock().sleep(for: time)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }

    /// Closes the port.
    func stop() { server.stop() }

    private static func page(_ text: String, status: Int = 200) -> ServerResponse {
        ServerResponse(
            status: status,
            headers: [("Content-Type", "text/plain; charset=utf-8"), ("Cache-Control", "no-store")],
            body: Array("\(text)\n".utf8))
    }
}
