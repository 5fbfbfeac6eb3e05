internal import Platform
internal import Text
internal import YAML

/// The feeds of a configuration as they are written: those of its file and of the files that it includes, each feed of
/// an `each` by itself.
struct WrittenFeeds {
    /// The feeds, in order.
    private(set) var entries: [FeedReader.Entry] = []
    private let log: Diagnostics

    /// The most feeds of one `each`, and the most files that are included.
    private static let most = 10_000

    /// The feeds of a configuration's text, in spite of other faults.
    init(of root: Node, file: String, home: String?, log: Diagnostics) {
        self.init(feeds: root["feeds"], include: root["include"], file: file, home: home, log: log)
    }

    /// The feeds below `feeds`, then those of the files that `include` names, relative to the file.
    init(feeds: Node?, include: Node?, file: String, home: String?, log: Diagnostics) {
        self.log = log
        add(feeds)
        guard let include else { return }
        for node in include.elements ?? [include] {
            guard let pattern = node.text, !node.isNull else {
                log.report(
                    "`include` must be a path, or a list of them, not \(node.kind)", at: SourcePosition(node.mark))
                continue
            }
            self.include(pattern, from: file, home: home, at: node)
        }
    }

    /// Adds the feeds below `feeds`.
    private mutating func add(_ node: Node?) {
        // `feeds:` with nothing below is how a new file begins.
        guard let node, !node.isNull else { return }
        for entry in MappingDecoder(node, of: "`feeds`", log: log).entries() {
            let position = SourcePosition(entry.key.mark)
            guard let list = entry.value["each"] else {
                entries.append(FeedReader.Entry(name: entry.name, position: position, node: entry.value))
                continue
            }
            addEach(of: list, entry.name, entry.value, at: position)
        }
    }

    /// Adds the feeds of the files that a pattern names, in the order of their names.
    private mutating func include(_ pattern: String, from file: String, home: String?, at node: Node) {
        let position = SourcePosition(node.mark)
        let path = FilePath.resolve(pattern, in: FilePath.folder(of: file), home: home)
        let files = Self.files(path)
        guard files.count <= Self.most else {
            return log.report("`include` names more than 10,000 files", at: position)
        }
        guard !files.isEmpty || Self.isPattern(path) else {
            return log.report("`include`: there is no file \(path)", at: position, word: pattern)
        }
        for file in files {
            if let status = FileStatus(of: file), !status.isWritable() {
                log.report(
                    "is included, and can be written by others; run chmod go-w \(ShellWord.quoted(file))",
                    at: SourcePosition(file: file))
                continue
            }
            do throws(ConfigurationError) {
                let bytes = try Configuration.bytes(of: file, isOwn: true)
                // A file without anything in it has no feeds.
                guard let root = try Node.ofConfiguration(bytes, source: file) else { continue }
                let members = MappingDecoder(root, of: "an included file", log: log)
                add(members.node("feeds"))
                members.finish()
            } catch {
                error.diagnostics.forEach(log.add)
            }
        }
    }

    /// The paths, or patterns of them, that `include` names.
    static func includes(_ include: Node?, from file: String, home: String?) -> [String] {
        guard let include else { return [] }
        return (include.elements ?? [include]).compactMap(\.text).filter { !$0.isEmpty }.map {
            FilePath.resolve($0, in: FilePath.folder(of: file), home: home)
        }
    }

    private static func isPattern(_ path: String) -> Bool { path.contains { "*?[".contains($0) } }

    /// The files that a pattern names, in order.
    static func files(_ pattern: String) -> [String] {
        var found = glob_t()
        defer { globfree(&found) }
        guard glob(pattern, 0, nil, &found) == 0 else { return [] }
        return (0..<Int(found.gl_pathc)).compactMap { found.gl_pathv[$0].map { String(cString: $0) } }
    }
}

extension WrittenFeeds {
    /// Adds a feed for each value, or each mapping of values, of a list.
    private mutating func addEach(of list: Node, _ name: String, _ feed: Node, at position: SourcePosition) {
        let subject = "`each` of feed `\(name)`"
        guard let elements = list.elements, !elements.isEmpty, elements.count <= Self.most else {
            return log.report(
                "\(subject) must be a list of values, or of mappings, with at most 10,000 of them",
                at: SourcePosition(list.mark))
        }
        for element in elements {
            var values: [String: String] = [:]
            if let text = element.text, !element.isNull { values["each"] = text }
            for pair in element.pairs ?? [] {
                if let key = pair.key.text, let text = pair.value.text { values[key] = text }
            }
            guard !values.isEmpty, element.elements == nil else {
                log.report(
                    "\(subject) must be a list of values, or of mappings of values", at: SourcePosition(element.mark))
                continue
            }
            let own = Substitution(values: values)
            let isNamed = values.keys.contains { name.contains("{\($0)}") }
            guard isNamed || values["each"] != nil else {
                return log.report(
                    "the feed `\(name)` has an `each`, so its name must have one of its words, as in `\(name)-{word}`",
                    at: position)
            }
            entries.append(
                FeedReader.Entry(
                    name: own.name(isNamed ? name : "\(name)-{each}"), position: position,
                    node: own.node(feed.without("each"))))
        }
    }

    /// Puts values in the place of words in braces.
    private struct Substitution {
        let values: [String: String]

        func text(_ text: String, _ coded: (_ value: String, _ before: String) -> String = { value, _ in value })
            -> String
        {
            BracedWords.replaced(in: text) { word, before in
                // `${NAME}` is a reference, not a word of the list.
                before.last == "$" ? nil : values[String(word)].map { coded($0, before) }
            }
        }

        /// A permitted name of a feed: other characters become `-`.
        func name(_ pattern: String) -> String {
            text(pattern) { value, _ in
                String(value.map { $0.isASCII && ($0.isLetter || $0.isNumber) || $0 == "_" ? $0 : "-" })
            }
        }

        func node(_ node: Node, isURL: Bool = false) -> Node {
            switch node.content {
            case .scalar(let scalar):
                let text =
                    isURL
                    ? text(scalar.text) { value, before in URLPart(after: before).encoded(value) } : text(scalar.text)
                guard text != scalar.text else { return node }
                return Node(.scalar(Scalar(text, style: scalar.style)), mark: node.mark)
            case .sequence(let elements):
                return Node(.sequence(elements.map { self.node($0) }), mark: node.mark)
            case .mapping(let pairs):
                let members = pairs.map { pair in
                    Node.Pair(key: pair.key, value: self.node(pair.value, isURL: pair.key.text == "url"))
                }
                return Node(.mapping(members), mark: node.mark)
            }
        }
    }
}

extension Node {
    /// A mapping without a member.
    func without(_ name: String) -> Node {
        guard let pairs else { return self }
        return Node(.mapping(pairs.filter { $0.key.text != name }), mark: mark)
    }
}
