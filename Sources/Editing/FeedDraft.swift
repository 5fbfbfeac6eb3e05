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
    package func text() throws(EditingError) -> [UInt8] {
        do throws(FeedSyncError) { return try file.text() } catch { throw EditingError(error) }
    }

    /// The text of the file with the feed in it.
    ///
    /// - Throws: `EditingError`, as `definition(in:)`.
    package func text(with text: [UInt8]) throws(EditingError) -> [UInt8] { try checked(text).text }

    /// Writes the feed into its file.
    ///
    /// - Returns: True if the file was created.
    /// - Throws: `EditingError`, as `definition(in:)`, or of the file; it is then unchanged.
    package func write() throws(EditingError) -> Bool {
        try file.edit(isPrivate: entry.holdsCredential, failing: { EditingError($0) }) { text throws(EditingError) in
            try self.text(with: text)
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
            let after = try Configuration.parse(
                new, file: file.path, environment: environment, allowsCommands: file.mayRunCommands)
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

    func parsed(_ text: [UInt8]) throws(EditingError) -> Configuration {
        do throws(ConfigurationError) {
            return try Configuration.parse(
                text, file: file.path, environment: environment, allowsCommands: file.mayRunCommands)
        } catch {
            throw EditingError(error)
        }
    }
}
