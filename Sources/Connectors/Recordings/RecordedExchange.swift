internal import BodyFormats
internal import Feeds
internal import HTTP
internal import Upstream

/// A request that a browser recorded, with its response.
struct RecordedExchange: Sendable {
    /// The body of the response.
    enum Content: Sendable {
        case json(JSONValue)
        /// A feed for readers: RSS or Atom.
        case feed(FeedFormat)
    }

    let url: WebURL
    /// The URL for people, and for comparisons: without its query, which may have secrets.
    let shown: String
    let requestHeaders: Headers
    let responseHeaders: Headers
    let content: Content

    /// Reads an entry of a HAR file; nil where its response is not a success, or of a kind that has no items.
    ///
    /// Source: http://www.softwareishard.com/blog/har-12-spec/
    ///
    /// - Throws: `ConnectorFault` for a list that is not recorded as a whole, or that cannot be asked for again.
    init?(_ entry: JSONValue) throws(ConnectorFault) {
        guard let request = entry.members?["request"]?.members, let response = entry.members?["response"]?.members,
            let url = request["url"]?.text.flatMap({ try? WebURL($0) }),
            let status = response["status"]?.count, (200...299).contains(status),
            let content = response["content"]?.members
        else { return nil }
        self.url = url
        shown = Self.shown(url)
        requestHeaders = Self.headers(request["headers"])
        responseHeaders = Self.headers(response["headers"])
        let type = (content["mimeType"]?.text ?? responseHeaders["Content-Type"] ?? "").lowercased()
        guard type.contains("json") || type.contains("xml") || type.isEmpty, !type.contains("html") else { return nil }
        guard let text = content["text"]?.text, !text.isEmpty else {
            guard type.contains("json"), status == 200, content["size"]?.count != 0 else { return nil }
            throw ConnectorFault(.items, "its body was not recorded; save the HAR file with content")
        }
        var bytes = Array(text.utf8)
        if content["encoding"]?.text?.lowercased() == "base64" {
            guard let decoded = Base64.decoded(text.filter { !$0.isWhitespace }) else {
                throw ConnectorFault(.items, "its body is not the Base64 that it says")
            }
            bytes = decoded
        }
        let received = Response(
            status: status, headers: ["Content-Type": type], url: url, body: Body(bytes))
        let format = FeedFormat(of: received)
        guard format == .json else {
            guard [.rss, .atom].contains(format) else { return nil }
            self.content = .feed(format)
            return
        }
        guard let json = try? JSONValue(received.body) else { return nil }
        guard request["method"]?.text?.uppercased() == "GET" else {
            guard json.elements != nil || json.members != nil, request["method"]?.text?.uppercased() == "POST" else {
                return nil
            }
            throw ConnectorFault(.request, "it is requested by POST; feedsync add --curl takes such a request")
        }
        self.content = .json(json)
    }

    private static func headers(_ value: JSONValue?) -> Headers {
        Headers(
            (value?.elements ?? []).prefix(1_000).compactMap { field in
                guard let name = field.members?["name"]?.text, let value = field.members?["value"]?.text,
                    // HTTP/2 has parts of the request line among its fields.
                    !name.hasPrefix(":")
                else { return nil }
                return NamedValue(name: name, value: value)
            })
    }

    /// A URL without its query.
    static func shown(_ url: WebURL) -> String { String(url.text.prefix { $0 != "?" }) }

    /// The parameters of the query that are not secrets.
    var parameters: [NamedValue] { url.queryItems.filter { !SecretName.matches($0.name) } }

    /// True if two requests are the same, apart from credentials.
    func isSame(as other: WebURL) -> Bool {
        guard shown == Self.shown(other) else { return false }
        let words = { (url: WebURL) in
            url.queryItems.filter { !SecretName.matches($0.name) }.map { "\($0.name)=\($0.value)" }.sorted()
        }
        return words(url) == words(other)
    }

    /// The names of the parameters that differ from those of another request for the same path; nil for another path.
    func difference(to other: RecordedExchange) -> [String]? {
        guard shown == other.shown else { return nil }
        let (own, others) = (Self.values(parameters), Self.values(other.parameters))
        return Set(own.keys).union(others.keys).filter { own[$0] != others[$0] }.sorted()
    }

    private static func values(_ items: [NamedValue]) -> [String: [String]] {
        Dictionary(grouping: items, by: \.name).mapValues { $0.map(\.value) }
    }

    func value(of name: String) -> String? { url.queryItems.first { $0.name == name }?.value }

    /// The sign-in of the request; nil without credentials. Their values are not read.
    var signIn: DocumentedSignIn? {
        var schemes: [DocumentedSignIn.Scheme] = []
        func add(_ name: String, _ kind: DocumentedSignIn.Scheme.Kind) {
            guard !schemes.contains(where: { $0.kind == kind }) else { return }
            schemes.append(.init(name: name, kind: kind, scopes: []))
        }
        for field in requestHeaders.fields {
            switch (field.name.lowercased(), field.value.prefix { $0 != " " }.lowercased()) {
            case ("authorization", "bearer"): add("token", .bearer)
            case ("authorization", "basic"): add("basic", .basic)
            case (let name, _) where SecretName.matches(name): add(field.name, .header(field.name))
            default: continue
            }
        }
        for item in url.queryItems where SecretName.matches(item.name) { add(item.name, .query(item.name)) }
        return schemes.isEmpty ? nil : DocumentedSignIn(schemes: schemes)
    }

    /// The media type that the request asks for, where the usual one may not do.
    var accept: String? {
        requestHeaders["Accept"].flatMap { $0.contains("vnd.") || $0.contains("version=") ? $0 : nil }
    }
}
