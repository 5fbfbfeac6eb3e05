internal import FeedSync

extension Session {
    /// Whether the user agrees: with `--yes`, or with the answer on the terminal.
    ///
    /// - Parameter reason: Why it is asked, where the command alone does not say it.
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
