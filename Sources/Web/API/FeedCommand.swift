internal import FeedSync
internal import HTTPServer

/// A request command over HTTP.
struct FeedCommand {
    /// The name of the feed.
    let feed: String
    let visit: Visit

    /// Sends a command to the feed's engine, and answers with its run after the run has ended.
    func perform(_ word: String) async throws(FeedSyncError) -> SharedAnswer {
        guard let command = Self.command(word) else { return visit.notFound() }
        let (site, served) = (visit.site, visit.served)
        guard !site.settings.isReadOnly else {
            return .problem(403, .rejected, "this server is read-only", advice: "start the server without read-only")
        }
        guard let definition = served.configuration?.feed(named: feed) else {
            guard try await served.feed(named: feed) != nil else { return visit.unknownFeed(feed) }
            return .problem(
                409, .configuration, "\(feed) is stored, but no longer in the configuration",
                advice: "undo the removal, or add it again")
        }
        // Browsers without scripts go back to the list, which shows the result of the command.
        let list = visit.isOfForm ? Responses.redirect(to: .own("list", feed)) : nil
        do throws(FeedSyncError) {
            let summary = try await site.shelf.run(command, on: definition)
            if let list { return .finished(list) }
            let run = try await served.pages?.runs(of: feed, limit: 100).first { $0.id == summary.run }
            return .finished(Responses.json(run?.result ?? "null", headers: [("Cache-Control", "no-store")]))
        } catch {
            if let list { return .finished(list) }
            return .finished(Responses.problem(Responses.status(of: error), error.advised(definition)))
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
}
