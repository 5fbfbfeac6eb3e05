/// Keeps the names of feeds and models unlike each other and unlike the store's own tables.
///
/// All of them are tables or views of one database, where `-` becomes `_` and case makes no difference.
package struct FeedNames {
    /// The store's public tables.
    static let tables = ["feed", "section", "run", "event", "change", "quota", "feed_part"]

    /// The owner of each folded name, in words.
    private var owners: [String: String] = [:]

    init() {
        for table in Self.tables { owners[table] = "the store's table `\(table)`" }
    }

    /// The names of these feeds and their models.
    package init(of feeds: [FeedDefinition]) {
        self.init()
        for name in feeds.flatMap({ [$0.name, $0.model].compactMap(\.self) }) {
            owners[Self.folded(name)] = "the feed `\(name)`"
        }
    }

    /// Adds a name as it is, if it is valid and unlike all others, else one made of these texts.
    package mutating func addName(_ name: String, orMadeOf texts: [String]) -> String {
        let folded = Self.folded(name)
        guard Self.isValid(name), !Self.isOfSQLite(folded), owners[folded] == nil else {
            return addName(madeOf: texts)
        }
        owners[folded] = "the feed `\(name)`"
        return name
    }

    /// Makes a valid name, unlike all others, of the first text with an ASCII letter, and adds it.
    package mutating func addName(madeOf texts: [String]) -> String {
        let words = texts.lazy.map(Self.slug).first { $0.contains(where: \.isLetter) } ?? ""
        let isUsable = words.first?.isLetter == true && !Self.isOfSQLite(Self.folded(words))
        let stem = isUsable ? words : ["feed", words].filter { !$0.isEmpty }.joined(separator: "-")
        var name = String(stem.prefix(63))
        var number = 2
        while owners[Self.folded(name)] != nil {
            name = "\(stem.prefix(57))-\(number)"
            number += 1
        }
        owners[Self.folded(name)] = "the feed `\(name)`"
        return name
    }

    /// Keeps names from being made.
    package mutating func reserve(_ names: [String]) {
        for name in names where owners[Self.folded(name)] == nil {
            owners[Self.folded(name)] = "the feed `\(name)`"
        }
    }

    /// Lower-case words of ASCII letters and digits, joined by hyphens.
    private static func slug(_ text: String) -> String {
        Transliteration.ascii(text).split { !$0.isASCII || !($0.isLetter || $0.isNumber) }.joined(separator: "-")
    }

    /// The form in which names must differ.
    private static func folded(_ name: String) -> String { name.lowercased().replacing("-", with: "_") }

    /// True for a folded name that SQLite reserves.
    private static func isOfSQLite(_ folded: String) -> Bool { folded.hasPrefix("sqlite_") }

    /// True if the name is valid for a feed or model: `[A-Za-z][A-Za-z0-9_-]{0,62}`.
    static func isValid(_ name: String) -> Bool {
        guard name.utf8.count <= 63, let first = name.utf8.first, isLetter(first) else { return false }
        return name.utf8.allSatisfy { $0.isASCIILetterOrDigit || "_-".utf8.contains($0) }
    }

    /// Adds the names of a feed and its model; faults go to the log.
    mutating func add(_ feed: FeedDefinition, modelPosition: SourcePosition? = nil, log: Diagnostics) {
        claim(feed.name, as: "feed", at: feed.position, log: log)
        if let model = feed.model { claim(model, as: "model", at: modelPosition ?? feed.position, log: log) }
        for list in feed.lists {
            guard let path = try? Path(list) else { continue }
            let view = Self.folded("\(feed.name)_\(path.columnName)")
            if let holder = owners[view] {
                log.report(
                    "the view of `\(list)` in `lists` of feed `\(feed.name)` has the name of \(holder)",
                    at: feed.position, word: list)
            } else {
                owners[view] = "the view of `\(list)` in `lists` of feed `\(feed.name)`"
            }
        }
    }

    private mutating func claim(_ name: String, as kind: String, at position: SourcePosition, log: Diagnostics) {
        func report(_ problem: String) {
            log.report(problem, at: position, word: name)
        }
        guard Self.isValid(name) else {
            return report(
                "the \(kind) name `\(name)` is not a letter followed by at most 62 letters, digits, `_` or `-`")
        }
        let folded = Self.folded(name)
        guard !Self.isOfSQLite(folded) else {
            return report("the \(kind) name `\(name)` begins with `sqlite_`, which SQLite reserves")
        }
        let owner = "the \(kind) `\(name)`"
        guard let holder = owners[folded] else {
            owners[folded] = owner
            return
        }
        // Feeds share a model by spelling it alike.
        if kind == "model", holder == owner { return }
        report("the \(kind) name `\(name)` is taken by \(holder) (`-` counts as `_`, and capitals as small letters)")
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }
}
