internal import BodyFormats
internal import FeedSync
internal import Fleet
internal import HTTP
internal import Platform
internal import Reports

/// The feeds of an OPML file, which `add --opml` adds.
struct SubscriptionAdding {
    let session: Session
    let path: String

    /// The most bytes of an OPML file: some hundred thousand feeds.
    private static let mostBytes = 16 << 20

    /// Adds the feeds of an OPML file to the configuration without requests: their settings are discovered from their
    /// first pages.
    ///
    /// - Throws: `Failure` with exit code 64 for a file that cannot be read, 65 for one that is not a list of feeds.
    func perform() async throws(Failure) -> ExitCode {
        let (invocation, console) = (session.invocation, session.console)
        guard invocation.operands.isEmpty else {
            throw .usage("--opml takes the names and URLs from the file", advice: Command.add.helpAdvice)
        }
        let file = try session.fileForFeeds()
        let list = try subscriptions()
        guard !list.isEmpty else {
            throw Failure(
                .data, ["\(path): no `outline` has an `xmlUrl`"], advice: "export the feeds, not the articles")
        }
        let isDry = invocation.has(.dryRun)
        let stored = await storedNames()
        var added: [FeedEntry] = []
        var counts = (known: 0, refused: 0)
        func entries(besides text: [UInt8]) throws(Failure) -> [FeedEntry] {
            let configuration = try file.configuration(in: text, session.environment)
            var names = FeedNames(of: configuration.feeds)
            names.reserve(stored + ["post"])
            // The presets' view would have the name of a feed.
            let model: [FeedEntry.Member] =
                configuration.feeds.contains { $0.name.lowercased() == "post" } ? [.init("model", .plain("null"))] : []
            let urls = Set(configuration.feeds.map(\.url.description))
            var entries: [FeedEntry] = []
            counts = (0, 0)
            for subscription in list {
                guard let url = try? WebURL(subscription.url), !subscription.url.contains("{") else {
                    counts.refused += 1
                    let url = subscription.url.prefix(200)
                    console.warn("\(path): not added, because this is not an http(s) URL: \(url)")
                    continue
                }
                guard !urls.contains(subscription.url) else {
                    counts.known += 1
                    continue
                }
                let place = subscription.folder.map { "\($0) " } ?? ""
                let name = names.addName(madeOf: [subscription.title, url.origin.host].map { place + $0 })
                let members: [FeedEntry.Member] = [
                    .init("preset", .text("rss")), .init("url", .text(subscription.url)),
                ]
                entries.append(FeedEntry(name: name, members: members + model + invocation.every))
            }
            return entries
        }
        if isDry {
            added = try entries(besides: try file.contents())
            for entry in added { console.print(entry.lines) }
            return .done
        }
        _ = try file.edit { text throws(Failure) in
            added = try entries(besides: text)
            let new = try file.adding(added, to: text)
            // Nothing is written that could not be read again.
            _ = try file.configuration(in: new, session.environment)
            return new
        }
        if invocation.has(.json) {
            session.print(
                result: JSONFields([("added", JSONDocument(JSONLines.array(added.map { "\"\($0.name)\"" })))]))
            return .done
        }
        let known = counts.known > 0 ? "; already there: \(NumberFormat.count(counts.known))" : ""
        console.print(
            ["added \(NumberFormat.count(added.count, "feed")) to \(file.path)\(known)"]
                + (added.isEmpty ? [] : ["Next: \(console.palette.hint("feedsync sync\(invocation.storeOptions)"))"]))
        return .done
    }

    /// The names of the feeds that the store has, of which some are in no configuration any more.
    private func storedNames() async -> [String] {
        guard let configuration = try? session.configurationIfAny(),
            let store = try? await session.storeIfAny(configuration, reading: .summary)
        else {
            return []
        }
        return (try? await store.feeds().map(\.name)) ?? []
    }

    private func subscriptions() throws(Failure) -> [SubscriptionList.Subscription] {
        let bytes = try DescriptionSource.contents(of: path, limit: Self.mostBytes)
        do throws(SubscriptionList.Fault) {
            return try SubscriptionList(parsing: bytes).subscriptions
        } catch {
            let place = error.line.map { ":\($0)\(error.column.map { ":\($0)" } ?? "")" } ?? ""
            throw Failure(
                .data, ["\(path)\(place): this is not an OPML file: \(error.problem)"],
                advice: "export the subscriptions of your feed reader as OPML")
        }
    }
}
