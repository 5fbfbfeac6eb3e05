internal import YAML

/// The columns to show of an item, by name or by the path from which they are filled.
package struct ShowRule: Sendable, Hashable {
    /// The item's title.
    package var title: String?
    /// The item's text.
    package var text: String?
    /// The item's web page.
    package var link: String?
    /// The item's picture.
    package var picture: String?
    /// The item's time.
    package var time: String?
    /// Counts and other short values, in order.
    package var figures: [String] = []

    package init() {}

    /// All that can be read in a line, in the order in which people read it.
    package var columns: [String] { [title].compactMap(\.self) + figures + [text, link].compactMap(\.self) }

    /// The column that a word of the rule means; nil if there is none.
    ///
    /// - Parameter columns: Names and paths.
    package static func column(
        _ word: String, among columns: [(name: String, path: String?)]
    ) -> String? {
        let path = (try? Path(word))?.description ?? word
        return columns.first { $0.name == word }?.name ?? columns.first { $0.path == path }?.name
    }

    /// The names of the columns that words mean, each once, in the order of the words.
    static func columns(_ words: [String], among columns: [ColumnDefinition]) -> [String] {
        let known = columns.map { (name: $0.name, path: Optional($0.path.description)) }
        var found: [String] = []
        for word in words {
            guard let name = column(word, among: known), !found.contains(name) else { continue }
            found.append(name)
        }
        return found
    }
}

extension MappingDecoder {
    /// A mapping of columns to show.
    ///
    /// - Parameters:
    ///   - columns: The feed's columns.
    ///   - isOpen: True if further columns are still to be discovered.
    func showRule(_ name: String, of columns: [ColumnDefinition], isOpen: Bool) -> ShowRule? {
        guard let members = reader(name) else { return nil }
        defer { members.finish() }
        var rule = ShowRule()
        rule.title = members.string("title")
        rule.text = members.string("text")
        rule.link = members.string("link")
        rule.picture = members.string("picture")
        rule.time = members.string("time")
        let figures = members.strings("figures")
        rule.figures = figures.map(\.text)
        guard !isOpen else { return rule }
        let known = columns.map { (name: $0.name, path: Optional($0.path.description)) }
        let words = ["title", "text", "link", "picture", "time"].compactMap { place in
            members.node(place).map { (place, $0) }
        }
        for (place, node) in words + figures.map({ ("figures", $0.node) }) {
            guard let word = node.text, ShowRule.column(word, among: known) == nil else { continue }
            members.report(
                "`\(place)` in `\(name)` of \(subject) is none of its columns: `\(word)`",
                at: SourcePosition(node.mark), word: word,
                suggestion: NearestWord.suggestion(for: word, among: columns.map(\.name)))
        }
        return rule
    }
}

/// The traits of a column's values, for choosing the columns to show.
package struct ColumnLook: Sendable, Hashable {
    package let name: String
    /// True if any value is present.
    package var hasValues = false
    /// True if all values are numbers.
    package var isNumber = false
    /// True if all values are web addresses.
    package var isLink = false
    /// True if all values are the same.
    package var isConstant = false
    /// True if all values are times.
    package var isTime = false

    package init(name: String) {
        self.name = name
    }

    fileprivate var isText: Bool { hasValues && !isNumber && !isLink && !isTime }

    /// The rank of the name, or of its last word, among the words; nil if it is none of them. `head_commit_message`
    /// ends in `message`.
    fileprivate func rank(in words: [String]) -> Int? {
        var name = name.lowercased()[...]
        // `pic51` is a picture, 51 pixels wide.
        while let last = name.last, last.isNumber { name.removeLast() }
        return words.firstIndex(of: String(name))
            ?? words.firstIndex { name.hasSuffix("_\($0)") }.map { $0 + words.count }
    }
}

extension ShowRule {
    private static let titles = [
        "full_name", "title", "name", "subject", "headline", "label", "display_name", "heading", "path_with_namespace",
        "tag_name", "summary", "login", "username", "slug", "message", "url_title", "symbol", "code", "key",
    ]
    private static let texts = [
        "description", "summary", "excerpt", "abstract", "text", "body", "content", "message", "subtitle", "bio",
        "comment", "note", "snippet", "content_text",
    ]
    private static let links = ["html_url", "web_url", "permalink", "link", "url", "story_url", "homepage", "href"]
    private static let pictures = [
        "avatar_url", "avatar", "picture", "image", "image_url", "thumbnail", "icon", "logo", "pic", "photo",
    ]
    private static let counts = [
        "stars", "stargazers_count", "star_count", "score", "points", "votes", "price", "amount", "count", "rating",
        "forks", "comments", "views", "number", "size", "total", "quantity", "num_comments", "replies", "likes",
        "favourites", "reblogs", "followers", "viewers", "focus", "downloads", "answers", "reactions",
    ]
    private static let times = [
        "published_at", "published", "created_at", "pubdate", "date", "posted_at", "time", "at", "timestamp", "when",
        "pushed_at", "updated_at", "updated", "modified", "start", "started_at", "release_date", "last_activity_at",
    ]
    private static let states = [
        "state", "status", "type", "kind", "language", "category", "version", "author", "user_login", "author_name",
    ]

    /// The columns that are probably wanted, from their names and the traits of their values.
    package static func found(in columns: [ColumnLook]) -> ShowRule {
        var rule = ShowRule()
        // A word that all items share names none of them.
        rule.title = best(titles, columns.filter { $0.isText && !$0.isConstant })
        rule.text = best(texts, columns.filter { $0.isText && $0.name != rule.title })
        rule.link = best(links, columns.filter(\.isLink))
        rule.picture = best(pictures, columns.filter(\.isLink))
        let numbers = columns.filter { $0.isNumber && !$0.isConstant && !$0.isTime }
        var figures = ranked(counts, numbers)
        // Without words that are known, what numbers there are, but for those that only tell items apart.
        if figures.isEmpty { figures = numbers.map(\.name).filter { !isNumberOfItem($0) } }
        let states = ranked(states, columns.filter { $0.isText && !$0.isConstant })
        let taken = [rule.title, rule.text, rule.link, rule.picture]
        rule.figures = (figures.prefix(2) + states.prefix(1)).filter { !taken.contains($0) }
        return rule
    }

    /// The column with the time that people probably want to see; nil if there is none.
    package static func time(in columns: [ColumnLook]) -> String? { best(times, columns.filter(\.isTime)) }

    /// True if a column only tells items apart, by its name.
    package static func isNumberOfItem(_ name: String) -> Bool {
        let name = name.lowercased()
        return name == "id" || name.hasSuffix("id")
    }

    private static func best(_ words: [String], _ columns: [ColumnLook]) -> String? { ranked(words, columns).first }

    private static func ranked(_ words: [String], _ columns: [ColumnLook]) -> [String] {
        let ranks = columns.enumerated().compactMap { place, column in
            column.rank(in: words).map { (rank: $0, place: place, name: column.name) }
        }
        return ranks.sorted { ($0.rank, $0.place) < ($1.rank, $1.place) }.map(\.name)
    }
}
