internal import Concurrency
internal import FeedSync

/// Prints changes as lines, some at a time.
final class ChangePrinter: Sendable {
    private struct State {
        var text = ""
        var count = 0
        var lines: RecordLines
    }

    private let state: Lock<State>
    private let console: Console
    private let form: ListingForm
    private let nameWidth: Int

    init(_ console: Console, _ form: ListingForm, nameWidth: Int) {
        state = Lock(State(lines: RecordLines(form)))
        self.console = console
        self.form = form
        self.nameWidth = nameWidth
    }

    /// The number of printed changes.
    var count: Int { state.withLock { $0.count } }

    /// Prints a change, and returns true while the output has a reader.
    func take(_ change: ItemChange) -> Bool {
        let line = form == .people ? line(change) + "\n" : nil
        let isFull = state.withLock { state in
            state.text += line ?? state.lines.text(of: change)
            state.count += 1
            return state.text.utf8.count >= Self.chunk
        }
        if isFull { flush() }
        return console.failure == nil && !console.isClosed
    }

    /// Prints the remaining lines.
    func flush() {
        let text = state.withLock { state in
            defer { state.text = "" }
            return state.text
        }
        console.write(text, isGuarded: form == .people)
    }

    private static let chunk = 16 << 10
    /// The most cells that a value takes.
    private static let widest = 40

    private func line(_ change: ItemChange) -> String {
        let palette = console.palette
        let name = change.feed + String(repeating: " ", count: max(0, nameWidth - change.feed.count))
        let kind = change.kind.rawValue + String(repeating: " ", count: 8 - change.kind.rawValue.count)
        let title = DisplayWidth.cut(Self.plain(change.title ?? change.key), to: Self.widest * 2)
        return
            "\(palette.faint(PeopleTimes.stamp(change.at)))  \(palette.name(name))  \(paint(kind, change.kind))  \(title)"
            + details(change)
    }

    private func paint(_ text: String, _ kind: ItemChange.Kind) -> String {
        switch kind {
        case .new, .returned: console.palette.success(text)
        case .changed: console.palette.attention(text)
        case .removed: console.palette.failure(text)
        }
    }

    private func details(_ change: ItemChange) -> String {
        guard change.kind == .changed else { return "" }
        let after = Dictionary(change.after.map { ($0.name, $0.json) }) { first, _ in first }
        let changes = change.before.map { name, json in
            "\(console.palette.faint("\(name):")) \(Self.value(json)) → \(Self.value(after[name] ?? "null"))"
        }
        return "  " + changes.joined(separator: ", ")
    }

    private static func value(_ json: String) -> String {
        let text = plain(json)
        return text.isEmpty ? "\"\"" : DisplayWidth.cut(text, to: widest)
    }

    /// Text without its quotes, and anything else as JSON has it.
    private static func plain(_ json: String) -> String {
        guard let text = try? JSONValue(parsing: json).text else { return json }
        return DisplayWidth.printable(text)
    }
}
