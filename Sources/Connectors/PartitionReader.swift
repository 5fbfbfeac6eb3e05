internal import Feeds
internal import YAML

/// Reads the lists that a stream has: one for each row of another stream, or for each value of a list.
struct PartitionReader {
    /// The evaluator, which knows the values of the lists once they are read.
    private(set) var evaluator: Evaluator

    mutating func read(
        _ router: Component, into feed: inout TranslatedFeed,
        _ parent: (Component, Path) throws(ConnectorFault) -> (feed: TranslatedFeed, column: String)
    ) throws(ConnectorFault) {
        let routers = try router.elements()
        guard let only = routers.first else { return }
        for each in routers { try each.refuseCode() }
        guard routers.count == 1 else {
            throw router.fault(.partitions, "it has a list for each pair of values of \(routers.count) lists")
        }
        switch only.type {
        case "SubstreamPartitionRouter": try readParent(only, into: &feed, parent)
        case "ListPartitionRouter": try readValues(only, into: &feed)
        case let type: throw only.fault(.partitions, "its lists come from a `\(type ?? "")`")
        }
    }

    private mutating func readParent(
        _ router: Component, into feed: inout TranslatedFeed,
        _ parent: (Component, Path) throws(ConnectorFault) -> (feed: TranslatedFeed, column: String)
    ) throws(ConnectorFault) {
        let parents = try router.member("parent_stream_configs")?.elements() ?? []
        guard parents.count == 1, let rule = parents.first, let stream = try rule.member("stream"),
            let keyComponent = try rule.member("parent_key"), let key = try evaluator.literal(keyComponent)
        else { throw router.fault(.partitions, "it has a list for each row of \(parents.count) streams") }
        guard let name = try evaluator.literal(try rule.member("partition_field")) else {
            throw rule.fault(.partitions, "its `partition_field` is empty")
        }
        guard !key.contains("*") else {
            throw rule.fault(.partitions, "it has a list for each element of a row's `\(key)`")
        }
        let (above, column) = try parent(stream, Self.path(key))
        guard above.each.isEmpty else {
            throw rule.fault(.partitions, "its parent \(above.stream) is one feed for each value")
        }
        feed.parent = above.name
        let words = ConfigurationWords(reference: "{\(above.name).\(column)}")
        evaluator.partition.values[name] = .text(words)
        evaluator.partition.parents = above.partitionValues
        for field in try rule.member("extra_fields")?.elements() ?? [] {
            let steps = try evaluator.literals(field).map { $0 ?? "" }
            let path = Path(steps.map { .member($0) })
            let extra = try parent(stream, path).column
            evaluator.partition.extras[steps.joined(separator: ".")] = .text(
                ConfigurationWords(reference: "{\(above.name).\(extra)}"))
        }
        feed.partitionValues = evaluator.partition.values
        for column in above.columns where column.type != nil {
            feed.parentTypes["{\(above.name).\(column.name)}"] = column.type
        }
        if let option = try rule.member("request_option") { try feed.inject(words, option, evaluator) }
    }

    /// A key of nested members is written with dots or slashes.
    private static func path(_ key: String) -> Path {
        Path(key.split { $0 == "." || $0 == "/" }.map { .member(String($0)) })
    }

    private mutating func readValues(_ router: Component, into feed: inout TranslatedFeed) throws(ConnectorFault) {
        guard case .list(let values) = try evaluator.value(try router.member("values")), !values.isEmpty else {
            throw router.fault(.partitions, "the values of its lists are not known")
        }
        guard let name = try evaluator.literal(try router.member("cursor_field")) else {
            throw router.fault(.partitions, "its `cursor_field` is empty")
        }
        guard values.allSatisfy({ $0.words?.literal.map { !$0.isEmpty } ?? false }) else {
            throw router.fault(.partitions, "the values of its lists are not known")
        }
        feed.each = values
        let words = ConfigurationWords(reference: "{each}")
        evaluator.partition.values[name] = .text(words)
        if let option = try router.member("request_option") { try feed.inject(words, option, evaluator) }
    }
}
