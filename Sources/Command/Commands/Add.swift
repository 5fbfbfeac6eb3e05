internal import Editing
internal import FeedSync
internal import Fleet
internal import Reports

extension Command {
    /// `add NAME URL|PRESET [KEY=VALUE...]`
    static let add = Command(
        name: "add", operands: "NAME URL|PRESET [KEY=VALUE...]",
        need: "the name of the new feed, and a URL or the name of a preset", count: 0...anyNumber,
        options: [
            .header, .request, .body, .curl, .opml, .connector, .openapi, .har, .set, .items, .key, .paginate, .sync,
            .every, .columns, .dryRun, .yes,
        ] + Option.fetching,
        general: [.config, .json, .quiet, .help], store: .any, endsGracefully: true,
        summary: "Add a feed to the configuration, from a URL or a preset",
        explanation: """
            Adds a feed to the configuration file, and leaves the rest of the file as it is. Without a
            configuration, creates ./feedsync.yaml.

            From a URL, fetches the first page and looks for a second one (in up to eight requests). Works
            out where the items are, which field identifies them, which columns they have and how to get
            the next page. Prints what it found and how certain that is. Settings given with --items,
            --key and --paginate are not searched for.

            --curl takes a curl command in place of the URL, in quotes. Anything that would make it a
            different request is refused. $NAME in it becomes '${NAME}': the value stays in the environment.

            If the URL is a web page's, the feed that it names is added.

            {FEED.COLUMN} in the URL, or in a value, stands for a column of a feed that is there already: the
            new feed has a list for each of its rows (`for_each`). The list of one row is looked at, so
            sync that feed first.

            --opml adds all feeds that a feed reader has exported, under names made of their folders and titles;
            those whose URL is there already stay as they are. A feed of RSS or Atom gets the preset for it, so
            that what it drops stays.

            --connector adds the streams of a low-code connector of Airbyte, from its manifest.yaml or the
            folder that has it: all, or those named in place of NAME and URL. Its expressions are translated;
            anything that a configuration cannot express is left out, with the reason. Give its settings with --set;
            secrets become '${NAME}'. Only a URL of the manifest is requested.

            --openapi reads an OpenAPI 3 or Swagger 2 document. Without operands, it lists the collections, with what the document
            says of each. With paths in place of NAME and URL, it adds these. A parameter of a path, or one that is
            required, is given with --set NAME=VALUE; secrets become '${NAME}'. Settings that the document leaves open
            are found in the first page. --columns writes the columns that the document names.

            --har does the same with the lists among the requests that a browser recorded. Requests for several
            pages of a list show how it is paged. The file's credentials are not taken over: they become
            '${NAME}'.

            From a preset, requests nothing. `feedsync presets` lists the presets.

            KEY=VALUE sets a parameter of the preset, or a query parameter; one that the preset does not have is
            written '?KEY=VALUE'. Write a secret as
            '${NAME}', in single quotes: the file then has the reference, not the value.

            --set MEMBER=VALUE writes any other member of a feed, as in --set ca=authority.pem or
            --set 'auth={bearer: "${TOKEN}"}'.

            If the store still has items of a feed of that name that was removed, asks whether the new feed
            is to go on with them.
            """,
        example: "feedsync add swift-repos github.search q=language:swift"
    ) { session throws(Failure) in
        if let list = session.invocation.options[.opml] {
            return try await SubscriptionAdding(session: session, path: list).perform()
        }
        if let connector = session.invocation.options[.connector] {
            return try await ConnectorAdding(session: session, path: connector).perform()
        }
        if let document = session.invocation.options[.openapi] {
            return try await DocumentAdding(session: session, path: document).perform()
        }
        if let recording = session.invocation.options[.har] {
            return try RecordingAdding(session: session, path: recording).perform()
        }
        let file = try session.fileForFeeds()
        let new = try NewFeed(session.invocation, presets: UserPresets(beside: file.path))
        var draft = FeedDraft(
            file: file, environment: session.environment, entry: new.entry, advice: new.advice,
            isDry: session.invocation.has(.dryRun))
        for note in new.notes { session.console.note(note) }
        guard try await session.mayGoOn(with: new.entry.name) else {
            session.console.note(
                "nothing was added; feedsync remove \(new.entry.name) --data\(session.invocation.storeOptions) deletes what is stored"
            )
            return .done
        }
        draft = try editing(try draft.withParent(in: try draft.text()))
        var store: Store?
        if let parent = draft.parent {
            store = try await session.storeIfAny(try session.configurationIfAny(), of: [parent])
        }
        var found: Inspection?
        if case .url = new.source {
            draft.isOpen = true
            let look = try await session.look(at: draft, store)
            (draft, found) = (look.draft, look.inspection)
        } else if draft.parent != nil {
            try await session.checkColumns(of: draft, store)
        }
        let isDry = session.invocation.has(.dryRun)
        var isMade = false
        if isDry {
            let text = try file.contents()
            _ = try editing(try draft.definition(in: text))
        } else {
            isMade = try editing(try draft.write())
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
    /// Requests a feed's pages to discover the settings that its draft leaves open.
    ///
    /// - Throws: `Failure`, as for a page that a feed's command requests.
    fileprivate func look(at draft: FeedDraft, _ store: Store?) async throws(Failure) -> FeedLook {
        let options = try engineOptions(folder: draft.file.folder)
        let name = draft.entry.name
        defer { console.showProgress("") }
        do throws(EditingError) {
            return try await FeedLook(
                at: draft, options: options, store: store, hasColumns: invocation.has(.columns)
            ) { [console] step in
                let progress: String
                switch step {
                case .requesting(let address): progress = "requesting \(address)"
                case .retry(let attempt, let reason):
                    progress = "attempt \(attempt): \(DisplayWidth.printable(reason))"
                case .note(let text):
                    console.showProgress("")
                    return console.note(text)
                }
                guard let width = console.progressWidth else { return }
                console.showProgress(DisplayWidth.cut("\(name)  \(progress)", to: width - 1))
            }
        } catch {
            throw Failure(error)
        }
    }

    /// Checks that the rows of a feed's parent have the columns that its requests need, as far as there are rows.
    fileprivate func checkColumns(of draft: FeedDraft, _ store: Store?) async throws(Failure) {
        do throws(EditingError) {
            _ = try await draft.rows(in: store, limit: 1)
        } catch {
            guard case .feed(.configuration) = error.place, let parent = draft.parent else { throw Failure(error) }
            console.note("\(draft.entry.name): note: its columns are checked once \(parent) has rows")
        }
    }

    /// True if the stored items of a removed feed of that name may become the new feed's; also if there are none.
    ///
    /// - Throws: `Failure` with exit code 64 without `--yes` and without a terminal.
    fileprivate func mayGoOn(with name: String) async throws(Failure) -> Bool {
        let configuration = (try? configurationIfAny()) ?? nil
        // The commands that use the store report its faults.
        guard !invocation.has(.dryRun), configuration?.feeds.contains(where: { $0.name == name }) != true,
            let store = try? await storeIfAny(configuration, reading: .summary, of: [name]),
            let record = (try? await store.feeds())?.first(where: { $0.name == name }), record.itemCount > 0
        else { return true }
        return try isSure(
            of: "go on with them?",
            because:
                "\(name) was removed before, and the store has \(NumberFormat.count(record.itemCount, "item")) of it")
    }

    fileprivate func print(
        _ draft: FeedDraft, _ found: Inspection?, source: FeedSource, isMade: Bool, isDry: Bool
    ) {
        let name = draft.entry.name
        if invocation.has(.json) {
            return print(result: [
                "feed": name,
                "definition": JSONDocument((isDry ? draft.entry : draft.entry.masked).json),
                "findings": JSONDocument(JSONLines.array(found?.json ?? [])),
                "file": isDry ? nil : draft.file.path,
            ])
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
        let rows = draft.parent.map { ", with a list for each row of \($0)" } ?? ""
        console.print(lines + [deed + rows + origin])
        console.print("Next: \(console.palette.hint("feedsync sync \(name)\(invocation.storeOptions)"))")
    }
}

extension Inspection {
    /// The findings, with their certainty and evidence.
    func lines(_ palette: Palette, width: Int?) -> [String] {
        let indentation = String(repeating: " ", count: 12)
        let room = (width ?? 100) - indentation.count
        let findings = evidence.flatMap { finding in
            let subject = finding.subject.rawValue
            let gap = String(repeating: " ", count: max(1, indentation.count - subject.count))
            let certainty = finding.certainty == .nothing ? "" : "\(finding.certainty.rawValue): "
            let lines = TextLayout.wrapped(certainty + finding.text, to: room)
            let found = TextLayout.wrapped(found(finding, most: 12) ?? "not found", to: room)
            let shown = found.map { finding.found == nil ? palette.failure($0) : palette.name($0) }
            return zip([palette.faint(subject) + gap] + found.dropFirst().map { _ in indentation }, shown).map(+)
                + lines.map { indentation + Self.paint(palette, finding.certainty, $0) }
        }
        let hints = hints.flatMap { TextLayout.wrapped($0, to: room) }.map { indentation + palette.attention($0) }
        return findings + hints + [palette.faint("(\(summary))"), ""]
    }

    /// Each finding as a JSON object.
    var json: [String] {
        evidence.map { finding in
            let fields: JSONFields = [
                "subject": finding.subject.rawValue,
                "found": found(finding),
                "certainty": finding.certainty.rawValue,
                "evidence": finding.text,
            ]
            return fields.json
        }
    }

    private static func paint(_ palette: Palette, _ certainty: Evidence.Certainty, _ text: String) -> String {
        switch certainty {
        case .certain, .likely: palette.faint(text)
        case .guess, .nothing: palette.attention(text)
        }
    }
}
