internal import Feeds
internal import HTTP
internal import Upstream

/// A list that a document describes: an operation whose successful response has items.
package struct DocumentedList: Sendable {
    /// The path as the document has it, with its parameters in braces.
    package let path: String
    /// The identifier of the operation; nil where it has none.
    package let operation: String?
    /// A few words of the document; empty where it has none.
    package let summary: String
    /// The place of the items, and their key if their schema is certain of it.
    let findings: Findings
    /// The way to the next page; nil where it is to be found in the first page.
    let pagination: FeedEntry.Value?
    let parameters: [DocumentedParameter]
    let signIn: DocumentedSignIn?
    let servers: [JSONValue]?

    /// The list for people and programs.
    package var collection: DescribedCollection {
        DescribedCollection(
            path: path, findings: findings, pagination: pagination, signIn: signIn, needs: needed.map(\.name),
            summary: summary)
    }

    /// The parameters that have to be given.
    var needed: [DocumentedParameter] {
        parameters.filter { parameter in
            parameter.isRequired && (parameter.standard == nil || parameter.place == .path)
                && parameter.place != .cookie && !isOfPaging(parameter)
        }
    }

    /// True for a parameter that the pagination sets, so that the query must not.
    func isOfPaging(_ parameter: DocumentedParameter) -> Bool {
        parameter.place == .query && [pageParameter, sizeParameter].contains(parameter.name)
    }

    /// The parameter that says which page; nil where the pagination sets none.
    var pageParameter: String? { pagination?["param"]?.text }

    /// The parameter that says how many items a page has; nil where the pagination sets none.
    var sizeParameter: String? {
        pagination?["size_param"]?.text ?? pagination?["limit_param"]?.text
            ?? pagination?["limit"].map { _ in "limit" }
    }
}

/// Reads the lists of a document.
struct ListReader {
    private let document: APIDocument
    private let schemas: SchemaReader
    /// A feed of which nothing is known.
    private let open: FeedDefinition?

    init(_ document: APIDocument) {
        self.document = document
        schemas = SchemaReader(document)
        open = try? .open()
    }

    /// The list of a path; nil where its GET answers with no list.
    ///
    /// - Throws: `ConnectorFault` for a list that cannot be read.
    func list(at path: String, _ item: JSONValue) throws(ConnectorFault) -> DocumentedList? {
        let item = try document.members(item)
        guard let get = item["get"] else { return nil }
        let operation = try document.members(get)
        guard let response = try response(of: operation), let schema = try schema(of: response) else {
            return nil
        }
        let parameters = try self.parameters(of: item, operation, at: path)
        let hasTokens = parameters.contains { $0.place == .query && DocumentedPaging.isForToken($0) }
        var sample = SampleBody(schemas, hasTokens: hasTokens)
        let body = try sample.body(schema)
        guard body.elements != nil || body.members?.isEmpty == false else { return nil }
        let page = PageStudy.Page(
            request: try request(path, parameters), headers: try headers(of: response), body: body)
        guard let open, let study = try? PageStudy(open, first: page, isOrdered: false), study.isArray,
            study.itemCount > 0,
            !study.isInsideItem, Self.areEnvelopes(study.findings.items),
            study.isNamed || !path.hasSuffix("}") && Self.isEnvelope(body, around: study.findings.items)
        else { return nil }
        var findings = study.findings
        if study.keyCertainty == .guess || study.keyCertainty == .nothing { findings.key = [] }
        let items = findings.items?.path ?? Path([])
        findings.columns = findings.columns.map { column in
            let path = Path(items.segments + column.path.segments)
            guard let type = sample.types[path] else { return column }
            return ColumnDefinition(name: column.name, path: column.path, type: type)
        }
        return DocumentedList(
            path: path, operation: operation["operationId"]?.text,
            summary: operation["summary"]?.text ?? "", findings: findings,
            pagination: DocumentedPaging(parameters).pagination(of: study), parameters: parameters,
            signIn: try DocumentedSignIn(operation, document),
            servers: (operation["servers"] ?? item["servers"])?.elements)
    }

