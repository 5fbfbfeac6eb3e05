internal import Concurrency
internal import Platform

/// The output of the process: results on stdout, everything else on stderr.
///
/// - Isolation: any task; whole lines never mix.
final class Console: Sendable {
    private struct State {
        var progress = ""
        var isClosed = false
        var failure: Failure?
        var otherFailure: Failure?
        var isQuiet = false
        var printsResults = true
        /// Nil as long as the command line was not understood.
        var invocation: Invocation?
        /// The end of a pipe to a pager; nil if results go to stdout.
        var pager: Int32?
        /// The lines to print after the pager has ended.
        var waiting: [String] = []
        /// The file that gets the results in place of stdout.
        var file: OutputFile?
        /// The file's path, as the user gave it.
        var path = ""

        var output: Int32 { pager ?? file?.descriptor ?? STDOUT_FILENO }
    }

    private let state = Lock(State())
    private let environment: [String: String]
    /// Colours for stdout.
    let palette: Palette
    /// Colours for stderr.
    let errorPalette: Palette
    private let terminalWidth: Int?

    /// The columns of the terminal that gets the results; nil if none does.
    var width: Int? { state.withLock { $0.file } == nil ? terminalWidth : nil }

    init(environment: [String: String]) {
        self.environment = environment
        let width = isatty(STDOUT_FILENO) == 1 ? Self.columns(of: STDOUT_FILENO) : nil
        terminalWidth = width
        let isPlain = environment["NO_COLOR"].map { !$0.isEmpty } ?? false || environment["TERM"] == "dumb"
        palette = Palette(isOn: !isPlain && width != nil)
        errorPalette = Palette(isOn: !isPlain && isatty(STDERR_FILENO) == 1)
    }

    /// Applies the options that concern printing.
    func follow(_ invocation: Invocation) {
        state.withLock { state in
            state.invocation = invocation
            state.isQuiet = invocation.has(.quiet)
            state.printsResults = !state.isQuiet || invocation.has(.json) || invocation.command.isForResults
        }
    }

    /// Has results go to a file from now on.
    ///
    /// - Throws: `Failure` with exit code 74 if it cannot be created.
    func startFile(_ path: String) throws(Failure) {
        let file = try OutputFile(path)
        state.withLock { ($0.file, $0.path) = (file, path) }
    }

    /// Gives the file its name, if all results were written to it.
    ///
    /// - Throws: `Failure` with exit code 74 if that fails.
    func finishFile() throws(Failure) {
        guard let file = state.withLock({ $0.file }), failure == nil else { return }
        try file.finish()
    }

    /// The columns for a progress line on stderr; nil if there should not be one.
    var progressWidth: Int? {
        guard !isQuiet, environment["TERM"] != "dumb", isatty(STDERR_FILENO) == 1 else { return nil }
        return Self.columns(of: STDERR_FILENO)
    }

    /// True if stderr is a terminal, whose user may want more than the result.
    var isWatched: Bool { !isQuiet && isatty(STDERR_FILENO) == 1 }

    /// The columns for help texts: those of the terminal, but lines of more than 80 are hard to read.
    var helpWidth: Int {
        let columns = environment["COLUMNS"].flatMap { Int($0) } ?? width ?? 80
        return min(80, max(20, columns))
    }

    /// True if only failures are printed.
    var isQuiet: Bool { state.withLock { $0.isQuiet } }

    /// True if the reader of stdout is gone.
    var isClosed: Bool {
        // This also detects a pipe without a reader while there is nothing to write.
        var stream = pollfd(fd: state.withLock { $0.output }, events: 0, revents: 0)
        let isAbandoned = poll(&stream, 1, 0) == 1 && Int32(stream.revents) & POLLERR != 0
        return isAbandoned || state.withLock { $0.isClosed }
    }

    /// The failure that lost results, or another one in writing; nil if all was written.
    var failure: Failure? { state.withLock { $0.failure ?? $0.otherFailure } }

    /// Takes note that something besides the results could not be written.
    func fail(_ failure: Failure) {
        state.withLock { $0.otherFailure = failure }
        report(failure)
    }

    /// Prints lines of results, unless only failures are printed.
    func print(_ lines: [String]) {
        printText(lines.map { ControlCharacters.replaced(in: $0, keepsColours: palette.isOn) })
    }

    /// Prints a table of results, at most as wide as the terminal.
    func print(_ table: Table) { print(table.lines(palette, width: width)) }

    /// Prints a line of results.
    func print(_ line: String) { print([line]) }

    /// Prints a JSON result, unless only failures are printed.
    func print(json document: String) { printText([ControlCharacters.escaped(inJSON: document)]) }

    /// Prints text of results, even with `--quiet`.
    ///
    /// - Parameter isGuarded: True if it may have characters that control a terminal, and goes to one.
    func write(_ text: String, isGuarded: Bool) {
        guard !text.isEmpty else { return }
        emit(isGuarded ? ControlCharacters.replaced(in: text, keepsColours: palette.isOn) : text)
    }

    private func printText(_ lines: [String]) {
        guard !lines.isEmpty, state.withLock({ $0.printsResults }) else { return }
        emit(lines.joined(separator: "\n") + "\n")
    }

