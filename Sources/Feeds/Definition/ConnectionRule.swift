internal import YAML

/// The connections of a feed's requests to its host.
package struct ConnectionRule: Sendable {
    /// A file that a definition names.
    package struct File: Sendable {
        /// The path as written; a relative one starts at the folder of the configuration.
        package let path: String
        package let position: SourcePosition
    }

    /// The TLS client certificate.
    package struct ClientCertificate: Sendable {
        package let certificate: File
        /// The private key; nil where it is in the same file.
        package let key: File?
        /// The password of the key.
        package let password: Template?
    }

    /// The proxy.
    package indirect enum Proxy: Sendable {
        /// No proxy, even if the environment has one: `none`.
        case direct
        /// The proxy's URL, which may hold its credentials.
        case url(Template)
    }

    /// The certificates to trust, in place of the system's.
    package var authorities: File?
    package var clientCertificate: ClientCertificate?
    /// The proxy; nil to use the environment's.
    package var proxy: Proxy?
    package var userAgent: String?
    package var rate: RequestRate?

    /// The texts that may refer to a value elsewhere.
    var templates: [Template] {
        let proxy: Template? = if case .url(let template) = proxy { template } else { nil }
        return [proxy, clientCertificate?.password].compactMap(\.self)
    }
}

/// The number of requests permitted in a period of time.
package struct RequestRate: Sendable, Hashable, CustomStringConvertible {
    private static let units: [(name: String, duration: Duration)] = [
        ("s", .seconds(1)), ("m", .seconds(60)), ("h", .seconds(3_600)), ("d", .seconds(86_400)),
    ]

    private let count: Int
    private let unit: String
    /// The time from one request to the next.
    package let interval: Duration

    /// Reads `2/s`, `30/m`, `1000/h` or `5/d`; nil for anything else.
    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let count = Int(parts[0]), (1...1_000_000).contains(count),
            let unit = Self.units.first(where: { $0.name == parts[1] })
        else { return nil }
        self.count = count
        self.unit = unit.name
        interval = unit.duration / count
    }

    /// As it is written.
    package var description: String { "\(count)/\(unit)" }
}

extension MappingDecoder {
    /// The members that say how requests reach their host.
    func connectionRule() -> ConnectionRule {
        ConnectionRule(
            authorities: file("ca"), clientCertificate: clientCertificate("client_certificate"), proxy: proxy("proxy"),
            userAgent: userAgent("user_agent"), rate: rate("rate"))
    }

    /// The path of a file.
    func file(_ name: String) -> ConnectionRule.File? {
        guard let node = node(name), let path = string(name, node) else { return nil }
        guard !path.isEmpty, !path.utf8.contains(0) else {
            report("`\(name)` of \(subject) must be the path of a file", at: SourcePosition(node.mark))
            return nil
        }
        return ConnectionRule.File(path: path, position: SourcePosition(node.mark))
    }

    private func clientCertificate(_ name: String) -> ConnectionRule.ClientCertificate? {
        guard let node = node(name) else { return nil }
        guard node.pairs != nil else {
            return file(name).map { ConnectionRule.ClientCertificate(certificate: $0, key: nil, password: nil) }
        }
        let members = reader(name, node)
        defer { members.finish() }
        members.require("certificate", "give the path of a PEM file")
        let (key, password) = (members.file("key"), members.template("password"))
        return members.file("certificate").map {
            ConnectionRule.ClientCertificate(certificate: $0, key: key, password: password)
        }
    }

    private func proxy(_ name: String) -> ConnectionRule.Proxy? {
        guard let node = node(name), let template = template(name, node) else { return nil }
        if template.isLiteral, template.description == "none" { return .direct }
        let schemes = ["http://", "https://", "socks5://", "socks5h://"]
        // A value that begins with a reference is checked when it is used.
        guard !template.isLiteral || schemes.contains(where: template.description.hasPrefix) else {
            report(
                "`\(name)` of \(subject) must be a URL such as `http://proxy.example.com:3128`, or `none`",
                at: SourcePosition(node.mark))
            return nil
        }
        // A libcurl with IDN finds hosts with letters beyond ASCII.
        if template.isLiteral, template.literalText.utf8.allSatisfy({ $0 < 0x80 }),
            reports(URLFault(inHostOf: template.literalText), of: name, node)
        {
            return nil
        }
        return .url(template)
    }

    private func userAgent(_ name: String) -> String? {
        value(name, expected: "one line of ASCII", isQuoted: false) { text in
            !text.isEmpty && text.utf8.allSatisfy { (0x20..<0x7F).contains($0) } ? text : nil
        }
    }

    private func rate(_ name: String) -> RequestRate? {
        value(
            name, expected: "a number of requests and a time such as `2/s`, `30/m` or `1000/h`", RequestRate.init)
    }
}
