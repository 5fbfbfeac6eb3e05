/// The key that a definition gives, compared with the items of a page.
struct GivenKey {
    private let names: [String]
    private let paths: [Path]
    private let items: [ItemsCandidate.Item]
    /// True if items of one key may differ: one of them says that it is gone, they differ in ignored members, or they
    /// are versions of an entry.
    private let mayDiffer: Bool

    /// The key of a definition; nil if it gives none that can be examined, or the page has no items.
    init?(_ definition: FeedDefinition, _ items: [ItemsCandidate.Item], format: FeedFormat? = nil) {
        names = definition.key
        paths = names.compactMap { name in definition.columns.first { $0.name == name }?.path }
        self.items = items
        mayDiffer =
            definition.removed != nil || !definition.ignore.isEmpty
            || [.atom, .rss].contains(definition.format ?? format ?? .json)
        guard !names.isEmpty, paths.count == names.count, !items.isEmpty, !paths.contains(.itemHash) else { return nil }
    }

    /// The error for a name that no item has, or a key that different items share; nil for a key that holds.
    var fault: FeedSyncError? {
        if let missing = paths.first(where: { path in items.allSatisfy { $0.value(at: path) == nil } }) {
            return FeedSyncError(
                .configuration, "no item has `\(missing)`, which is to be its key", advice: advice(insteadOf: missing))
        }
        guard let key = sharedKey else { return nil }
        return FeedSyncError(
            .configuration,
            "different items of the page have the same key: \(names.inBackticks()) "
                + "is \(key) in several of them",
            advice: better.map { "the page's items differ in `key: \($0)`" } ?? "use `key: $hash`")
    }

    /// The key that identifies the items although the given one does not; nil if the given one does, or none is found.
    var better: String? {
        guard sharedKey != nil else { return nil }
        let found = KeySearch.key(of: items).paths.map(\.description)
        return found.isEmpty ? nil : found.count == 1 ? found[0] : "[\(found.joined(separator: ", "))]"
    }

    /// The first key, as JSON, that two items of different content have.
    private var sharedKey: String? {
        guard !mayDiffer else { return nil }
        var known: [String: JSONObject] = [:]
        for item in items {
            let values = paths.compactMap { item.value(at: $0) }
            guard values.count == paths.count else { continue }
            let key = values.map(\.json).joined(separator: ", ")
            if let other = known.updateValue(item.members, forKey: key), other != item.members { return key }
        }
        return nil
    }

    private func advice(insteadOf path: Path) -> String {
        let all = items.first?.members.names ?? []
        let nearest = path.lastName.flatMap { NearestWord.suggestion(for: $0, among: all) }
        if let nearest { return "`\(nearest)` is the nearest name that an item has" }
        return "the first item has \(all.prefix(8).inBackticks(joinedBy: ", "))"
    }
}
