internal import YAML

extension FeedEntry.Member {
    /// The discovered settings, as configuration members.
    ///
    /// - Parameters:
    ///   - findings: The discovered settings.
    ///   - definition: The definition without them.
    ///   - hasColumns: True to include the columns; otherwise the key is written as paths.
    /// - Throws: `FeedSyncError` of kind `bug` if the discovered pagination is no YAML.
    package static func members(
        of findings: Findings, for definition: FeedDefinition, hasColumns: Bool
    ) throws(FeedSyncError) -> [FeedEntry.Member] {
        var members: [FeedEntry.Member] = []
        if definition.format == nil, let format = findings.format {
            members.append(Self("format", .text(format.rawValue)))
        }
        if definition.items == nil, let items = findings.items { members.append(Self("items", items.value)) }
        if definition.key.isEmpty, !findings.key.isEmpty {
            let words = findings.key.map { name in
                let column = findings.columns.first { $0.name == name }
                guard !hasColumns, let column, column.path != .memberName
                else { return FeedEntry.Value.text(name) }
                return .text(column.path.description)
            }
            members.append(Self("key", words.count == 1 ? words[0] : .list(words)))
        }
        if hasColumns, definition.hasOpenColumns, !findings.columns.isEmpty {
            members.append(Self("columns", .mapping(findings.columns.map { Self($0.name, $0.value) })))
        }
        if definition.hasOpenPagination, let text = findings.pagination {
            guard let node = try? Node.parse(text, source: "found") else {
                throw FeedSyncError(.bug, "the pagination that was found, `\(text)`, is not YAML")
            }
            members.append(Self("pagination", FeedEntry.Value(node)))
        }
        return members
    }
}

extension ItemsRule {
    /// The path, or `{path, keyed_by}`.
    var value: FeedEntry.Value {
        guard let keyedBy else { return .text(path.description) }
        return .mapping([.init("path", .text(path.description)), .init("keyed_by", .text(keyedBy))])
    }
}

extension ColumnDefinition {
    /// The path, or a mapping with what else the column has.
    var value: FeedEntry.Value {
        var members: [FeedEntry.Member] = []
        if let value = derivation?.value {
            members.append(.init("value", .text(value.description)))
        } else {
            members.append(.init("path", .text(path.description)))
        }
        if let type { members.append(.init("type", .text(type.rawValue))) }
        if case .change(let change)? = derivation {
            if let pattern = change.pattern {
                members.append(.init("replace", .list([.text(pattern), .text(change.replacement)])))
            }
            if let key = change.maskKey {
                members.append(.init("mask", .mapping([.init("hash", .text(CredentialMask.template(key)))])))
            }
        }
        return members.count == 1 && derivation == nil ? .text(path.description) : .mapping(members)
    }
}
