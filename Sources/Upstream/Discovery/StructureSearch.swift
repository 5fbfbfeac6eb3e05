internal import HTTP

/// The items, key and columns of one page.
struct StructureSearch {
    private(set) var findings = Findings()
    private(set) var evidence: [Evidence] = []
    /// The page by the rule that was given or found.
    let reading: PageReading
    /// The place of the items.
    let items: ItemsRule
    /// True if the body is one item rather than a list.
    let isSingle: Bool
    /// True if the items were given, are the body, or have a usual name.
    let isNamed: Bool
    /// The paths of the key's columns.
    private(set) var keyPaths: [Path] = []
    /// The feed's resource, for the search of its key.
    private var resource: String?

    /// Discovers the settings that the definition leaves open.
    ///
    /// - Parameters:
    ///   - others: Items of another page, which the key must distinguish, too.
    ///   - place: The path of the items, among the possible ones; nil for the best one.
    ///   - format: The original format of the body, before its conversion to JSON.
    ///   - isOrdered: True if the order of an item's members is the upstream's own.
    /// - Throws: `FeedSyncError` of kind `configuration` if the page has no items, or no key.
    init(
        _ definition: FeedDefinition, body: JSONValue, url: WebURL, others: [ItemsCandidate.Item] = [],
        place: Path? = nil, format: FeedFormat = .json, isOrdered: Bool = true
    ) throws(FeedSyncError) {
        if definition.format == nil, format != .json {
            findings.format = format
            evidence.append(Evidence(.format, .certain, found: format.rawValue, "the body is \(format.words)"))
        }
        let candidate =
            definition.items == nil
            ? ItemsSearch.best(in: body, url: url, at: place, isTable: format == .csv) : nil
        guard let rule = definition.items ?? candidate.map({ Self.rule(for: $0, besides: definition) }) else {
            throw DiscoveryFault.noItems(in: body)
        }
        guard let reading = PageReading(body, items: rule) else {
            throw DiscoveryFault.noItems(at: rule.path, in: body)
        }
        items = rule
        self.reading = reading
        isSingle = candidate?.shape == .single
        isNamed = candidate.map { $0.isNamed || $0.path.segments.isEmpty } ?? true
        if let candidate {
            findings.items = rule
            let isClear = candidate.score >= 6 && candidate.rival == nil
            let certainty: Evidence.Certainty = place != nil || isClear ? .certain : .likely
            var doubt = candidate.rival.map { "; `\($0)` could also be the items" } ?? ""
            if place != nil { doubt = "; the second page has it too, and has nothing else that could be the items" }
            evidence.append(Evidence(.items, certainty, found: rule.description, Self.words(for: candidate) + doubt))
        }
        let lastPart = url.path.split(separator: "/").last.map { String($0.prefix { $0 != "." }) }
        // The list's own name is that of its elements, unless every list may have that name.
        let resource = candidate?.name.flatMap { ItemsNames.isUsual($0) ? nil : $0 } ?? lastPart
        try findKey(definition, candidate, resource, others, isOrdered: isOrdered)
        findColumns(definition)
    }

    private static func rule(for candidate: ItemsCandidate, besides definition: FeedDefinition) -> ItemsRule {
        guard case .members = candidate.shape else { return ItemsRule(path: candidate.path) }
        let taken = Set(candidate.items.flatMap { $0.members.names.map { $0.lowercased() } })
            .union(definition.columns.map { $0.name.lowercased() })
        let free = ["key", "member_name"].first { !taken.contains($0) }
        let numbered = (2...taken.count + 2).lazy.map { "member_name_\($0)" }.first { !taken.contains($0) }
        return ItemsRule(path: candidate.path, keyedBy: free ?? numbered ?? "member_name_1")
    }

    private static func words(for candidate: ItemsCandidate) -> String {
        let place = candidate.path.segments.isEmpty ? "the body" : "`\(candidate.path)`"
        let count = candidate.items.count.counted("object")
        switch candidate.shape {
        case .array: return "\(place) is a list of \(count)"
        case .emptyArray: return "\(place) is an empty list"
        case .members: return "\(place) is an object whose members are \(count) of one kind"
        case .single: return "\(place) is one object, not a list in it looks like items"
        }
    }

