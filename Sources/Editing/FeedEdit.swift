package import FeedSync
internal import HTTP

/// Changes of a feed's definition in the configuration that somebody sends over HTTP.
package struct FeedEdit: Sendable {
    private let lines: FeedLines
    /// The feed's definition before.
    private let definition: FeedDefinition
    /// Its lines before, with the feed's name.
    package let source: String

    /// - Throws: `EditingError` of `words` for a feed whose lines hold a credential, which nobody is shown, and of
    ///   `configuration` if the file has a mistake.
    package init(of lines: FeedLines) throws(EditingError) {
        self.lines = lines
        let text = try lines.text()
        guard let source = try lines.editor(of: text).source(of: lines.feed) else {
            throw .words("feed \(lines.feed) has no lines of its own", advice: "edit \(lines.file.path)")
        }
        let configuration = try configuring(try lines.parsed(text))
        guard let definition = configuration.feed(named: lines.feed) else {
            throw .words("feed \(lines.feed) has no lines of its own", advice: "edit \(lines.file.path)")
        }
        guard definition.literalCredentials.isEmpty else {
            throw .words(
                "a credential is written out in the definition, and is shown to nobody",
                advice: "edit \(lines.file.path), best with ${NAME} in place of the credential")
        }
        (self.definition, self.source) = (definition, source)
    }

    /// Checks other lines for the feed.
    ///
    /// - Throws: `EditingError` of `words` for lines that the feed cannot have.
    package func check(_ new: String) throws(EditingError) { _ = try text(try lines.text(), with: new) }

    /// Writes other lines for the feed.
    ///
    /// - Throws: `EditingError`, as `check`, and of `words` if the lines in the file are others than before.
    package func write(_ new: String) throws(EditingError) {
        try lines.edit { text throws(EditingError) in
            guard try lines.editor(of: text).source(of: lines.feed) == source else {
                throw .words("the definition was changed by somebody else", advice: "load the page again")
            }
            return try self.text(text, with: new)
        }
    }

    private func text(_ text: [UInt8], with source: String) throws(EditingError) -> [UInt8] {
        let editor = try lines.editor(of: text)
        let new: [UInt8]
        let changed: FeedDefinition?
        do throws(ConfigurationError) {
            new = try editor.replacing(lines.feed, with: source)
            changed = try lines.parsed(new).feed(named: lines.feed)
        } catch {
            throw EditingError(inWords: error)
        }
        guard let changed else { throw .words("the feed \(lines.feed) was lost") }
        if let problem = KnownVariables(of: lines.feeds).problem(of: changed, inPlaceOf: definition) {
            throw .words(problem, advice: "edit \(lines.file.path)")
        }
        return new
    }
}

extension FeedLines {
    /// Writes members of the feed.
    ///
    /// - Parameter members: The names with their values; nil to remove a member.
    /// - Throws: `EditingError` of `words` for a value that a feed cannot have.
    package func set(_ members: [(name: String, value: FeedEntry.Value?)]) throws(EditingError) {
        try edit { text throws(EditingError) in
            var text = text
            // The file's own mistakes are not those of the words.
            _ = try configuring(try parsed(text))
            for (name, value) in members {
                let editor = try editor(of: text)
                text = try configuring(try editor.setting(name, of: feed, to: value))
            }
            do throws(ConfigurationError) { _ = try parsed(text) } catch { throw EditingError(inWords: error) }
            return text
        }
    }

    /// Writes that the feed is passed over by syncs of what is due, or is not.
    ///
    /// - Throws: `EditingError`, as for a feed that is not there.
    package func pause(_ isPaused: Bool) throws(EditingError) {
        try edit { text throws(EditingError) in
            let editor = try editor(of: text)
            guard !isPaused else { return try configuring(try editor.setting("paused", of: feed, to: .plain("true"))) }
            let new = try configuring(try editor.setting("paused", of: feed, to: nil))
            // A preset, or what all feeds have in common, may say it, too.
            guard try configuring(try parsed(new)).feed(named: feed)?.isPaused == true else { return new }
            return try configuring(try editor.setting("paused", of: feed, to: .plain("false")))
        }
    }
}
