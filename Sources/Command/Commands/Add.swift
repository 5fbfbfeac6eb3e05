internal import FeedSync

extension Command {
    /// `add NAME URL|PRESET [KEY=VALUE...]`
    static let add = Command(
        "add", operands: "NAME URL|PRESET [KEY=VALUE...]", count: 2...anyNumber,
        options: [.header, .columns, .dryRun, .maxWait], general: [.config, .json, .quiet, .help], endsGracefully: true,
        summary: "Add a feed to the configuration: a URL, or a preset",
        explanation: """
            From a URL, requests it, and a second page (by up to eight requests), to find where the items are, what tells
            them apart, which columns they have and how the next page is found; says what it found and how sure that
            is, and writes it down. The columns are written with --columns alone: without, they follow what the upstream has.
            From a preset (feedsync presets lists them) nothing is requested. KEY=VALUE gives a parameter of the preset,
            or else of the query. Secrets are written as '${NAME}', and stay so in the file.
            The file keeps every other byte. Where there is none, ./feedsync.yaml is made.
            """,
        example: "feedsync add swift-repos github.search q=language:swift"
    ) { session throws(Failure) in
        let new = try NewFeed(session.invocation)
        let file = try session.configurationFile() ?? ConfigurationFile(path: "feedsync.yaml")
        var draft = FeedDraft(
            file: file, environment: session.environment, entry: new.entry, advice: new.advice,
            isDry: session.invocation.has(.dryRun))
        var found: Inspection?
        if case .url = new.source {
            draft.isOpen = true
            // What cannot be added is not requested.
            let definition = try draft.definition(in: try file.text())
            let inspection = try await session.inspect(definition, draft.entry, folder: file.folder)
            draft = draft.adding(inspection)
            found = inspection
        }
        let isDry = session.invocation.has(.dryRun)
        var isMade = false
        if isDry {
            _ = try draft.definition(in: try file.text())
        } else {
            isMade = try file.edit { text throws(Failure) in try draft.text(with: text) }
        }
        session.print(draft, found, source: new.source, isMade: isMade, isDry: isDry)
        if let warning = found?.warning { session.console.warn("\(draft.entry.name): \(warning)") }
        return .done
    }
}

extension Session {
    fileprivate func print(
        _ draft: FeedDraft, _ found: Inspection?, source: NewFeed.Source, isMade: Bool, isDry: Bool
    ) {
        let name = draft.entry.name
        if invocation.has(.json) {
            var document = JSONObjectText()
            document.add("feed", name)
            document.add("definition", json: (isDry ? draft.entry : draft.entry.masked).json)
            document.add("findings", json: JSONLines.array(found?.json ?? []))
            document.add("file", isDry ? nil : draft.file.path)
            return console.print(json: document.text)
        }
        let lines = found?.lines(isDry ? console.errorPalette : console.palette, width: console.width) ?? []
        guard !isDry else {
            for line in lines { console.comment(line) }
            return console.print(draft.entry.lines)
        }
        let place = isMade ? "\(draft.file.path), which is new" : draft.file.path
        var origin = ""
        if case .preset(let preset) = source { origin = ": \(preset.description)" }
        console.print(lines + ["\(console.palette.name(name))  added to \(place)\(origin)"])
        let config = invocation.options[.config].map { " --config \($0)" } ?? ""
        console.print("Next: \(console.palette.hint("feedsync reload \(name)\(config)"))")
    }
}