    /// True if the objects around the items have names of such.
    private static func areEnvelopes(_ items: ItemsRule?) -> Bool {
        (items?.path.segments.dropLast() ?? []).allSatisfy { segment in
            guard case .member(let name) = segment else { return false }
            return !PagingNames.envelopes.isDisjoint(with: MemberName(name).words)
        }
    }

    /// True if a list that has no usual name is all that the body has beside a few figures about it.
    private static func isEnvelope(_ body: JSONValue, around items: ItemsRule?) -> Bool {
        guard let members = body.members, let items, items.path.segments.count == 1 else { return false }
        let lists = members.filter { $0.value.elements?.first?.members != nil }
        let others = members.filter { member in
            member.value.elements == nil && !PagingNames.isOfPaging(member.name)
                && PagingNames.envelopes.isDisjoint(with: MemberName(member.name).words)
        }
        return lists.count == 1 && others.count <= 3
    }

    /// The response of the first status that is a success.
    private func response(of operation: JSONObject) throws(ConnectorFault) -> JSONObject? {
        let responses = try document.members(operation["responses"])
        let status = ["200", "2XX", "2xx", "206", "default"].first { responses[$0] != nil }
        return try status.map { status throws(ConnectorFault) in try document.members(responses[status]) }
    }

    /// The schema of a response in JSON; nil for another.
    private func schema(of response: JSONObject) throws(ConnectorFault) -> JSONValue? {
        guard document.version == .openAPI3 else { return response["schema"] }
        let content = try document.members(response["content"])
        let isJSON = { (type: String) in
            let type = type.mediaType
            return type.hasSuffix("/json") || type.hasSuffix("+json") || type == "*/*"
        }
        guard let media = content.first(where: { isJSON($0.name) }) else { return nil }
        return try document.members(media.value)["schema"]
    }

    private func parameters(of item: JSONObject, _ operation: JSONObject, at path: String) throws(ConnectorFault)
        -> [DocumentedParameter]
    {
        var all: [DocumentedParameter] = []
        for value in (item["parameters"]?.elements ?? []) + (operation["parameters"]?.elements ?? []) {
            guard let parameter = try DocumentedParameter(try document.members(value), schemas) else { continue }
            // The operation's own goes before the path's.
            all.removeAll { $0.name == parameter.name && $0.place == parameter.place }
            all.append(parameter)
        }
        for part in path.split(separator: "{").dropFirst() {
            let name = String(part.prefix { $0 != "}" })
            guard !all.contains(where: { $0.place == .path && $0.name == name }) else { continue }
            all.append(DocumentedParameter(inPath: name))
        }
        return all
    }

    /// The request for a first page, with each parameter that may ask for a page.
    private func request(_ path: String, _ parameters: [DocumentedParameter]) throws(ConnectorFault) -> Request {
        let query = parameters.compactMap { parameter -> String? in
            guard parameter.place == .query, let value = DocumentedPaging.firstValue(of: parameter) else { return nil }
            return "\(FormEncoding.encoded(parameter.name))=\(value)"
        }
        let address = "https://example.com" + path.map { "{} ".contains($0) ? "_" : String($0) }.joined()
        guard let url = try? WebURL(query.isEmpty ? address : "\(address)?\(query.joined(separator: "&"))") else {
            throw ConnectorFault(.request, "its path cannot be part of a URL")
        }
        return Request(url)
    }

    /// Header fields that a page may have, as far as they lead on or count.
    private func headers(of response: JSONObject) throws(ConnectorFault) -> Headers {
        let fields = try document.members(response["headers"]).compactMap { name, _ -> NamedValue? in
            let folded = MemberName(name).folded
            if folded == "link" { return .init(name: name, value: "<\(SampleBody.nextURL)>; rel=\"next\"") }
            if PagingNames.leadsOn(inHeader: MemberName(name)) { return .init(name: name, value: "2") }
            return PagingNames.total.contains(folded) ? .init(name: name, value: "1000") : nil
        }
        return Headers(fields)
    }
}

extension FeedDefinition {
    /// A feed of which nothing is known but a URL.
    ///
    /// - Throws: `ConfigurationError`, as each definition may.
    static func open() throws(ConfigurationError) -> FeedDefinition {
        try FeedDefinition("x", ["url": "https://example.com/x"])
    }
}
