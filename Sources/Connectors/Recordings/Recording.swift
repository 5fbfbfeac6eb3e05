package import Feeds
internal import HTTP

/// The lists among the requests that a browser recorded in a HAR file.
package struct Recording: Sendable {
    /// The most bytes of a file.
    package static let mostBytes = 64 << 20
    /// The most requests that are looked at.
    private static let mostEntries = 10_000

    private let source: String
    private let lists: [RecordedList]
    /// The lists that cannot become feeds.
    package let leftOut: [Connector.LeftOut]

    /// Reads a file.
    ///
    /// - Throws: `ConnectorError` if the text is not a HAR file.
    package init(_ bytes: [UInt8], source: String) throws(ConnectorError) {
        self.source = source
        let advice = "save one with the network tools of a browser, with content"
        let root = try JSONValue(describing: bytes, source, advice: advice)
        guard let entries = root.members?["log"]?.members?["entries"]?.elements else {
            throw ConnectorError(["\(source): this is not a HAR file: it has no `log.entries`"], advice: advice)
        }
        var lists = RecordedLists()
        var leftOut: [Connector.LeftOut] = []
        for entry in entries.prefix(Self.mostEntries) {
            do throws(ConnectorFault) {
                if let exchange = try RecordedExchange(entry) { lists.add(exchange) }
            } catch {
                let url = entry.members?["request"]?.members?["url"]?.text ?? ""
                let shown = Excerpt.of(String(url.prefix { $0 != "?" && $0 != "#" }), limit: 200) ?? ""
                guard !leftOut.contains(where: { $0.stream == shown }) else { continue }
                leftOut.append(.init(stream: shown, fault: error))
            }
        }
        self.lists = lists.all.compactMap { list in
            var list = list
            return list.study() ? list : nil
        }
        self.leftOut = leftOut
    }

    /// The lists, in the order in which they were first requested.
    package var collections: [DescribedCollection] { lists.map(\.collection) }

    /// Says lists as feeds.
    ///
    /// - Parameters:
    ///   - chosen: Their URLs or paths, with or without a query.
    ///   - given: The values of credentials, by the names of their headers or parameters.
    ///   - configured: The feeds that there are already; one of the same URL and query stays as it is.
    ///   - hasColumns: True to write the columns that were found.
    /// - Throws: `ConnectorError` for a list or a name that there is not.
    package func translation(
        of chosen: [String], given: [(name: String, value: String)], besides configured: [FeedDefinition] = [],
        hasColumns: Bool = false
    ) throws(ConnectorError) -> Connector.Translation {
        var wanted: [RecordedList] = []
        for word in chosen {
            let found = lists.filter { $0.isNamed(word) }
            guard !found.isEmpty else {
                let path = String(word.prefix { $0 != "?" })
                let hint = NearestWord.question(for: path, among: lists.map(\.path))
                throw ConnectorError(
                    ["\(source) has no list at \(Excerpt.of(path, limit: 200) ?? "")\(hint)"],
                    advice: "feedsync add --har \(ShellWord.quoted(source))  # lists them", isOfWords: true)
            }
            wanted += found.filter { list in !wanted.contains { $0.collection.path == list.collection.path } }
        }
        let known = Set(wanted.flatMap { $0.pages[0].signIn?.schemes.map(\.name) ?? [] })
        for (name, _) in given where !known.contains(name) {
            let all = known.isEmpty ? "there is none" : "there is \(known.sorted().joined(separator: ", "))"
            throw ConnectorError(["nothing that was chosen has a credential \(name)"], advice: all, isOfWords: true)
        }
        let values = Dictionary(given.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        var names = FeedNames(of: configured)
        var result = Connector.Translation()
        for list in wanted {
            let members = list.members(values, hasColumns: hasColumns)
            if let feed = configured.first(where: { Self.isSame($0, members) }) {
                result.known.append(feed.name)
                continue
            }
            let words = list.path.split(separator: "/").map { String($0.prefix { $0 != "." }) }
            let name = names.addName(words.last ?? "feed", orMadeOf: [list.path])
            result.feeds.append(
                .init(
                    stream: list.collection.path, entry: FeedEntry(name: name, members: members), notes: [],
                    isParent: false))
        }
        return result
    }

    /// True if a feed has the URL and the query of members.
    private static func isSame(_ feed: FeedDefinition, _ members: [FeedEntry.Member]) -> Bool {
        guard members.contains(where: { $0.name == "url" && $0.value == .text(feed.url.description) }) else {
            return false
        }
        guard case .mapping(let query)? = members.first(where: { $0.name == "query" })?.value else {
            return feed.query.isEmpty
        }
        return Set(query.map(\.name)) == Set(feed.query.map(\.name))
            && feed.query.allSatisfy { item in
                query.contains { $0.name == item.name && $0.value.word == item.value.description }
            }
    }
}

/// Sorts exchanges into lists.
private struct RecordedLists {
    /// The most lists of one path: more of them are items rather than lists.
    private static let mostOfPath = 100

    private(set) var all: [RecordedList] = []
    /// The places of lists that have a page at a URL, or lead there, without its query.
    private var places: [String: [Int]] = [:]

    mutating func add(_ exchange: RecordedExchange) {
        let near = places[exchange.shown] ?? []
        guard !near.contains(where: { all[$0].has(exchange) }) else { return }
        if let place = near.first(where: { all[$0].isContinued(by: exchange) }) {
            all[place].append(exchange)
            note(place)
        } else if near.count < Self.mostOfPath {
            all.append(RecordedList(exchange))
            note(all.count - 1)
        }
    }

    private mutating func note(_ place: Int) {
        for address in all[place].addresses where places[address]?.contains(place) != true {
            places[address, default: []].append(place)
        }
    }
}

extension RecordedList {
    /// The path of its URL.
    var path: String { pages[0].url.path }

    /// True if a word is its URL or path, with its query or without one.
    func isNamed(_ word: String) -> Bool {
        let words = [collection.path, pages[0].shown, path, pages[0].url.text]
        return words.contains(word) || pages.contains { $0.url.text == word || $0.shown == word }
    }
}

extension FeedEntry.Value {
    /// The text of a scalar.
    fileprivate var word: String? {
        switch self {
        case .text(let text), .plain(let text): text
        case .list, .mapping: nil
        }
    }
}
