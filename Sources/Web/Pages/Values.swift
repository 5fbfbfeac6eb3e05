internal import FeedSync
internal import JSON
internal import Reports
internal import Time

/// Values as people read them: figures with separators, times in words, links, yes and no.
struct ValueText {
    /// The most characters of a text, and of an address.
    var most = 120
    var mostOfLink = 60
    /// True if web addresses become links.
    var isLinked = true

    /// Writes a value in one line.
    func write(_ value: StoredValue, type: ColumnType?, to html: inout HTMLWriter) {
        switch (value, type) {
        case (.null, _): html.element("span", .class("none"), text: "none")
        case (.integer(let number), .boolean): html.text(number == 0 ? "no" : "yes")
        case (.real(let number), _): html.text(NumberFormat.figure(number))
        case (.integer(let number), _): html.text(NumberFormat.count(Int(clamping: number)))
        case (.text(let text), _) where Self.isTime(text, type): Shown.time(text, to: &html)
        case (.text(let text), _) where Self.isStructure(text, type):
            let words = Self.words(of: text)
            html.text(Shown.text(words?.joined(separator: ", ") ?? text, most: most))
        default:
            let text = value.description
            if isLinked, let link = Link.web(text) {
                html.element(
                    "a", .href(link), .plain(.rel, "noreferrer noopener"), .plain(.target, "_blank"),
                    text: Shown.text(text, most: mostOfLink))
            } else {
                html.text(Shown.text(text, most: most))
            }
        }
    }

    /// True if a text is JSON, also in a column that was declared without a type.
    static func isStructure(_ text: String, _ type: ColumnType?) -> Bool {
        type == .json
            || type == nil && (text.hasPrefix("[") || text.hasPrefix("{")) && (try? JSONValue(parsing: text)) != nil
    }

    /// The elements of a short array of short values; nil for any other JSON.
    static func words(of json: String) -> [String]? {
        guard let elements = try? JSONValue(parsing: json).elements, elements.count <= 50 else { return nil }
        var words: [String] = []
        for element in elements {
            switch element {
            case .string(let text): if let text = Shown.visible(text) { words.append(Shown.text(text, most: 60)) }
            case .number(let digits): words.append(digits)
            case .bool(let isTrue): words.append(isTrue ? "yes" : "no")
            case .null, .array, .object: return nil
            }
        }
        return words
    }

    /// True if a text is a date or a time, whatever its column was declared as. Digits alone are a number.
    static func isTime(_ text: String, _ type: ColumnType?) -> Bool {
        guard (8..<40).contains(text.utf8.count), type != .json else { return false }
        return text.contains { $0 == "-" || $0 == ":" } && Timestamp(text) != nil
    }
}

extension StoredValue {
    /// A value from its JSON, as a change has it.
    init(ofJSON json: String) {
        guard let value = try? JSONValue(parsing: json) else {
            self = .text(json)
            return
        }
        switch value {
        case .null: self = .null
        case .bool(let isTrue): self = .integer(isTrue ? 1 : 0)
        case .number(let digits):
            self = Int64(digits).map { .integer($0) } ?? Double(digits).map { .real($0) } ?? .text(digits)
        case .string(let text): self = .text(text)
        case .array, .object: self = .text(json)
        }
    }
}
