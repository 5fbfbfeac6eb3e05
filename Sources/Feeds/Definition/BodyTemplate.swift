internal import YAML

/// The method of a feed's requests: all of them only read.
package enum RequestMethod: String, Sendable, Hashable, CaseIterable {
    case get = "GET"
    /// A request with a body, for APIs that take a query in it.
    case post = "POST"
    /// WebDAV's report of a collection (https://www.rfc-editor.org/rfc/rfc3253#section-3.6).
    case report = "REPORT"
    /// WebDAV's properties of a collection's members (https://www.rfc-editor.org/rfc/rfc4918#section-9.1).
    case propfind = "PROPFIND"
}

/// The body of a feed's requests, references not yet followed: JSON, or a text such as XML.
package enum BodyTemplate: Sendable, Hashable {
    /// `null`
    case null
    /// `true` or `false`
    case boolean(Bool)
    /// A number, with its digits as written.
    case number(String)
    /// A string.
    case text(Template)
    /// An array.
    case array([BodyTemplate])
    /// An object, its members in the order of the file.
    case object([Member])

    /// A member of an object.
    package struct Member: Sendable, Hashable {
        /// The member's name.
        package let name: String
        /// The member's value.
        package let value: BodyTemplate
    }

    /// The body where it is a text as a whole, and not JSON.
    package var plainText: Template? { if case .text(let template) = self { template } else { nil } }

    /// Every string of the body, with the name of the member that it belongs to.
    var texts: [NamedTemplate] { texts(of: "") }

    private func texts(of name: String) -> [NamedTemplate] {
        switch self {
        case .null, .boolean, .number: []
        case .text(let template): [NamedTemplate(name: name, value: template)]
        case .array(let elements): elements.flatMap { $0.texts(of: name) }
        case .object(let members): members.flatMap { $0.value.texts(of: $0.name) }
        }
    }

    /// The body with each string passed through `resolve`, which gets the name of the member it belongs to.
    package func resolved(
        memberName: String = "", _ resolve: (NamedTemplate) throws(ConfigurationError) -> String
    ) throws(ConfigurationError) -> JSONValue {
        switch self {
        case .null: return .null
        case .boolean(let value): return .bool(value)
        case .number(let digits): return .number(digits)
        case .text(let template): return .string(try resolve(NamedTemplate(name: memberName, value: template)))
        case .array(let elements):
            return .array(
                try elements.map { element throws(ConfigurationError) in
                    try element.resolved(memberName: memberName, resolve)
                })
        case .object(let members):
            return .object(
                JSONObject(
                    try members.map { member throws(ConfigurationError) in
                        (member.name, try member.value.resolved(memberName: member.name, resolve))
                    }))
        }
    }

    /// Equal for bodies that differ only in the order of members; strings as `written` has them.
    func canonicalText(_ written: (NamedTemplate) -> String, memberName: String = "") -> String {
        switch self {
        case .null: return "null"
        case .boolean(let value): return "\(value)"
        case .number(let digits): return digits
        case .text(let template):
            return JSONText.string(written(NamedTemplate(name: memberName, value: template)))
        case .array(let elements):
            return "[\(elements.map { $0.canonicalText(written, memberName: memberName) }.joined(separator: ","))]"
        case .object(let members):
            let sorted = members.sorted { $0.name < $1.name }.map {
                "\(JSONText.string($0.name)):\($0.value.canonicalText(written, memberName: $0.name))"
            }
            return "{\(sorted.joined(separator: ","))}"
        }
    }

    /// True if a member can be set at the path: all values on it are objects.
    func hasRoom(for names: ArraySlice<String>) -> Bool {
        guard let name = names.first else { return true }
        guard case .object(let members) = self else { return false }
        return members.first { $0.name == name }?.value.hasRoom(for: names.dropFirst()) ?? true
    }
}

extension MappingDecoder {
    /// The body of a request; nil for a GET. A POST without one sends an empty object, other methods nothing.
    func body(_ method: RequestMethod, _ name: String) -> BodyTemplate? {
        guard let node = node(name) else {
            switch method {
            case .get: return nil
            case .post: return .object([])
            case .report, .propfind: return .text(Template([], position: SourcePosition(file: "")))
            }
        }
        guard method != .get else {
            report("`\(name)` of \(subject) needs `method: POST`", at: name)
            return nil
        }
        if case .scalar(let scalar) = node.content, scalar.resolution == .text {
            return template(name, node).map { .text($0) }
        }
        guard node.pairs != nil else {
            mismatch(name, node, expected: "a mapping, or text")
            return nil
        }
        return bodyTemplate(name, node)
    }

    /// A value of a JSON body.
    func bodyTemplate(_ name: String, _ node: Node) -> BodyTemplate? {
        switch node.content {
        case .sequence(let elements):
            return .array(elements.compactMap { bodyTemplate(name, $0) })
        case .mapping:
            let members = reader(name, node)
            return .object(
                members.entries().compactMap { entry in
                    members.bodyTemplate(entry.name, entry.value).map {
                        BodyTemplate.Member(name: entry.name, value: $0)
                    }
                })
        case .scalar(let scalar):
            switch scalar.resolution {
            case .null: return .null
            case .boolean(let value): return .boolean(value)
            case .text: return template(name, node).map { .text($0) }
            case .integer, .oversizedInteger, .real:
                if case .number(let digits)? = try? JSONValue(parsing: scalar.text) { return .number(digits) }
                report(
                    "`\(name)` of \(subject) is not a number as JSON writes one; put it in quotes if it is text",
                    at: SourcePosition(node.mark), word: scalar.text)
                return nil
            }
        }
    }
}
