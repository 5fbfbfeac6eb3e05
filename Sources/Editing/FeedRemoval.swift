internal import FeedSync

/// The removal of a feed's lines from the configuration; its items stay in the store.
package struct FeedRemoval: Sendable {
    private let lines: FeedLines

    /// - Throws: `EditingError` of `words` if another feed has a list for each of the feed's rows.
    package init(of lines: FeedLines) throws(EditingError) {
        self.lines = lines
        try lines.checkNoLists(advice: "remove that one first")
    }

    /// The lines as they were.
    package struct Undo: Sendable {
        private let lines: FeedLines
        /// The text of the file before and after the removal.
        private let before: [UInt8]
        private let after: [UInt8]
        /// The line of the comment above the feed, which stays; nil where there is none.
        package let commentLine: Int?
        /// The removed lines, as they can be pasted below `feeds:`; nil where they hold a credential.
        package let source: [String]?

        fileprivate init(
            _ lines: FeedLines, before: [UInt8], after: [UInt8], commentLine: Int?, source: String?
        ) {
            (self.lines, self.before, self.after, self.commentLine) = (lines, before, after, commentLine)
            self.source = source?.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { "  \($0)" }
        }

        /// Puts the lines back where they were; at the end, without their comments, if the file was changed since.
        ///
        /// - Throws: `EditingError`, as for a feed whose name is taken now.
        package func perform() throws(EditingError) {
            try lines.edit { text throws(EditingError) in
                guard text != after else { return before }
                let entry = try lines.editor(of: before).entry(named: lines.feed)
                let editor = try lines.file.editor(of: text)
                guard let entry, !editor.names.contains(lines.feed) else {
                    throw .words("feed \(lines.feed) already exists", advice: "remove or rename that one first")
                }
                return try configuring(try editor.adding(entry))
            }
        }
    }

    /// Removes the lines.
    package func perform() throws(EditingError) -> Undo {
        var undo: Undo?
        try lines.edit { text throws(EditingError) in
            let editor = try lines.editor(of: text)
            let new = try configuring(try editor.removing(lines.feed))
            let isPublic = lines.definition?.literalCredentials.isEmpty ?? false
            undo = Undo(
                lines, before: text, after: new, commentLine: editor.commentLine(above: lines.feed),
                source: isPublic ? editor.source(of: lines.feed) : nil)
            return new
        }
        guard let undo else { throw .words("feed \(lines.feed) was not removed") }
        return undo
    }
}
