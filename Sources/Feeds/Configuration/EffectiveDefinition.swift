internal import YAML

/// A feed's complete definition: the preset's members and the file's defaults, the values of `with`, and the discovered
/// settings.
package struct EffectiveDefinition: Sendable {
    /// The members, literal credentials as `***`; those that were found have a remark that says so.
    package let entry: FeedEntry

    /// The definition of a feed of a configuration.
    ///
    /// - Parameters:
    ///   - definition: The feed.
    ///   - text: The text of the configuration.
    ///   - file: The configuration's file, where paths start.
    ///   - home: The folder of `~/`.
    ///   - findings: The found settings; nil as long as none was found.
    /// - Throws: `ConfigurationError` if the text or the preset cannot be read any more.
    package init(
        of definition: FeedDefinition, in text: [UInt8], file: String, home: String? = nil, findings: Findings? = nil
    ) throws(ConfigurationError) {
        let node = try Node.ofConfiguration(text, source: file)
        let preset = try definition.presetName.flatMap { name throws(ConfigurationError) in
            try UserPresets(beside: file).named(name)
        }
        let start = Mark(source: file, line: 1, column: 1)
        let feeds = node.map { WrittenFeeds(of: $0, file: file, home: home, log: Diagnostics()).entries } ?? []
        let own = feeds.first { $0.name == definition.owner }?.node ?? Node(.mapping([]), mark: start)
        let written = DefinitionMerge.merge(own, over: preset?.members, defaults: node?["defaults"])
        entry = FeedEntry(
            name: definition.name, members: Self.members(definition, written, findings ?? Findings()))
    }

    /// The order of the members; others come after these.
    private static let order = [
        "for_each", "method", "url", "query", "headers", "body", "auth", "allow_origins", "format", "stream", "items",
        "key",
        "section", "model", "columns", "pagination", "partition", "responses", "sync", "every", "paused", "timeout",
        "retries",
        "max_pages", "max_memory", "rate", "proxy", "ca", "client_certificate", "user_agent", "removed", "ignore",
        "except", "flatten",
        "raw", "missing", "show", "search", "lists", "changes", "keep", "on_change",
    ]

    private static func members(
        _ definition: FeedDefinition, _ written: Node, _ findings: Findings
    ) -> [FeedEntry.Member] {
        // Their values are in the other members.
        let merged: Set<String> = ["preset", "with"]
        let names = (written.pairs ?? []).compactMap(\.key.text).filter { !order.contains($0) && !merged.contains($0) }
        return (order + names).compactMap { name in
            member(name, definition, findings) ?? written[name].flatMap { Self.written(name, $0) }
        }
    }

    /// A member as in the definition, if that is more than the written one.
    private static func member(
        _ name: String, _ definition: FeedDefinition, _ findings: Findings
    ) -> FeedEntry.Member? {
        switch name {
        case "url": .init(name, .text(definition.maskedURL))
        case "query": parameters(name, definition.query)
        case "headers": parameters(name, definition.headers)
        case "format" where definition.format == nil:
            findings.format.map { .init(name, .text($0.rawValue), remark: found) }
        case "items" where definition.items == nil: findings.items.map { .init(name, $0.value, remark: found) }
        case "key" where definition.key.isEmpty && !findings.key.isEmpty:
            .init(name, list(findings.key.map { .text($0) }), remark: found)
        case "columns": columns(definition, findings)
        case "pagination" where definition.hasOpenPagination: pagination(findings)
        case "sync" where definition.sync == .auto: .init(name, .mapping([.init("mode", .text("auto"))]))
        case "every": definition.every.map { .init(name, .text(DurationText.text($0))) }
        case "timeout": .init(name, .text(DurationText.text(definition.timeout)))
        case "retries": .init(name, .plain("\(definition.retries)"))
        case "max_pages": definition.maxPages.map { .init(name, .plain("\($0)")) }
        case "max_memory" where definition.memory != .standard:
            .init(name, .text(SizeText.text(definition.memory.most)))
        case "raw": .init(name, .plain("\(definition.keepsRaw)"))
        case "rate": definition.connection.rate.map { .init(name, .text($0.description)) }
        case "proxy": definition.connection.proxy.map { .init(name, .text(CredentialMask.proxy($0))) }
        case "ca": definition.connection.authorities.map { .init(name, .text($0.path)) }
        case "client_certificate": definition.connection.clientCertificate.map { .init(name, certificate($0)) }
        case "user_agent": definition.connection.userAgent.map { .init(name, .text($0)) }
        default: nil
        }
    }

    private static let found = "found"

    private static func certificate(_ certificate: ConnectionRule.ClientCertificate) -> FeedEntry.Value {
        let others = [
            certificate.key.map { FeedEntry.Member("key", .text($0.path)) },
            certificate.password.map { FeedEntry.Member("password", .text(CredentialMask.template($0))) },
        ].compactMap(\.self)
        return .mapping([.init("certificate", .text(certificate.certificate.path))] + others)
    }

    private static func columns(_ definition: FeedDefinition, _ findings: Findings) -> FeedEntry.Member? {
        let known = Set(definition.columns.map(\.path))
        let given = definition.columns.map { FeedEntry.Member($0.name, $0.value) }
        let new = findings.columns.filter { !known.contains($0.path) }.map {
            FeedEntry.Member($0.name, $0.value, remark: found)
        }
        return given.isEmpty && new.isEmpty ? nil : .init("columns", .mapping(given + new))
    }

    private static func pagination(_ findings: Findings) -> FeedEntry.Member {
        guard let text = findings.pagination, let node = try? Node.parse(text, source: found) else {
            return .init("pagination", .text("auto"), remark: "not found yet")
        }
        return .init("pagination", FeedEntry.Value(node), remark: found)
    }

    private static func parameters(_ name: String, _ parameters: [NamedTemplate]) -> FeedEntry.Member? {
        guard !parameters.isEmpty else { return nil }
        let shown = parameters.map { parameter in
            let isSecret = SecretName.matches(parameter.name)
            let text = isSecret ? CredentialMask.template(parameter.value) : parameter.value.description
            return (name: parameter.name, value: text)
        }
        return .init(name, .mapping(FeedEntry.Member.parameters(shown)))
    }

    private static func list(_ values: [FeedEntry.Value]) -> FeedEntry.Value {
        values.count == 1 ? values[0] : .list(values)
    }

    /// A member as it is written, credentials masked.
    private static func written(_ name: String, _ node: Node) -> FeedEntry.Member? {
        switch name {
        case "auth": .init(name, CredentialMask.values(node, named: name, isCredential: true))
        case "body": .init(name, CredentialMask.values(node, named: name, isCredential: false))
        default: .init(name, FeedEntry.Value(node))
        }
    }
}