    private func emit(_ text: String) {
        let failure = state.withLock { state -> Failure? in
            guard !state.isClosed, state.failure == nil else { return nil }
            if !state.progress.isEmpty { _ = Self.write(Self.erasure, to: STDERR_FILENO) }
            let error = Self.write(text, to: state.output)
            _ = Self.write(state.progress, to: STDERR_FILENO)
            // A reader that has seen enough is not a failure.
            if error == EPIPE { state.isClosed = true }
            guard error != 0, error != EPIPE else { return nil }
            let failure = Failure(
                .output,
                ["cannot write \(state.file == nil ? "to stdout" : state.path): \(String(cString: strerror(error)))"])
            state.failure = failure
            return failure
        }
        if let failure { report(failure) }
    }

    /// Prints a line that is not a result.
    func note(_ line: String) {
        guard !isQuiet else { return }
        writeError(["feedsync: \(DisplayWidth.printable(line))"])
    }

    /// Prints requested lines, with `--quiet` too; together, without other output between them.
    func trace(_ lines: [String]) {
        writeError(lines.map { ControlCharacters.replaced(in: $0, keepsColours: errorPalette.isOn) })
    }

    /// Prints a line that is important even with `--quiet`.
    func warn(_ line: String) { writeError(["feedsync: \(DisplayWidth.printable(line))"]) }

    /// True if a user can answer a question.
    var canAsk: Bool { isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 }

    /// Asks a question; any answer except `y` and `yes` is no.
    func isConfirmed(_ question: String) -> Bool {
        _ = Self.write("feedsync: \(DisplayWidth.printable(question)) [y/N] ", to: STDERR_FILENO)
        return ["y", "yes"].contains(readLine()?.lowercased())
    }

    /// Prints a line about the result on stderr, because stdout is for a file.
    func comment(_ line: String) {
        guard !isQuiet else { return }
        writeError([ControlCharacters.replaced(in: line, keepsColours: errorPalette.isOn)])
    }

    /// Prints which columns did not fit the terminal, if any.
    func noteSkipped(_ columns: [String]) {
        guard !columns.isEmpty else { return }
        note("note: columns not shown: \(columns.joined(separator: ", ")); --json prints all")
    }

    /// Prints why something failed.
    func report(_ failure: Failure) {
        if isQuiet, failure.code == .tryLater { return }
        let name = errorPalette.failure("feedsync:")
        let messages = failure.messages.map { "\(name) \(DisplayWidth.printable($0))" }
        let advice = advice(of: failure).map { ["\(errorPalette.hint("Try:")) \(DisplayWidth.printable($0))"] } ?? []
        writeError(messages + (failure.explanation.map { [$0] } ?? []) + advice)
    }

    /// The advice of a failure, with commands for the configuration and the store that the user named.
    private func advice(of failure: Failure) -> String? {
        let invocation = state.withLock { $0.invocation }
        return failure.advice.map { invocation?.completed($0) ?? $0 }
    }

    /// Prints a failure and advice on one line, for cron's mail.
    ///
    /// - Parameter always: True to print it with `--quiet` although the user only has to try later.
    func reportBriefly(_ failure: Failure, always: Bool = false) {
        if isQuiet, failure.code == .tryLater, !always { return }
        let text = failure.messages.joined(separator: "; ") + (advice(of: failure).map { "; try: \($0)" } ?? "")
        writeError(["\(errorPalette.failure("feedsync:")) \(DisplayWidth.printable(text))"])
    }

    /// Prints the failure of one of several feeds: with `--quiet` on one line.
    func reportFeedFailure(_ failure: Failure) {
        if isQuiet { reportBriefly(failure) } else { report(failure) }
    }

    /// Shows a line that is replaced by the next one or by anything printed; an empty one erases it.
    func showProgress(_ line: String) {
        state.withLock { state in
            guard line != state.progress else { return }
            state.progress = line
            _ = Self.write(Self.erasure + line, to: STDERR_FILENO)
        }
    }

    private func writeError(_ lines: [String]) {
        let text = lines.joined(separator: "\n") + "\n"
        state.withLock { state in
            guard state.pager == nil else {
                state.waiting.append(text)
                return
            }
            // If stderr is gone, there is no place for a message.
            _ = Self.write((state.progress.isEmpty ? "" : Self.erasure) + text + state.progress, to: STDERR_FILENO)
        }
    }

    /// Has results go through a pager from now on, if they go to a terminal and there is a pager.
    func startPager() {
        guard width != nil, environment["TERM"] != "dumb", let pager = Pager.start(environment) else { return }
        state.withLock { $0.pager = pager }
    }

    /// Waits until the pager has ended, and prints the lines that were kept for then.
    func endPager() {
        guard state.withLock({ $0.pager }) != nil else { return }
        Pager.close()
        Pager.waitForEnd()
        let waiting = state.withLock { state in
            state.pager = nil
            defer { state.waiting = [] }
            return state.waiting
        }
        for text in waiting { _ = Self.write(text, to: STDERR_FILENO) }
    }

    /// Go to the start of the line, and erase it.
    private static let erasure = "\r\u{1B}[K"

    private static func columns(of descriptor: Int32) -> Int {
        let columns = platform_terminal_columns(descriptor)
        return columns > 0 ? Int(columns) : 80
    }

    /// - Returns: 0, or the system's error number.
    private static func write(_ text: String, to descriptor: Int32) -> Int32 {
        Descriptor.write(Array(text.utf8), to: descriptor) ? 0 : errno
    }
}
