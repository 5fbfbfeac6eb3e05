internal import FeedSync
internal import HTTP
internal import Reports

extension Command {
    /// `add NAME URL|PRESET [KEY=VALUE...]`
    static let add = Command(
        "add", operands: "NAME URL|PRESET [KEY=VALUE...]", count: 0...anyNumber,
        options: [
            .header, .request, .body, .curl, .opml, .items, .key, .paginate, .sync, .every, .columns, .dryRun, .yes,
        ]
            + Option.fetching, general: [.config, .json, .quiet, .help],
        endsGracefully: true,
        summary: "Add a feed to the configuration, from a URL or a preset",
        explanation: """
            Adds a feed to the configuration file, and leaves the rest of the file as it is. Without a
            configuration, creates ./feedsync.yaml.

            From a URL, fetches the first page and looks for a second one (in up to eight requests). Works
            out where the items are, which field identifies them, which columns they have and how to get
            the next page. Prints what it found and how certain that is. What you give with --items, --key
            and --paginate is not searched for.

            --curl takes a curl command in place of the URL, in quotes. What would make it another request
            is refused. $NAME in it becomes '${NAME}': the value stays in the environment.

            If the URL is a web page's, the feed that it names is added.

            --opml adds all feeds that a feed reader has exported, under names made of their titles; those
            whose URL is there already stay as they are.

            From a preset, requests nothing. `feedsync presets` lists the presets.

            KEY=VALUE sets a parameter of the preset, or a query parameter; one that the preset does not have is
            written '?KEY=VALUE'. Write a secret as
            '${NAME}', in single quotes: the file then has the reference, not the value.

            If the store still has items of a feed of that name that was removed, asks whether the new feed
            is to go on with them.
            """,
        example: "feedsync add swift-repos github.search q=language:swift"
    ) { session throws(Failure) in
        if let list = session.invocation.options[.opml] {
            return try session.addSubscriptions(of: list)
        }
        let file = try session.configurationFile() ?? ConfigurationFile(path: "feedsync.yaml")
        let new = try NewFeed(session.invocation, presets: UserPresets(beside: file.path))
        var draft = FeedDraft(
            file: file, environment: session.environment, entry: new.entry, advice: new.advice,
            isDry: session.invocation.has(.dryRun))
        for note in new.notes { session.console.note(note) }
        guard try await session.mayGoOn(with: new.entry.name) else {
            session.console.note("nothing was added; feedsync remove \(new.entry.name) --data deletes what is stored")
            return .done
        }
        var found: Inspection?
        if case .url = new.source {
            draft.isOpen = true
            // Nothing is requested for a feed that cannot be added.
            var inspection = try await session.inspect(try draft.definition(in: try file.text()), folder: file.folder)
            if let feed = try session.feed(of: inspection, named: draft.entry) {
                draft = draft.moved(to: feed)
                inspection = try await session.inspect(
                    try draft.definition(in: try file.text()), folder: file.folder)
                guard inspection.alternates.isEmpty else {
                    throw Failure(
                        .data, ["\(new.name): \(feed), which the web page names as its feed, is a web page, too"],
                        advice: "add the URL of the feed itself")
                }
            }
            draft = draft.adding(inspection)
            found = inspection
        }
        let isDry = session.invocation.has(.dryRun)
        var isMade = false
        if isDry {
            _ = try draft.definition(in: try file.text())
        } else {
            isMade = try file.edit(isPrivate: draft.entry.holdsCredential) { text throws(Failure) in
                try draft.text(with: text)
            }
        }
        session.print(draft, found, source: new.source, isMade: isMade, isDry: isDry)
        if !isDry, draft.entry.holdsCredential {
            session.console.warn(
                "\(draft.entry.name): warning: \(file.path) now holds a credential in plain text, so only you may read the file; "
                    + "write '${NAME}' to keep it in the environment")
        }
        if let warning = found?.warning { session.console.warn("\(draft.entry.name): \(warning)") }
        return .done
    }
}

extension Session {
    /// Whether what the store has of a removed feed of that name may become the new feed's; also if it has nothing.
    ///
    /// - Throws: `Failure` with exit code 64 without `--yes` and without a terminal.
    fileprivate func mayGoOn(with name: String) async throws(Failure) -> Bool {
        let configuration = (try? configurationIfAny()) ?? nil
        // The commands that use the store report what is wrong with it.
        guard !invocation.has(.dryRun), configuration?.feeds.contains(where: { $0.name == name }) != true,
            let store = try? await storeIfAny(configuration),
            let record = (try? await store.feeds())?.first(where: { $0.name == name })
        else { return true }
        return try isSure(
            of: "go on with them?",
            because:
                "\(name) was removed before, and the store has \(NumberFormat.count(record.itemCount, "item")) of it")
    }

    /// The URL of the feed that a web page names; nil where what was inspected is a feed itself.
    ///
    /// - Throws: `Failure` with exit code 65 where the feed is another host's, and what the user gave may be for this one
    ///   alone.
    fileprivate func feed(of inspection: Inspection, named entry: FeedEntry) throws(Failure) -> String? {
        guard let feed = inspection.alternates.first else { return nil }
        let page =
            entry.members.lazy.compactMap { if case ("url", .text(let url)) = ($0.name, $0.value) { url } else { nil } }
            .first ?? ""
        let isSameOrigin = (try? WebURL(page).origin) == feed.url.origin
        let mayBeSecret = Set(["headers", "query", "body", "auth"])
        guard isSameOrigin || !entry.members.contains(where: { mayBeSecret.contains($0.name) }) else {
            throw Failure(
                .data, ["\(entry.name): this is a web page, whose feed is at another host: \(feed.url.redacted)"],
                advice: "add that URL, with the headers and parameters that are meant for it")
        }
        console.note("\(page) is a web page; its feed is \(feed.url.redacted)")
        for other in inspection.alternates.dropFirst().prefix(9) {
            console.note("it names \(other.url.redacted), too" + (other.title.map { " (\($0))" } ?? ""))
        }
        return feed.url.text
    }

    fileprivate func print(
        _ draft: FeedDraft, _ found: Inspection?, source: NewFeed.Source, isMade: Bool, isDry: Bool
    ) {
        let name = draft.entry.name
        if invocation.has(.json) {
            let document: JSONFields = [
                "feed": name,
                "definition": JSONDocument((isDry ? draft.entry : draft.entry.masked).json),
                "findings": JSONDocument(JSONLines.array(found?.json ?? [])),
                "file": isDry ? nil : draft.file.path,
            ]
            return print(result: document)
        }
        let lines = found?.lines(isDry ? console.errorPalette : console.palette, width: console.width) ?? []
        guard !isDry else {
            for line in lines { console.comment(line) }
            return console.print(draft.entry.lines)
        }
        var origin = ""
        if case .preset(let preset) = source { origin = ": \(preset.description)" }
        let shown = console.palette.name(name)
        let file = draft.file.path
        let deed = isMade ? "created \(file) and added \(shown)" : "added \(shown) to \(file)"
        console.print(lines + [deed + origin])
        let config = invocation.options[.config].map { " --config \($0)" } ?? ""
        console.print("Next: \(console.palette.hint("feedsync sync \(name)\(config)"))")
    }
}
