internal import FeedSync
internal import HTTP

/// The runs of `reload` and `more`.
struct CommandRuns {
    let session: Session
    let command: RequestCommand

    /// Sends the command to each feed that the operands name, one after another, and prints the outcome.
    ///
    /// - Throws: `Failure` if no feed can be tried at all.
    func perform() async throws(Failure) -> ExitCode {
        let console = session.console
        let configuration = try session.configuration()
        let feeds = try session.feeds(of: configuration, partsToo: true)
        let options = try session.engineOptions(folder: configuration.folder)
        let store = try await session.storeForWriting(configuration, feeds)
        options.client.run(on: store.executor)
        let runner = FeedRunner(console: console, store: store, options: options)
        var codes: [ExitCode] = []
        var documents: [String] = []
        for feed in feeds {
            // After Ctrl-C no further feed is started.
            if Task.isCancelled { break }
            let report = await runner.run(command, on: feed)
            codes += report.codes
            if session.invocation.has(.json) {
                documents.append(await report.json(from: store))
            } else if let line = report.line(console.palette, nameWidth: RunReport.nameWidth(of: feeds)) {
                console.print(line)
            }
            for notice in report.notices { console.note("\(feed.name): note: \(notice)") }
            for failure in [report.failure, report.hookFailure].compactMap(\.self) { console.report(failure) }
        }
        if session.invocation.has(.json) { console.print(json: JSONLines.array(documents)) }
        return codes.combined
    }
}
