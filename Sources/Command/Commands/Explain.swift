internal import FeedSync
internal import Fleet
internal import Reports

extension Command {
    /// `explain FEED`
    static let explain = Command(
        name: "explain", operands: "FEED", count: 1...1, options: [.response],
        store: .any, isForResults: true,
        summary: "Show a feed's complete definition and its next request",
        explanation: """
            Prints the complete definition (with the preset, the defaults and what was found), the next
            request, and what the store knows about the feed. Nothing is requested.

            Literal credentials are shown as ***. References such as ${NAME} are shown as written;
            unresolved ones are reported. A ${command: ...} is not run: its output is shown as ***, and
            the request is shown without its conditions.

            --response prints the response at which a run of the feed failed last: its status, its header
            and the first 64 KiB of its body, with credentials as ***. It is kept as long as events are.

            `feedsync help words` explains the words.
            """,
        example: "feedsync explain swift-repos"
    ) { session throws(Failure) in
        let configuration = try session.configuration()
        guard let whole = try session.feeds(of: configuration, partsToo: true).first else { return .done }
        let store =
            whole.forEach == nil
            ? try await session.storeIfAny(configuration, reading: .states)
            : try await session.storeWithRows(of: [whole], configuration)
        let feed = try await session.named(whole, in: store)
        if session.invocation.has(.response) { return try await session.printResponse(of: feed.name, store) }
        let explanation = try await session.explanation(of: feed, configuration, store)
        if session.invocation.has(.json) {
            session.print(result: explanation.fields)
        } else {
            session.console.print(explanation.lines(session.console.palette))
        }
        return .done
    }
}

extension Session {
    /// Prints the response at which a run failed last.
    fileprivate func printResponse(of feed: String, _ store: Store?) async throws(Failure) -> ExitCode {
        let record = try await read(try await store?.failedResponse(of: feed))
        guard let record = record.flatMap(\.self) else {
            console.note("no run of \(feed) failed at a response, as far as is kept")
            if invocation.has(.json) { console.print(json: JSONLines.array([])) }
            return .done
        }
        if invocation.has(.json) {
            print(result: record.fields)
            return .done
        }
        let palette = console.palette
        let response = record.response
        console.print([
            palette.faint("\(RelativeTime.ago(record.at)), run \(record.run): \(record.error)"), "",
            palette.name("\(StatusText.text(response.status)), from \(response.url)"),
        ])
        console.print(
            response.headers.map { "\(palette.faint("\($0.name):")) \(DisplayWidth.printable($0.value))" } + [""])
        let end = response.body.hasSuffix("\n") ? "" : "\n"
        console.write(response.body + end, isGuarded: true)
        if response.byteCount > FailedResponse.mostBytes {
            console.note(
                "note: the first \(NumberFormat.bytes(FailedResponse.mostBytes)) of \(NumberFormat.bytes(response.byteCount))"
            )
        }
        return .done
    }

    /// Everything that is known about a feed without a request.
    ///
    /// - Throws: `Failure` if the file or the store cannot be read.
    fileprivate func explanation(
        of feed: FeedDefinition, _ configuration: Configuration, _ store: Store?
    ) async throws(Failure) -> Explanation {
        let text = try ConfigurationFile(path: configuration.file).contents()
        let findings = try await read(try await store?.findings(of: feed.owner) ?? nil)
        let settled = try await read(
            try findings.map { found throws(FeedSyncError) in try feed.settled(by: found) } ?? feed)
        let effective = try configuring(
            try EffectiveDefinition(
                of: feed, in: text, file: configuration.file, home: environment["HOME"], findings: findings))
        var options = try engineOptions(folder: configuration.folder)
        // Nothing is run for an explanation: a command may ask for a password, or use the network.
        options.commands = CommandSecrets(isMasked: true)
        var explanation = Explanation(
            feed: feed, entry: effective.entry,
            warnings: FeedCheck(feed: feed, environment: environment, folder: configuration.folder).unresolved)
        explanation.lists = try await outlook(of: feed, in: store)
        if explanation.warnings.isEmpty {
            do throws(FeedSyncError) {
                // The next request depends on the parent's rows.
                var list: FeedDefinition? = settled
                if let lists = explanation.lists {
                    list = nil
                    if let next = lists.next.first { list = try await store?.list(named: next.list, of: settled) }
                }
                if let list { explanation.request = try await NextRequest(of: list, store: store, options: options) }
            } catch {
                explanation.warnings.append(error.description)
            }
        }
        guard let store else { return explanation }
        let name = sharedStore(configuration) == nil ? store.path : storeName(configuration) ?? store.path
        explanation.known = try await read(try await FeedSummary(feed, of: store, called: name))
        return explanation
    }
}
