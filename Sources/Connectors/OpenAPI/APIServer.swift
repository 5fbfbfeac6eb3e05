internal import Feeds
internal import HTTP

/// The host and the base path of an API.
struct APIServer: Sendable {
    /// The name under which a URL is given that the document lacks.
    private static let given = "server"
    static let advice = "--set server=https://…"

    private let document: APIDocument
    /// The URL, with variables in braces; nil where the document has none.
    private let template: String?
    /// The values of the variables.
    private let variables: [(name: String, standard: String?)]

    var names: [String] { [Self.given] + variables.map(\.name) }

    /// The server of a document, or the first of those that an operation has of its own.
    init(_ document: APIDocument, _ own: [JSONValue]?) {
        self.document = document
        guard document.version == .openAPI3 else {
            (template, variables) = (Self.swagger(document.root), [])
            return
        }
        let servers = (own ?? document.root["servers"]?.elements ?? []).compactMap(\.members)
        let server = servers.first { $0["url"]?.text?.hasPrefix("http") == true } ?? servers.first
        template = server.map { $0["url"]?.text ?? "/" } ?? "/"
        variables = (server?["variables"]?.members ?? [:]).map { ($0.name, $0.value.members?["default"]?.text) }
    }

    /// The URL that Swagger 2 has in parts; without a host it is relative.
    private static func swagger(_ root: JSONObject) -> String {
        let path = root["basePath"]?.text ?? ""
        guard let host = root["host"]?.text else { return path.isEmpty ? "/" : path }
        let schemes = (root["schemes"]?.elements ?? []).compactMap(\.text)
        return "\(schemes.isEmpty || schemes.contains("https") ? "https" : schemes[0])://\(host)\(path)"
    }

    /// True if the URL is known, with what was given.
    func isKnown(_ values: [String: String]) -> Bool { (try? url(values)) != nil }

    /// The URL, without a slash at its end.
    ///
    /// - Throws: `ConnectorError` where the document does not say the host, and nobody else did.
    func url(_ values: [String: String]) throws(ConnectorError) -> String {
        var text = template ?? "/"
        for (name, standard) in variables {
            guard let value = values[name] ?? standard else { continue }
            text = text.replacing("{\(name)}", with: value)
        }
        if let given = values[Self.given] {
            text = text.contains("://") ? given : given.withoutSlash + (text.hasPrefix("/") ? text : "/\(text)")
        }
        // A reference such as `${HOST}` is known when it is needed.
        if text.contains("${") { return text.withoutSlash }
        let url: WebURL?
        do throws(HTTPError) {
            url =
                text.contains("://")
                ? try WebURL(text) : try document.source.contains("://") ? WebURL(document.source).resolving(text) : nil
        } catch {
            url = nil
        }
        guard let url, !text.contains("{") else {
            throw ConnectorError(
                ["the document does not say at which host the API is"], advice: Self.advice, isOfWords: true)
        }
        return url.text.withoutSlash
    }
}

extension String {
    fileprivate var withoutSlash: String { hasSuffix("/") ? String(dropLast()) : self }
}
