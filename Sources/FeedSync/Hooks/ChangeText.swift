internal import Text

/// Changes as people read them: a line for each.
struct ChangeText: Sendable, Hashable {
    let lines: [String]

    /// The size in which each receiver takes a text: Discord's 2,000 characters, less what stands around it.
    static let mostBytes = 1_800
    private static let mostBytesOfLine = 500

    /// Lines by a template, as in `{kind} {title} {link}`.
    ///
    /// - Throws: `FeedSyncError` of kind `configuration` if a name is not that of a column.
    init(_ changes: [ItemChange], by template: String) throws(FeedSyncError) {
        var lines: [String] = []
        for change in changes { lines.append(try Self.line(change, template)) }
        self.lines = lines
    }

    /// The changes of a feed's columns as one line.
    init(_ changes: [ColumnChangeRecord], of feed: String) {
        lines = ColumnChange.notice(of: changes.map(\.change)).map { [Self.cut("\(feed): \($0)")] } ?? []
    }

    /// As many lines as every receiver takes, and the number of the others.
    var text: String {
        var shown: [String] = []
        var size = 0
        for line in lines {
            size += line.utf8.count + 1
            guard size <= Self.mostBytes else { break }
            shown.append(line)
        }
        if shown.count < lines.count { shown.append("and \(lines.count - shown.count) more") }
        return shown.joined(separator: "\n")
    }

    private static func line(_ change: ItemChange, _ template: String) throws(FeedSyncError) -> String {
        var unknown: String?
        let line = BracedWords.replaced(in: template) { word, _ in
            let name = String(word)
            if let value = value(name, of: change) { return plain(value) }
            // The columns of an item that is gone are not known any more.
            if change.item.isEmpty { return "" }
            unknown = unknown ?? name
            return nil
        }
        guard let unknown else { return cut(line) }
        let names = own + change.item.keys.sorted()
        let hint = NearestWord.suggestion(for: unknown, among: names).map { "; did you mean `{\($0)}`?" } ?? ""
        throw FeedSyncError(
            .configuration, "on_change: `{\(unknown)}` in `message` is not a column of \(change.feed)\(hint)",
            advice: "feedsync explain \(change.feed)  # lists the columns")
    }

    private static let own = ["feed", "kind", "key", "title", "link", "at", "changes"]

    private static func value(_ name: String, of change: ItemChange) -> String? {
        switch name {
        case "feed": change.feed
        case "kind": change.kind.rawValue
        case "key": text(change.key)
        case "title": text(change.title ?? change.key)
        case "link": link(of: change)
        case "at": change.at
        case "changes": changes(change)
        default: (change.after.first { $0.name == name }?.json ?? change.item[name]).map(text)
        }
    }

    private static func link(of change: ItemChange) -> String {
        let link = change.link.map(text) ?? ""
        return link.hasPrefix("https://") || link.hasPrefix("http://") ? link : ""
    }

    /// As in `stars: 5 → 99`.
    private static func changes(_ change: ItemChange) -> String {
        guard change.kind == .changed else { return "" }
        let after = Dictionary(change.after.map { ($0.name, $0.json) }) { first, _ in first }
        return change.before.map { "\($0.name): \(text($0.json)) → \(text(after[$0.name] ?? "null"))" }
            .joined(separator: ", ")
    }

    /// A text without its quotes, nothing for null, and anything else as JSON has it.
    private static func text(_ json: String) -> String {
        switch try? JSONValue(parsing: json) {
        case .string(let text)?: text
        case .null?: ""
        default: json
        }
    }

    /// A value on one line, so that no item adds lines, or headers, of its own.
    private static func plain(_ value: String) -> String {
        let controls = value.unicodeScalars.map { scalar in
            scalar.properties.generalCategory == .control || scalar == "\u{2028}" || scalar == "\u{2029}" ? " " : scalar
        }
        return String(String.UnicodeScalarView(controls))
    }

    private static func cut(_ line: String) -> String {
        var line = line[...]
        while line.last == " " { line.removeLast() }
        guard line.utf8.count > mostBytesOfLine else { return String(line) }
        var size = 0
        let kept = line.prefix { character in
            size += character.utf8.count
            return size <= mostBytesOfLine - 3
        }
        return kept + "…"
    }
}

extension ChangeText {
    /// A text of the definition, with the lines in it.
    ///
    /// - Parameters:
    ///   - feed: The feed's name.
    ///   - id: The delivery's id.
    func written(into text: String, feed: String, id: String) -> String {
        BracedWords.replaced(in: text) { word, _ in
            switch word {
            case "message": self.text
            case "message:html": Self.html(self.text)
            case "feed": feed
            case "count": "\(lines.count)"
            case "id": id
            default: nil
            }
        }
    }

    private static func html(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
