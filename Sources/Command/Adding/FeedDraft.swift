internal import FeedSync

/// A feed that is to be added to a configuration file.
struct FeedDraft: Sendable {
    let file: ConfigurationFile
    let environment: [String: String]
    /// The entry to write.
    let entry: FeedEntry
    /// What to try if the arguments do not make a feed.
    let advice: String
    /// Whether the lines are only printed, and need no place in the file.
    let isDry: Bool
    /// Whether requests will find the rest.
    var isOpen = false

    /// The definition as it would be in the file, with the file's defaults.
    ///
    /// - Throws: `Failure` with exit code 64 for a name that is taken or invalid, or a word that the definition
    ///   cannot have; 78 for an error that the file already has.
    func definition(in text: [UInt8]) throws(Failure) -> FeedDefinition { try checked(text).definition }

    /// The text of the file with the feed in it.
    ///
    /// - Throws: `Failure`, as `definition(in:)`.
    func text(with text: [UInt8]) throws(Failure) -> [UInt8] { try checked(text).text }

    private func checked(_ text: [UInt8]) throws(Failure) -> (definition: FeedDefinition, text: [UInt8]) {
        let before = try parsed(text)
        if let feed = before.feed(named: entry.name) {
            throw .usage(
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
            // Their positions would be in a text that was never written.
            throw Failure(
                .usage,
                error.diagnostics.map { diagnostic in
                    diagnostic.problem + (diagnostic.suggestion.map { "; did you mean `\($0)`?" } ?? "")
                }, advice: advice)
        }
    }

    private func edited(_ text: [UInt8]) throws(Failure) -> [UInt8] {
        do throws(ConfigurationError) {
            return try ConfigurationEditor(text, file: file.path).adding(entry)
        } catch {
            let lines = "feeds:\n\(entry.lines.joined(separator: "\n"))\n"
            guard !isDry else { return Array(lines.utf8) }
            throw Failure(
                .configuration, error.diagnostics.map(\.description), explanation: isOpen ? nil : "\n\(lines)",
                advice: isOpen
                    ? "run it again with --dry-run, and add the lines it prints to \(file.path) yourself"
                    : "add these lines to \(file.path) yourself")
        }
    }

    /// The feed with what was found.
    func adding(_ inspection: Inspection) -> FeedDraft {
        let given = inspection.ownParameters.withdrawn(from: entry.members)
        // First what the list is like, then what is done with it.
        let isOfTime = { (member: FeedEntry.Member) in ["sync", "every"].contains(member.name) }
        let members = given.filter { !isOfTime($0) } + inspection.members + given.filter(isOfTime)
        return FeedDraft(
            file: file, environment: environment, entry: FeedEntry(name: entry.name, members: members), advice: advice,
            isDry: isDry)
    }

    /// The feed at another URL, which the page at its own names.
    func moved(to url: String) -> FeedDraft {
        let members = entry.members.map { $0.name == "url" ? FeedEntry.Member("url", .text(url)) : $0 }
        return FeedDraft(
            file: file, environment: environment, entry: FeedEntry(name: entry.name, members: members), advice: advice,
            isDry: isDry, isOpen: isOpen)
    }

    private func parsed(_ text: [UInt8]) throws(Failure) -> Configuration {
        do throws(ConfigurationError) {
            return try Configuration.parse(
                text, file: file.path, environment: environment, allowsCommands: file.mayRunCommands)
        } catch {
            throw Failure(error)
        }
    }
}
