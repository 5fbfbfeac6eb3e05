internal import YAML

extension MappingDecoder {
    /// The feed's `partition`; nil where there is none, and for one that is wrong.
    func partitionScheme(_ name: String) -> PartitionScheme? {
        guard let members = reader(name) else { return nil }
        defer { members.finish() }
        members.require("query", #"say what to add to a query parameter, as in `query: {q: "created:{from}..{to}"}`"#)
        members.require("by", "say what its partitions are ranges of: `date`, `time` or `number`")
        members.require("path", "say where in an item that value is")
        members.require("from", "say where the oldest partition begins")
        let qualifiers = members.qualifiers("query")
        let unit = members.choice("by", PartitionUnit.self)
        let path = members.path("path")
        let total = members.path("total")
        let cap = members.integer("cap", in: 1...Int.max)
        guard let unit else {
            _ = (members.has("from"), members.has("to"), members.has("widest"))
            return nil
        }
        if unit == .number { members.require("to", "numbers need a last value") }
        let first = members.value("from", of: unit)
        let last = members.value("to", of: unit)
        let widest = members.width("widest", of: unit)
        if let first, let last, last < first {
            members.report("`to` of \(members.subject) comes before `from`", at: "to")
        }
        guard let first, let path, !qualifiers.isEmpty else { return nil }
        return PartitionScheme(
            qualifiers: qualifiers, path: path, unit: unit, total: total, cap: cap,
            blocks: FeedBlocks(first: first, last: last, widest: widest))
    }

    /// The number of values that one request may ask for: a period for dates and times.
    private func width(_ name: String, of unit: PartitionUnit) -> Int? {
        guard unit != .number else { return integer(name, in: 1...PartitionUnit.furthest) }
        let step: Int64 = unit == .date ? 86_400 : 1
        return duration(name, in: .seconds(step)...FeedDefinition.longestTime).map {
            Int(clamping: $0.components.seconds / step)
        }
    }

    private func qualifiers(_ name: String) -> [PartitionScheme.Qualifier] {
        guard let members = reader(name) else { return [] }
        let qualifiers = members.entries().compactMap { _, parameter, value in
            members.string(parameter, value).map { PartitionScheme.Qualifier(parameter: parameter, template: $0) }
        }
        let text = qualifiers.map(\.template).joined()
        if has(name), !text.contains("{from}") || !(text.contains("{to}") || text.contains("{end}")) {
            report(
                "`\(name)` of \(subject) must have `{from}`, and `{to}` or `{end}` where the last value itself is not served",
                at: name)
        }
        return qualifiers
    }

    private func value(_ name: String, of unit: PartitionUnit) -> Int? {
        let example =
            unit == .number
            ? "a whole number" : "a \(unit.rawValue) such as `\(unit.text(unit == .date ? 13_879 : 1_199_145_600))`"
        return value(name, expected: example, unit.value(of:))
    }
}

extension PartitionScheme {
    /// Reports conflicts with the rest of a feed.
    func check(_ feed: FeedDefinition, _ members: MappingDecoder) {
        let subject = "`partition` of feed `\(feed.name)`"
        if feed.hasOpenPagination {
            members.report(
                "\(subject) needs a `pagination` for the pages of a partition, or `none` where each has one page",
                at: "partition")
        }
        if case .since(let rule) = feed.sync, rule.windows != nil {
            members.report("\(subject) and the windows of `sync` divide the same list: leave one out", at: "partition")
        }
        let url = feed.url.description
        for name in qualifiers.map(\.parameter) {
            if feed.pagination.cursorParameters.contains(name) {
                members.report("\(subject) has `\(name)`, which its pagination sets", at: "partition")
            }
            if feed.authentication?.queryNames.contains(name) == true {
                members.report("\(subject) has `\(name)`, which its `auth` sets", at: "partition")
            }
            if url.contains("?\(name)=") || url.contains("&\(name)=") {
                members.report("\(subject) has `\(name)`, which is in `url`: move it to `query`", at: "partition")
            }
            if feed.query.contains(where: { $0.name == name && !$0.value.isLiteral }) {
                members.report("\(subject) has `\(name)`, which has a reference in `query`", at: "partition")
            }
        }
    }
}
