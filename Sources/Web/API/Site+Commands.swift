internal import FeedSync
internal import HTTPServer

/// Request commands over HTTP.
extension Site {
    /// Sends a command to a feed's engine, and answers with its run after the run has ended.
    func perform(
        _ word: String, on name: String, _ request: ServerRequest
    ) async throws(FeedSyncError) -> SharedAnswer {
        let isForm = request.header("X-FeedSync-Token") == nil && Doorkeeper.form(request)["token"] != nil
        guard let command = Self.command(word) else { return notFound(request) }
        let served = await shelf.served
        guard !settings.isReadOnly else {
            return finished(
                Responses.problem(
                    403, .rejected, "this server is read-only", advice: "start the server without read-only"))
        }
        guard let definition = served.configuration?.feed(named: name) else {
            guard try await feed(name, served) != nil else { return unknownFeed(name) }
            return finished(
                Responses.problem(
                    409, .configuration, "\(name) is stored, but no longer in the configuration",
                    advice: "undo the removal, or add it again"))
        }
        do throws(FeedSyncError) {
            let summary = try await run(command, on: definition)
            if isForm { return finished(back(to: name)) }
            let run = try await served.pages?.runs(of: name, limit: 100).first { $0.id == summary.run }
            return finished(Responses.json(run?.result ?? "null", headers: [("Cache-Control", "no-store")]))
        } catch {
            if isForm { return finished(back(to: name)) }
            return finished(Responses.problem(Responses.status(of: error), error.advised(name)))
        }
    }

    /// Sends a command to a feed's engine, waits for its end, and delivers the changes.
    ///
    /// - Parameter isDueOnly: True if a sync leaves out the lists that are not due.
    /// - Throws: `FeedSyncError`.
    func run(
        _ command: RequestCommand, on definition: FeedDefinition, isDueOnly: Bool = false
    ) async throws(FeedSyncError) -> RunSummary {
        if let runner = settings.runner {
            return try await runner.run(command, on: definition, of: shelf.served.configuration?.feeds ?? [])
        }
        let engine = try await shelf.engine(of: definition)
        do throws(FeedSyncError) {
            let summary = try await isDueOnly ? engine.syncDue() : engine.perform(command)
            await tellHook(definition, hasEndedWell: true)
            return summary
        } catch {
            if error.kind != .locked { await tellHook(definition, hasEndedWell: false) }
            throw error
        }
    }

    private static func command(_ word: String) -> RequestCommand? {
        switch word {
        case "reload": .reload
        case "more": .nextPage
        case "sync": .sync
        default: nil
        }
    }

    /// A redirect to the list, which shows the result of the command, for browsers without scripts.
    private func back(to name: String) -> ServerResponse {
        .status(303, headers: [("Location", "/list/\(name)")])
    }

    /// Delivers the changes to the feed's hook, if it has one.
    private func tellHook(_ definition: FeedDefinition, hasEndedWell: Bool) async {
        guard let store = await shelf.writer,
            let delivery = ChangeDelivery(of: definition, in: store, options: settings.options)
        else { return }
        // Undelivered changes are kept for the next run. The event log does not report them.
        try? await delivery.deliver(mayBegin: hasEndedWell)
    }
}