    private mutating func findKey(
        _ definition: FeedDefinition, _ candidate: ItemsCandidate?, _ resource: String?,
        _ others: [ItemsCandidate.Item],
        isOrdered: Bool
    ) throws(FeedSyncError) {
        if let name = items.keyedBy, !definition.columns.contains(where: { $0.path == .memberName }) {
            findings.columns.append(ColumnDefinition(name: name, path: .memberName, type: .text))
        }
        guard definition.key.isEmpty else {
            keyPaths = definition.key.compactMap { name in definition.columns.first { $0.name == name }?.path }
            return
        }
        // An empty page shows no key, and is no fault.
        guard !reading.items.isEmpty else {
            evidence.append(Evidence(.key, .nothing, "the page has no items to find a key in"))
            return
        }
        // The readers of Atom and RSS give each entry an id; one that comes twice is a version of the other.
        if [.atom, .rss].contains(definition.format ?? findings.format ?? .json),
            reading.items.allSatisfy({ $0.members["id"]?.isScalar == true })
        {
            keyPaths = [Path([.member("id")])]
            evidence.append(Evidence(.key, .certain, found: "id", "entries are identified by their ids"))
            return
        }
        let found = KeySearch.key(
            of: reading.items + others, on: others.isEmpty ? "the page" : "two pages", resource: resource,
            preferred: Set(definition.columns.map(\.path)), isSingle: candidate?.shape == .single,
            isOrdered: isOrdered)
        self.resource = resource
        // Names that only number the members begin anew on the next page.
        let isNumbered = candidate?.shape == .members(isNumbered: true)
        if items.keyedBy != nil, !isNumbered || found.paths.isEmpty {
            keyPaths = [.memberName]
            evidence.append(
                Evidence(.key, .certain, found: items.keyedBy, "the names of the members identify the items"))
        } else {
            guard !found.paths.isEmpty || candidate?.shape != .single && reading.isList else {
                throw DiscoveryFault.noKey(found.reason, of: candidate?.shape == .single ? reading.body : nil)
            }
            keyPaths = found.paths.isEmpty ? [.itemHash] : found.paths
            let shown = keyPaths.map(\.description)
            let reason =
                found.paths.isEmpty
                ? "\(found.reason); the key is a hash of the item, so an item that changes becomes a new one"
                : found.reason
            evidence.append(
                Evidence(
                    .key, found.certainty,
                    found: shown.count == 1 ? shown[0] : "[\(shown.joined(separator: ", "))]", reason))
        }
    }

    /// The columns: all of the items' members if that is open, else only those of the key.
    private mutating func findColumns(_ definition: FeedDefinition) {
        let given = definition.columns + findings.columns
        var columns = given
        if definition.hasOpenColumns {
            var shape = ItemShape(definition.found)
            for item in reading.items { shape.add(item.members) }
            let inferred = shape.allColumns(extending: given, fixed: Set(given.map(\.name)))
            columns = inferred.all
            let dropped = inferred.passedOver > 0 ? "; \(inferred.passedOver) more members have no column" : ""
            if !reading.items.isEmpty {
                evidence.append(
                    Evidence(
                        .columns, .certain, found: "\(columns.count)",
                        "the items have \(columns.count.counted("column"))\(dropped)"))
            } else {
                evidence.append(Evidence(.columns, .nothing, "the page has no items to find columns in"))
            }
        }
        if definition.key.isEmpty {
            for path in keyPaths where !columns.contains(where: { $0.path == path }) {
                let names = ColumnNames.columnNames(for: columns.map(\.name) + [path.columnName])
                columns.append(ColumnDefinition(name: names.last ?? path.columnName, path: path))
            }
            findings.key = keyPaths.compactMap { path in columns.first { $0.path == path }?.name }
        }
        findings.columns = Array(columns.dropFirst(definition.columns.count))
    }
}

extension StructureSearch {
    /// True if the key of the first page's items does not hold on another page.
    ///
    /// An id that occurs again is the same item, perhaps changed; two items of one id on one page are two. Any other
    /// value that occurs again, with little else alike, is no key.
    func isRefuted(by second: PageReading) -> Bool {
        guard !findings.key.isEmpty, ![[.memberName], [.itemHash]].contains(keyPaths) else { return false }
        let isOwn = keyPaths.contains { KeyName.rank($0, resource: resource).name <= .wrappedIdentifier }
        let isLike = { (one: JSONObject, other: JSONObject) in isOwn ? self.isLike(one, other) : false }
        var known: [String: JSONObject] = [:]
        for item in second.items {
            guard let key = item.key(keyPaths) else { continue }
            if let other = known.updateValue(item.members, forKey: key), !isLike(other, item.members) { return true }
        }
        guard !isOwn else { return false }
        // An item that moved from page to page between the requests has the same members.
        return reading.items.contains { item in
            item.key(keyPaths).flatMap { known[$0] }.map {
                PlainItem.content($0) != PlainItem.content(item.members)
            } ?? false
        }
    }

    /// True if at least half of two items' members besides their key are equal.
    private func isLike(_ one: JSONObject, _ other: JSONObject) -> Bool {
        let ownNames = Set(keyPaths.compactMap { if case .member(let name)? = $0.segments.first { name } else { nil } })
        let names = Set(one.names).union(other.names).subtracting(ownNames)
        return 2 * names.count { one[$0] == other[$0] } >= names.count
    }
}

extension StructureSearch {
    /// The path of a key that is one value of the item; nil for another key.
    var singleKey: Path? { keyPaths.count == 1 && keyPaths != [.memberName] ? keyPaths[0] : nil }

    /// True if a page has the items of the first one in their order.
    func isSamePage(_ other: PageReading) -> Bool { other.keys(keyPaths) == reading.keys(keyPaths) }

    /// A hash of the keys of the page's items.
    var hashOfKeys: String {
        var hash = ContentHash()
        for key in reading.keys(keyPaths) { hash.add(key.utf8) }
        return hash.digits
    }
}
