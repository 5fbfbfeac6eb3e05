package import FeedSync

/// A feed that is to be added to a configuration file.
package struct FeedDraft: Sendable {
    package let file: ConfigurationFile
    let environment: [String: String]
    /// The entry to write.
    package internal(set) var entry: FeedEntry
    /// Advice for a draft that is no valid feed.
    let advice: String?
    /// True if the lines are only printed, and need no place in the file.
    let isDry: Bool
    /// True if requests will find the missing settings.
    package var isOpen = false

    /// A feed of this entry for a file.
    package init(
        file: ConfigurationFile, environment: [String: String], entry: FeedEntry, advice: String? = nil,
        isDry: Bool = false
    ) {
        (self.file, self.environment, self.entry) = (file, environment, entry)
        (self.advice, self.isDry) = (advice, isDry)
    }

    /// The definition as it would be in the file, with the file's defaults.
    ///
    /// - Throws: `EditingError`: `words` for a name that is taken or invalid, or a word that the definition cannot
    ///   have; `configuration` for an error that the file already has.
    package func definition(in text: [UInt8]) throws(EditingError) -> FeedDefinition { try checked(text).definition }

    /// The file's present text.
    ///
    /// - Throws: `EditingError` if it cannot be read.
    package func text() throws(EditingError) -> [UInt8] { try file.presentText() }

    /// Writes the feed into its file.
    ///
    /// - Returns: True if the file was created.
    /// - Throws: `EditingError`, as `definition(in:)`, or of the file; it is then unchanged.
    package func write() throws(EditingError) -> Bool {
        try file.edit(isPrivate: entry.holdsCredential, failing: { EditingError($0) }) { text throws(EditingError) in
            try checked(text).text
        }
    }

    private func checked(_ text: [UInt8]) throws(EditingError) -> (definition: FeedDefinition, text: [UInt8]) {
        let before = try parsed(text)
        if let feed = before.feed(named: entry.name) {
            throw .words(
                "feed \(entry.name) already exists (\(feed.position))",
                advice: "choose another name, or remove the old feed with feedsync remove \(entry.name)")
        }
        let new = try edited(text)
        do throws(ConfigurationError) {
            let after = try file.configuration(of: new, environment: environment)
            guard let definition = after.feed(named: entry.name) else {
                throw ConfigurationError(
                    Diagnostic(position: SourcePosition(file: file.path), problem: "the feed \(entry.name) was lost"))
            }
            return (definition, new)
        } catch {
            throw EditingError(inWords: error, advice: advice)
        }
    }

    private func edited(_ text: [UInt8]) throws(EditingError) -> [UInt8] {
        do throws(ConfigurationError) {
            return try ConfigurationEditor(text, file: file.path).adding(entry)
        } catch {
            let lines = "feeds:\n\(entry.lines.joined(separator: "\n"))\n"
            guard !isDry else { return Array(lines.utf8) }
            throw EditingError(
                .configuration, error.diagnostics.map(\.description), explanation: isOpen ? nil : "\n\(lines)",
                advice: isOpen
                    ? "run it again with --dry-run, and add the lines it prints to \(file.path) yourself"
                    : "add these lines to \(file.path) yourself")
        }
    }

    /// The feed with its discovered settings.
    func adding(_ inspection: Inspection) -> FeedDraft {
        if let preset = inspection.preset(for: entry) {
            var draft = self
            draft.entry.members.insert(contentsOf: preset, at: 0)
            draft.isOpen = false
            return draft
        }
        let given = inspection.ownParameters.withdrawn(from: entry.members)
        // The properties of the list come first, then its schedule.
        let isOfTime = { (member: FeedEntry.Member) in ["sync", "every"].contains(member.name) }
        var draft = self
        draft.entry.members = given.filter { !isOfTime($0) } + inspection.members + given.filter(isOfTime)
        draft.isOpen = false
        return draft
    }

    /// The feed at another URL, which the page at its own names.
    func moved(to url: String) -> FeedDraft {
        var draft = self
        draft.entry.members = entry.members.map { $0.name == "url" ? FeedEntry.Member("url", .text(url)) : $0 }
        return draft
    }

    /// The feed under another name.
    package func named(_ name: String) -> FeedDraft {
        var draft = self
        draft.entry = FeedEntry(name: name, members: entry.members)
        return draft
    }

    private func parsed(_ text: [UInt8]) throws(EditingError) -> Configuration {
        try configuring(try file.configuration(of: text, environment: environment))
    }
}

