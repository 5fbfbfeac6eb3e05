internal import Feeds
internal import YAML

/// Reads the columns and the key of a stream: the properties of its schema, as the connector changes them.
struct ColumnReader {
    let stream: Component
    let schema: StreamSchema
    let evaluator: Evaluator

    func read(into feed: inout TranslatedFeed) throws(ConnectorFault) {
        feed.columns = schema.columns
        try readTransformations(into: &feed)
        let added = try addedMembers
        for element in try stream.member("primary_key")?.elements() ?? [] {
            let segments = try evaluator.literals(element).compactMap(\.self).map(Path.Segment.member)
            // A column that the connector adds from the parent's key is part of the table's key anyway.
            if let first = segments.first, !added.contains(first) { feed.key.append(Path(segments)) }
        }
    }

    /// The members that the connector adds to items.
    var addedMembers: [Path.Segment] {
        get throws(ConnectorFault) {
            var names: [Path.Segment] = []
            for transformation in try stream.member("transformations")?.elements() ?? [] {
                for field in try transformation.member("fields")?.elements() ?? [] {
                    guard let first = try field.member("path")?.elements().first else { continue }
                    if let name = try evaluator.literal(first) { names.append(.member(name)) }
                }
            }
            return names
        }
    }

    private func readTransformations(into feed: inout TranslatedFeed) throws(ConnectorFault) {
        for transformation in try stream.member("transformations")?.elements() ?? [] {
            try transformation.refuseCode()
            switch transformation.type {
            case "RemoveFields": try readRemoved(transformation, into: &feed)
            case "AddFields": try readAdded(transformation, into: &feed)
            case let type:
                throw transformation.fault(.items, "its items are changed by `\(type ?? "a transformation")`")
            }
        }
    }

    private func readRemoved(_ transformation: Component, into feed: inout TranslatedFeed) throws(ConnectorFault) {
        for pointer in try transformation.member("field_pointers")?.elements() ?? [] {
            let steps = try evaluator.literals(pointer).map { Path.Segment.member($0 ?? "") }
            let count = feed.columns.count
            feed.columns.removeAll { $0.path.segments == steps }
            if count == feed.columns.count, !steps.isEmpty {
                feed.notes.append("`\(Path(steps))`, which the connector removes, stays")
            }
        }
    }

    private func readAdded(_ transformation: Component, into feed: inout TranslatedFeed) throws(ConnectorFault) {
        for field in try transformation.member("fields")?.elements() ?? [] {
            let steps = try evaluator.literals(try field.member("path")).map { Path.Segment.member($0 ?? "") }
            let before = feed.columns.first { $0.path.segments == steps }
            let named = [try field.member("value_type")?.text]
            let type = ColumnType(schemaTypes: ColumnType.schemaTypes(named), format: nil)
            if let column = try addedColumn(steps, field.member("value"), before, type: type, in: feed) {
                feed.columns.removeAll { $0 == before }
                feed.columns.append(column)
                continue
            }
            let value = try field.member("value")?.text ?? ""
            let isOfParent = value.contains("stream_partition") || value.contains("stream_slice")
            let own = feed.parent.map { "; the key of \($0) is in columns of its own" } ?? ""
            feed.columns.removeAll { $0.path.segments == steps }
            feed.notes.append(
                "there is no `\(Path(steps))`, which the connector sets to \(Excerpt.quoted(value, limit: 80))"
                    + (isOfParent ? own : ""))
        }
    }

    /// The column for a member that the connector adds: a value that is known, or that of the parent's row, or a copy
    /// of another member; nil for anything else.
    private func addedColumn(
        _ steps: [Path.Segment], _ value: Component?, _ before: TranslatedFeed.Column?, type given: ColumnType?,
        in feed: TranslatedFeed
    ) throws(ConnectorFault) -> TranslatedFeed.Column? {
        guard let value, steps.count == 1, case .member(let name)? = steps.first, !name.isEmpty else { return nil }
        if let text = value.text, let path = try? ExpressionText(text).only?.pathInRecord {
            // A path closes the list of columns, which is not known without a schema.
            let same = feed.columns.first { $0.path == path }
            let type = given ?? before?.type ?? same?.type
            return feed.columns.isEmpty ? nil : .init(name: name, path: path, type: type)
        }
        guard let known = try? evaluator.value(value), known.isLasting else { return nil }
        // The connector reads what it has put together as a literal of Python.
        let literal = given == .text ? known : known.withoutQuotes
        guard let entry = literal.entryValue else { return nil }
        return .init(
            name: name, path: .given, type: type(of: literal, in: value, given, feed.parentTypes), value: entry)
    }

    /// The type of an added value: the one that the connector names, else the one that it converts the value to, else
    /// that of the parent's column. A constant has the type that it is written as.
    private func type(
        of known: ConnectorValue, in value: Component, _ given: ColumnType?, _ parentTypes: [String: ColumnType]
    ) -> ColumnType? {
        guard case .text(let words) = known else { return nil }
        guard words.literal == nil else { return given == .text ? nil : given }
        let made = value.text.flatMap { try? ExpressionText($0).only?.madeType }
        return given ?? made ?? words.onlyReference.flatMap { parentTypes[$0] }
    }
}

extension ConnectorValue {
    /// True for a single value that does not depend on the time of a request and is not a secret.
    fileprivate var isLasting: Bool {
        switch self {
        case .flag, .number: true
        case .text(let words):
            words.pieces.allSatisfy { piece in
                guard case .reference(let text) = piece else { return true }
                return !["${", "{now", "{today"].contains(where: text.hasPrefix)
            }
        default: false
        }
    }

    /// The text between quotes; any other value is as it is.
    fileprivate var withoutQuotes: ConnectorValue {
        guard case .text(let words) = self, case .literal(let first)? = words.pieces.first, first.hasPrefix("\""),
            case .literal(let last)? = words.pieces.last, last.hasSuffix("\""), words.pieces.count > 1 || last.count > 1
        else { return self }
        let withoutLast = words.mapped(at: words.pieces.count - 1) { String($0.dropLast()) }
        return .text(withoutLast.mapped(at: 0) { String($0.dropFirst()) })
    }
}

extension ConfigurationWords {
    /// The reference, where the text is nothing else.
    fileprivate var onlyReference: String? {
        guard pieces.count == 1, case .reference(let text)? = pieces.first else { return nil }
        return text
    }
}

extension Expression {
    /// The type that the outermost filter makes of a value, as in `{{ record.x | int }}`; nil without one.
    fileprivate var madeType: ColumnType? {
        guard case .filter(_, let name, _) = self else { return nil }
        return ["int": .integer, "float": .real, "string": .text][name]
    }

    /// The path of a member of the item, as in `record['owner']['login']`; nil for anything else.
    fileprivate var pathInRecord: Path? {
        guard case .member(let object, let name) = self else { return nil }
        if case .name("record") = object { return Path([.member(name)]) }
        return object.pathInRecord.map { Path($0.segments + [.member(name)]) }
    }
}
