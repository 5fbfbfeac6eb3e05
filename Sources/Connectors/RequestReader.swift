internal import Feeds
internal import YAML

/// Reads a requester: its method, URL, query, headers and body.
struct RequestReader {
    let evaluator: Evaluator

    func read(_ requester: Component, into feed: inout TranslatedFeed) throws(ConnectorFault) {
        (feed.method, feed.url) = try address(of: requester)
        for (name, value) in try inputs("request_parameters", of: requester) {
            if case .mapping = value { throw requester.fault(.request, "the parameter `\(name)` is an object") }
            if value.words?.literal == "" { continue }
            if let entry = value.entryValue { feed.query.set(name, entry) }
        }
        for (name, value) in try inputs("request_headers", of: requester) {
            guard let words = value.words, words.literal != "" else { continue }
            feed.headers.append(.init(name, .text(words.written)))
        }
        try readBody(of: requester, into: &feed)
        guard feed.method == "POST" || feed.body.isEmpty else { throw requester.fault(.request, "a GET with a body") }
    }

    /// The method and the URL of a requester.
    func address(of requester: Component) throws(ConnectorFault) -> (method: String, url: ConfigurationWords) {
        let method = try evaluator.literal(try requester.member("http_method"))?.uppercased() ?? "GET"
        guard ["GET", "POST"].contains(method) else { throw requester.fault(.request, "it is requested by \(method)") }
        // Newer manifests have the whole address in `url`.
        let address = [try requester.member("url_base"), try requester.member("url")]
        guard var url = try evaluator.words(address.compactMap(\.self).first) else {
            throw requester.fault(.request, "it has no `url_base`")
        }
        let path = try evaluator.words(try requester.member("path"))
        if let path, case .literal(let text)? = path.pieces.first, text.contains("://") {
            url = path
        } else if let path {
            url = Self.trimming(url, "/", atEnd: true)
            url.append(ConfigurationWords("/"))
            url.append(Self.trimming(path, "/", atEnd: false))
        }
        // A literal space would end the URL.
        return (method, Self.trimming(url, "?", atEnd: true).mapped { $0.replacing(" ", with: "%20") })
    }

    private static func trimming(_ words: ConfigurationWords, _ mark: Character, atEnd: Bool) -> ConfigurationWords {
        words.mapped(at: atEnd ? words.pieces.count - 1 : 0) { text in
            atEnd
                ? String(text.reversed().drop { $0 == mark || $0.isWhitespace }.reversed())
                : String(text.drop { $0 == mark || $0.isWhitespace })
        }
    }

    private func readBody(of requester: Component, into feed: inout TranslatedFeed) throws(ConnectorFault) {
        if let data = try requester.member("request_body_data"), !(data.node.pairs?.isEmpty ?? false) {
            throw data.fault(.request, "its body is a form, not JSON")
        }
        for (name, value) in try inputs("request_body_json", of: requester) {
            if let entry = value.entryValue { feed.body.set(name, entry) }
        }
        guard let body = try requester.member("request_body") else { return }
        guard ["RequestBodyJsonObject", "RequestBodyGraphQL"].contains(body.type ?? ""),
            case .mapping(let members) = try evaluator.value(try body.member("value"))
        else { throw body.fault(.request, "its body is not a JSON object") }
        for member in members { if let entry = member.value.entryValue { feed.body.set(member.name, entry) } }
    }

    /// The members of an input, or of the expression that makes them.
    func inputs(_ name: String, of requester: Component) throws(ConnectorFault) -> [(String, ConnectorValue)] {
        guard let component = try requester.member(name) else { return [] }
        switch try evaluator.value(component) {
        case .mapping(let members): return members.map { ($0.name, $0.value) }
        case .nothing: return []
        case .text(let words):
            // As in a URL: `a=1&b=2`
            guard let text = words.literal, text.contains("=") else { break }
            return text.split(separator: "&").map { pair in
                let parts = pair.split(separator: "=", maxSplits: 1)
                return (String(parts[0]), .text(parts.count > 1 ? String(parts[1]) : ""))
            }
        default: break
        }
        throw component.fault(.request, "`\(name)` is not an object")
    }
}

/// The place in a request that a `RequestOption` names.
enum RequestPlace: Sendable, Hashable {
    case query(String)
    case header(String)
    case body([String])
    case path

    init(_ option: Component, _ evaluator: Evaluator) throws(ConnectorFault) {
        if option.type == "RequestPath" {
            self = .path
            return
        }
        var names = try evaluator.literals(try option.member("field_path")).compactMap(\.self)
        if let name = try evaluator.literal(try option.member("field_name")) { names = [name] }
        let place = try evaluator.literal(try option.member("inject_into"))
        if place == "path" {
            self = .path
            return
        }
        guard let name = names.first else { throw option.fault(.request, "a `RequestOption` without a `field_name`") }
        switch place {
        case "request_parameter": self = .query(name)
        case "header": self = .header(name)
        case "body_json": self = .body(names)
        case let other: throw option.fault(.request, "a value is sent in `\(other ?? "")`")
        }
    }
}