extension FeedDraft {
    /// The feed with `for_each`, where its request has columns of a feed, as in `{issues.number}`.
    ///
    /// - Parameter text: The text of its file.
    /// - Throws: `EditingError` of `words` for a feed that is not there, and for columns of feeds that are not above
    ///   one another.
    package func withParent(in text: [UInt8]) throws(EditingError) -> FeedDraft {
        let words = entry.members.flatMap(\.columns)
        guard !words.isEmpty, !entry.members.contains(where: { $0.name == "for_each" }) else { return self }
        let configuration = try parsed(text)
        var parents: [FeedDefinition] = []
        for (column, member) in words {
            guard let feed = configuration.feed(named: column.feed) else {
                // In a header or a body, braces may mean something else.
                guard ["url", "with", "query"].contains(member) else { continue }
                let names = configuration.feeds.map(\.name)
                let hint = NearestWord.question(for: column.feed, among: names)
                throw .words(
                    "`\(column.word)` names a column of the feed \(column.feed), which does not exist\(hint)",
                    advice: "add the feed whose rows each have a list first")
            }
            if !parents.contains(where: { $0.name == feed.name }) { parents.append(feed) }
        }
        guard !parents.isEmpty else { return self }
        let lowest = parents.first { feed in
            let above = [feed.name] + (feed.forEach.map { [$0.feed] + $0.ancestors } ?? [])
            return parents.allSatisfy { above.contains($0.name) }
        }
        guard let parent = lowest else {
            throw .words(
                "the request has columns of \(parents.map(\.name).joined(separator: " and ")), and none of these feeds has a list for each row of the others",
                advice: "use columns of one feed, and of the feeds that its `for_each` leads to")
        }
        var draft = self
        draft.entry.members.insert(.init("for_each", .text(parent.name)), at: 0)
        return draft
    }

    /// The feed whose rows each have a list of this one; nil for a feed with one list.
    package var parent: String? {
        let value = entry.members.first { $0.name == "for_each" }?.value
        return value?.text ?? value?["feed"]?.text
    }
}

extension FeedEntry.Member {
    /// The columns that it has values of, with its name.
    fileprivate var columns: [(column: ParentColumn, member: String)] {
        ["url", "with", "query", "headers", "body"].contains(name) ? value.columns.map { ($0, name) } : []
    }
}

extension FeedEntry.Value {
    fileprivate var columns: [ParentColumn] {
        switch self {
        case .text(let text): ParentColumn.all(in: text)
        case .plain: []
        case .list(let values): values.flatMap(\.columns)
        case .mapping(let members): members.flatMap(\.value.columns)
        }
    }
}

extension FeedDraft {
    /// A feed of the results for a text: the searchable feed with the text as a parameter.
    ///
    /// - Parameter definition: The searched feed, from its file or from one that this includes.
    /// - Throws: `EditingError` if it has no lines of its own.
    package init(
        keeping text: String, of definition: FeedDefinition, as name: String, in file: ConfigurationFile,
        environment: [String: String]
    ) throws(EditingError) {
        let parameter = definition.search?.parameter ?? ""
        guard !text.isEmpty, !parameter.isEmpty else { throw .words("nothing was searched for") }
        let searched = ConfigurationFile(path: definition.position.file)
        guard let entry = try searched.editor(of: searched.presentText()).entry(named: definition.name) else {
            throw .words(
                "\(definition.name) is one of an `each` (\(definition.position))",
                advice: "write the feed into \(file.path) yourself")
        }
        self.init(
            file: file, environment: environment, entry: entry.asking(for: text, in: parameter, as: name))
    }
}

extension FeedEntry {
    /// The same feed under another name, with the search text in a query parameter.
    fileprivate func asking(for text: String, in parameter: String, as name: String) -> FeedEntry {
        let asked = Member(parameter, .text(Template.escaped(text)))
        var members = members
        if let place = members.firstIndex(where: { $0.name == "query" }),
            case .mapping(let query) = members[place].value
        {
            members[place] = Member("query", .mapping(query.filter { $0.name != parameter } + [asked]))
        } else {
            let place = members.lastIndex { ["url", "preset", "with", "method"].contains($0.name) }.map { $0 + 1 } ?? 0
            members.insert(Member("query", .mapping([asked])), at: place)
        }
        return FeedEntry(name: name, members: members)
    }
}
