internal import Editing
internal import FeedSync

extension Command {
    /// `edit FEED MEMBER=VALUE...`
    static let edit = Command(
        name: "edit", operands: "FEED MEMBER=VALUE...", need: "the name of a feed, and members as name=value",
        count: 2...anyNumber, general: [.config, .json, .quiet, .help],
        summary: "Change members of a feed in the configuration",
        explanation: """
            Writes each member with its value into the feed's lines, and leaves the rest of the file as it is. A value
            that is a mapping or a list is written in braces or brackets, as in
            'sync={mode: all, full: 12h}'; MEMBER= removes the member. The file is checked before it is
            written.
            """,
        example: "feedsync edit swift-repos every=1h"
    ) { session throws(Failure) in
        let name = session.invocation.operands[0]
        let words = session.invocation.operands.dropFirst()
        let lines = try session.lines(of: name)
        try editing(try lines.set(try FeedWords.members(words)))
        session.print(
            result: ["feed": name, "file": lines.file.path],
            orLine: "\(session.console.palette.name(name))  changed in \(lines.file.path)")
        return .done
    }
}
