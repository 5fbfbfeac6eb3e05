internal import FeedSync

extension Session {
    /// True if the user agrees: by `--yes`, or by an answer on the terminal.
    ///
    /// - Parameter reason: The reason for the question, if the command alone does not show it.
    /// - Throws: `Failure` with exit code 64 without `--yes` and without a terminal.
    func isSure(of question: String, because reason: String? = nil) throws(Failure) -> Bool {
        if invocation.has(.yes) { return true }
        guard console.canAsk else {
            throw .usage(
                (reason.map { "\($0); " } ?? "")
                    + "\(invocation.command.name) needs a confirmation, and there is no terminal to ask on",
                advice: "run the same command with --yes")
        }
        return console.isConfirmed(reason.map { "\($0); \(question)" } ?? question)
    }
}
