internal import FeedSync

/// A feed that is to be added to a configuration file.
struct FeedDraft: Sendable {
    let file: ConfigurationFile
    let environment: [String: String]
    /// What would be written.
    let entry: FeedEntry
    /// What to try where the words make no feed.
    let advice: String

    /// The definition as the file would have it, with the file's defaults.
    ///
    /// - Throws: `Failure` with exit code 64 for a name that is taken or cannot be one, or a word that the definition
    ///   cannot have; 78 for a mistake that the file has already.
    func definition(in text: [UInt8]) throws(Failure) -> FeedDefinition { try checked(text).definition }

    /// The text of the file with the feed in it.
    ///
    /// - Throws: `Failure`, as `definition(in:)`.
    func text(with text: [UInt8]) throws(Failure) -> [UInt8] { try checked(text).text }

    private func checked(_ text: [UInt8]) throws(Failure) -> (definition: FeedDefinition, text: [UInt8]) {
        let before = try parsed(text)
        if let feed = before.feed(named: entry.name) {
            throw .usage(
                "there is a feed \(entry.name) already (\(feed.position))",
                advice: "give the new one another name, or remove the old one with feedsync remove \(entry.name)")
        }
        let editor: ConfigurationEditor
        let new: [UInt8]
        do throws(ConfigurationError) {
            editor = try ConfigurationEditor(text, file: file.path)
            new = try editor.adding(entry)
        } catch {
            let lines = entry.lines.joined(separator: "\n")
            throw Failure(
                .configuration, error.mistakes.map(\.description), explanation: "\nfeeds:\n\(lines)\n",
                advice: "write these lines into \(file.path) yourself")
        }
        do throws(ConfigurationError) {
            let after = try Configuration.parse(new, file: file.path, environment: environment)
            guard let definition = after.feed(named: entry.name) else {
                throw ConfigurationError(
                    Mistake(position: SourcePosition(file: file.path), problem: "the feed \(entry.name) was lost"))
            }
            return (definition, new)
        } catch {
            // Its places are those of a text that nobody has seen.
            throw Failure(
                .usage,
                error.mistakes.map { mistake in
                    mistake.problem + (mistake.suggestion.map { "; did you mean `\($0)`?" } ?? "")
                }, advice: advice)
        }
    }

    /// The same feed with more members.
    func adding(_ members: [FeedEntry.Member]) -> FeedDraft {
        FeedDraft(
            file: file, environment: environment,
            entry: FeedEntry(name: entry.name, members: entry.members + members), advice: advice)
    }

    private func parsed(_ text: [UInt8]) throws(Failure) -> Configuration {
        do throws(ConfigurationError) {
            return try Configuration.parse(text, file: file.path, environment: environment)
        } catch {
            throw Failure(error)
        }
    }
}
