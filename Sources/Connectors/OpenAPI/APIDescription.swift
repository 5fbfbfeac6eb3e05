package import Feeds
internal import HTTP

/// An API that an OpenAPI 3 or Swagger 2 document describes: its lists can become feeds.
package struct APIDescription: Sendable {
    /// The most bytes of a document.
    package static let mostBytes = 64 << 20
    /// The most operations that are looked at.
    private static let mostOperations = 10_000

    private let document: APIDocument
    /// The lists, in the order of the document.
    package let lists: [DocumentedList]
    /// The GET operations that could not be read.
    package let leftOut: [Connector.LeftOut]
    /// True if the document has more operations than are looked at.
    package let isCut: Bool

    /// Reads a document.
    ///
    /// - Parameter source: Its file or URL, which relative URLs in it refer to.
    /// - Throws: `ConnectorError` if the text is not such a document.
    package init(_ bytes: [UInt8], source: String) throws(ConnectorError) {
        document = try APIDocument(bytes, source: source)
        let reader = ListReader(document)
        var lists: [DocumentedList] = []
        var leftOut: [Connector.LeftOut] = []
        let paths = (document.root["paths"]?.members ?? [:]).filter { $0.name.hasPrefix("/") }
        for (path, item) in paths.prefix(Self.mostOperations) {
            do throws(ConnectorFault) {
                if let list = try reader.list(at: path, item) { lists.append(list) }
            } catch {
                leftOut.append(Connector.LeftOut(stream: path, fault: error))
            }
        }
        (self.lists, self.leftOut, isCut) = (lists, leftOut, paths.count > Self.mostOperations)
    }

    /// A wanted list, with the values that its word gives for parameters of its path.
    struct Choice {
        let list: DocumentedList
        var values: [String: String] = [:]
    }

    /// The list that a word names: its path, its operation, or its path with values in place of the parameters.
    private func choice(_ word: String) throws(ConnectorError) -> Choice {
        if let list = lists.first(where: { $0.path == word || $0.operation == word }) { return Choice(list: list) }
        let path = word.prefix { $0 != "?" }
        for list in lists {
            if let values = Self.values(of: list.path, in: String(path)) { return Choice(list: list, values: values) }
        }
        if let fault = leftOut.first(where: { $0.stream == word })?.fault {
            throw ConnectorError(["\(word) is left out: \(fault.problem)"], advice: "add it with feedsync add NAME URL")
        }
        let hint = NearestWord.question(for: word, among: lists.map(\.path))
        throw ConnectorError(
            ["\(document.source) has no list at \(word)\(hint)"],
            advice: "feedsync add --openapi \(ShellWord.quoted(document.source))  # lists them", isOfWords: true)
    }

    /// The values of a path's parameters in a path; nil where they differ in anything else.
    private static func values(of template: String, in path: String) -> [String: String]? {
        let (parts, words) = (template.split(separator: "/"), path.split(separator: "/"))
        guard parts.count == words.count else { return nil }
        var values: [String: String] = [:]
        for (part, word) in zip(parts, words) where part != word {
            guard part.hasPrefix("{"), part.hasSuffix("}"), !word.hasPrefix("{") else { return nil }
            values[String(part.dropFirst().dropLast())] = String(word)
        }
        return values
    }

    /// Says lists as feeds.
    ///
    /// - Parameters:
    ///   - chosen: Their paths.
    ///   - given: Values of parameters, sign-ins and parts of the server's URL, by their names.
    ///   - configured: The feeds that there are already; one of the same URL stays as it is.
    ///   - hasColumns: True to write the columns that the schemas name.
    /// - Throws: `ConnectorError` for a list or a name that there is not, and for values that are missing.
    package func translation(
        of chosen: [String], given: [(name: String, value: String)], besides configured: [FeedDefinition] = [],
        hasColumns: Bool = false
    ) throws(ConnectorError) -> Connector.Translation {
        let choices = try chosen.map { word throws(ConnectorError) in try choice(word) }
        let values = Dictionary(given.map { ($0.name, $0.value) }, uniquingKeysWith: { $1 })
        let servers = choices.map { APIServer(document, $0.list.servers) }
        try check(given.map(\.name), choices, servers)
        var names = FeedNames(of: configured)
        var result = Connector.Translation()
        try checkNeeds(of: choices, values, servers, configured)
        for (choice, server) in zip(choices, servers) {
            let writer = ListWriter(choice: choice, values: values, base: try server.url(values))
            let members = writer.members(hasColumns: hasColumns)
            if let known = configured.first(where: { .text($0.url.description) == members.first?.value }) {
                result.known.append(known.name)
                continue
            }
            let taken = Set(configured.map(\.name) + result.feeds.map(\.entry.name))
            let name = names.addName(Self.name(of: choice.list.path, besides: taken), orMadeOf: [choice.list.path])
            result.feeds.append(
                .init(
                    stream: choice.list.path, entry: FeedEntry(name: name, members: members), notes: writer.notes,
                    isParent: false))
        }
        return result
    }

    /// The name of the feed for a path: its last part that is not a parameter, or all of them where that is taken.
    private static func name(of path: String, besides taken: Set<String>) -> String {
        let words = path.split(separator: "/").filter { !$0.contains("{") }.map { String($0.prefix { $0 != "." }) }
        let last = words.last ?? "feed"
        return taken.contains(last) ? words.joined(separator: "-") : last
    }

    /// - Throws: `ConnectorError` for a name that none of the lists knows.
    private func check(_ given: [String], _ choices: [Choice], _ servers: [APIServer]) throws(ConnectorError) {
        let known =
            choices.flatMap { $0.list.parameters.map(\.name) + ($0.list.signIn?.schemes.map(\.name) ?? []) }
            + servers.flatMap(\.names)
        for name in given where !known.contains(name) {
            let hint = NearestWord.question(for: name, among: known)
            throw ConnectorError(
                ["nothing that was chosen has a parameter \(name)\(hint)"],
                advice: "its parameters are \(Array(Set(known)).sorted().joined(separator: ", "))", isOfWords: true)
        }
    }

    /// - Throws: `ConnectorError` that names all values that are missing.
    private func checkNeeds(
        of choices: [Choice], _ values: [String: String], _ servers: [APIServer], _ configured: [FeedDefinition]
    ) throws(ConnectorError) {
        var messages: [String] = []
        var words: [String] = []
        for choice in choices {
            let missing = choice.list.needed.filter { values[$0.name] == nil && choice.values[$0.name] == nil }
            guard !missing.isEmpty else { continue }
            messages.append("\(choice.list.path) needs \(missing.map(\.name).joined(separator: ", "))")
            for parameter in missing {
                var value = parameter.example ?? "…"
                if let (parent, key) = parent(of: parameter, in: choice.list.path) {
                    let known = configured.first { $0.url.description.hasSuffix(parent.path) }?.name
                    let feed = known ?? Self.name(of: parent.path, besides: [])
                    value = "{\(feed).\(key.name)}"
                    messages.append(
                        "\(parent.path) lists its values: \(value) makes a list for each row of the feed \(feed)")
                }
                let word = "--set \(Self.quoted("\(parameter.name)=\(value)"))"
                if !words.contains(word) { words.append(word) }
            }
        }
        for server in servers where words.isEmpty || !words.contains(APIServer.advice) {
            guard !server.isKnown(values) else { continue }
            messages.append("the document does not say at which host the API is")
            words.append(APIServer.advice)
        }
        guard !messages.isEmpty else { return }
        throw ConnectorError(messages, advice: words.joined(separator: " "), isOfWords: true)
    }

    /// The list whose key gives the values of a parameter: the one whose path ends in front of it. A parameter may also
    /// take names, so that the key has to be called like it, or `id`, and to be of its type.
    private func parent(
        of parameter: DocumentedParameter, in path: String
    ) -> (list: DocumentedList, key: ColumnDefinition)? {
        guard parameter.place == .path, let range = path.firstRange(of: "/{\(parameter.name)}") else { return nil }
        let list = lists.first { $0.path == path[..<range.lowerBound] }
        guard let list, list.findings.key.count == 1,
            let key = list.findings.columns.first(where: { $0.name == list.findings.key[0] }),
            let name = key.path.lastName.map({ MemberName($0).folded }),
            name == "id" || MemberName(parameter.name).folded.hasSuffix(name)
        else { return nil }
        let isOther = parameter.type == .text && key.type == .integer || parameter.type == .integer && key.type == .text
        return isOther ? nil : (list, key)
    }

    private static func quoted(_ word: String) -> String {
        word.allSatisfy { $0.isLetter || $0.isNumber || "=-_./:…".contains($0) } ? word : "'\(word)'"
    }
}
