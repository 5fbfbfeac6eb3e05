/// The request of a curl command, as members of a feed.
///
/// Options that would change the request but have no counterpart are refused. Options that only concern curl's work or
/// its output are left out, and listed in `ignored`.
package struct CurlCommand: Sendable {
    /// The request's URL.
    package private(set) var url = ""
    /// The method, such as `POST`; nil for curl's default.
    package private(set) var method: String?
    /// Query parameters in addition to those in the URL.
    package private(set) var query: [FeedEntry.Member] = []
    /// The header fields.
    package private(set) var headers: [FeedEntry.Member] = []
    /// The body; nil where there is none.
    package private(set) var body: FeedEntry.Value?
    /// `auth`, `user_agent`, `proxy` and `ca`, where the command says them.
    package private(set) var others: [FeedEntry.Member] = []
    /// The options without a meaning here.
    package private(set) var ignored: [String] = []
    /// True if curl would send the body as a form, because no header calls it JSON.
    package private(set) var isUntypedBody = false

    /// A part of the body, or of the query.
    private enum Part {
        case raw(String)
        case encoded(name: String, value: String)
    }

    private var parts: [Part] = []
    private var urls: [String] = []
    private var cookies: [String] = []
    private var isGet = false
    private var isJSON = false
    private var isLiteralURL = false

    /// The folder in which the command would be run.
    private let folder: String

    /// Reads a whole command, `curl` included.
    ///
    /// - Parameter folder: The folder that the names of files are relative to.
    /// - Throws: `CommandLineProblem`.
    package init(_ text: String, in folder: String = ".") throws(CommandLineProblem) {
        self.folder = folder
        let shell = try ShellWords(text)
        guard shell.words.first.map({ $0.split(separator: "/").last == "curl" }) == true else {
            throw CommandLineProblem(
                "--curl takes a whole curl command, from `curl` on",
                advice: "for example --curl 'curl -H \"Accept: application/json\" https://example.com/things'")
        }
        var words = shell.words.dropFirst()
        while let word = words.popFirst() { try read(word, &words) }
        if let rest = shell.rest { ignored.append(rest.replacing("\n", with: " ")) }
        try setURL()
        try setData()
        if !cookies.isEmpty { headers.append(.init("Cookie", .text(cookies.joined(separator: "; ")))) }
    }

    private mutating func read(_ word: String, _ words: inout ArraySlice<String>) throws(CommandLineProblem) {
        guard word.hasPrefix("-"), word != "-" else { return urls.append(word) }
        if word.hasPrefix("--") {
            guard let option = CurlOption.named(String(word.dropFirst(2))) else { throw Self.unknown(word) }
            var value = ""
            if option.takesValue {
                guard let next = words.popFirst() else { throw Self.withoutValue(word) }
                value = next
            }
            return try take(option, value, as: word)
        }
        var letters = word.dropFirst()
        while let letter = letters.popFirst() {
            guard let option = CurlOption.letter(letter) else { throw Self.unknown("-\(letter)") }
            guard option.takesValue else {
                try take(option, "", as: "-\(letter)")
                continue
            }
            guard let value = letters.isEmpty ? words.popFirst() : String(letters) else {
                throw Self.withoutValue("-\(letter)")
            }
            return try take(option, value, as: "-\(letter)")
        }
    }

    private mutating func take(
        _ option: CurlOption, _ value: String, as word: String
    ) throws(CommandLineProblem) {
        switch option {
        case .url: urls.append(value)
        case .request: method = value
        case .get: isGet = true
        case .literalURL: isLiteralURL = true
        case .header: try addHeader(value)
        case .data, .json:
            guard !value.hasPrefix("@") else { throw Self.ofFile(word) }
            if option == .json { isJSON = true }
            parts.append(.raw(value))
        case .rawData: parts.append(.raw(value))
        case .encodedData: try addEncoded(value, as: word)
        case .user: try setUser(value)
        case .bearer: setMember("auth", .mapping([.init("bearer", .text(value))]))
        case .userAgent:
            guard !value.contains("${") else {
                throw CommandLineProblem(
                    "the value of \(word) must be written out", advice: "put the text itself in the variable's place")
            }
            setMember("user_agent", .text(value))
        case .cookie:
            guard value.contains("=") else { throw Self.ofFile(word) }
            cookies.append(value)
        case .referer: headers.append(.init("Referer", .text(value)))
        case .proxy:
            setMember("proxy", .text(value.contains("://") || value.hasPrefix("${") ? value : "http://\(value)"))
        case .authorities:
            setMember("ca", .text(value.hasPrefix("/") || value.hasPrefix("${") ? value : "\(folder)/\(value)"))
        case .ignored(let takesValue): ignored.append(takesValue ? "\(word) \(value)" : word)
        case .refused(let reason):
            throw CommandLineProblem(
                "curl's \(word) cannot be kept: \(reason)",
                advice: "run it again without \(word), if that is what you want")
        }
    }

    private mutating func setMember(_ name: String, _ value: FeedEntry.Value) {
        others.removeAll { $0.name == name }
        others.append(.init(name, value))
    }

    /// Headers that feedsync sets itself, or that belong to one connection.
    private static let ownHeaders: Set<String> = [
        "accept-encoding", "connection", "content-length", "if-none-match", "if-modified-since", "te",
        "transfer-encoding",
    ]

    private mutating func addHeader(_ text: String) throws(CommandLineProblem) {
        guard !text.hasPrefix("@") else { throw Self.ofFile("-H") }
        let name = String(text.prefix { $0 != ":" && $0 != ";" })
        let isEmptied = text.dropFirst(name.count).first == ";"
        let value = text.dropFirst(name.count + 1).drop { $0 == " " }
        guard name.count < text.count, !name.isEmpty else {
            // Not shown: it may be a credential.
            throw CommandLineProblem(
                "the curl command has a header without a colon", advice: "write -H 'Name: value'")
        }
        // `Name:` removes a header that curl would send by default.
        guard !Self.ownHeaders.contains(name.lowercased()), isEmptied || !value.isEmpty else {
            return ignored.append("-H '\(name)'")
        }
        headers.append(.init(name, .text(String(value))))
    }

    private mutating func addEncoded(_ value: String, as word: String) throws(CommandLineProblem) {
        let name = value.prefix { $0 != "=" && $0 != "@" }
        guard value.dropFirst(name.count).first != "@" else { throw Self.ofFile(word) }
        let hasName = name.count < value.count && !name.isEmpty
        let content = name.count < value.count ? String(value.dropFirst(name.count + 1)) : value
        parts.append(.encoded(name: hasName ? String(name) : "", value: content))
    }

    private mutating func setUser(_ value: String) throws(CommandLineProblem) {
        guard let colon = value.firstIndex(of: ":") else {
            throw CommandLineProblem(
                "curl would ask for the password of \(value)", advice: "write -u \(value):$PASSWORD, with a variable")
        }
        let (user, password) = (String(value[..<colon]), String(value[value.index(after: colon)...]))
        setMember(
            "auth",
            .mapping([.init("basic", .mapping([.init("user", .text(user)), .init("password", .text(password))]))])
        )
    }

    private mutating func setURL() throws(CommandLineProblem) {
        guard let only = urls.first else {
            throw CommandLineProblem("the curl command has no URL", advice: "give the whole command in quotes")
        }
        guard urls.count == 1 else {
            throw CommandLineProblem(
                "the curl command has \(urls.count) URLs, and a feed has one", advice: "give each value in quotes")
        }
        // As curl guesses.
        url = only.contains("://") || only.hasPrefix("${") ? only : "http://\(only)"
        let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
        // Behind the host, which may be an address in brackets.
        let plain = url[start...].drop { !"/?#".contains($0) }.replacing("${", with: "")
        guard isLiteralURL || !plain.contains(where: { "[{".contains($0) }) else {
            throw CommandLineProblem(
                "curl makes several URLs of one with [ ] or { }", advice: "write them as %5B %5D and %7B %7D, or add -g"
            )
        }
    }

    private mutating func setData() throws(CommandLineProblem) {
        guard !parts.isEmpty else { return }
        if isGet { return setQuery() }
        let text = parts.map { part in
            switch part {
            case .raw(let text): text
            case .encoded(let name, let value):
                (name.isEmpty ? "" : name + "=") + FormEncoding.encoded(value)
            }
        }.joined(separator: isJSON ? "" : "&")
        let type = headers.first { $0.name.lowercased() == "content-type" }
        guard let value = FeedEntry.Value(json: text) else {
            throw CommandLineProblem(
                "the body of the curl command is not JSON, and feedsync sends nothing else",
                advice: "if the server takes them in the query too, add -G")
        }
        body = value
        isUntypedBody = type == nil && !isJSON
        method = method ?? "POST"
        // This is the default type of a body.
        if case .text(let text)? = type?.value, text.lowercased() == "application/json" {
            headers.removeAll { $0.name.lowercased() == "content-type" }
        }
        if isJSON, !headers.contains(where: { $0.name.lowercased() == "accept" }) {
            headers.append(.init("Accept", .text("application/json")))
        }
    }

    private mutating func setQuery() {
        let parameters = parts.flatMap { part -> [(name: String, value: String)] in
            switch part {
            case .raw(let text): FormEncoding.parameters(in: text[...].utf8)
            case .encoded(let name, let value): [(name, value)]
            }
        }
        query = FeedEntry.Member.parameters(parameters)
    }

    private static func unknown(_ word: String) -> CommandLineProblem {
        CommandLineProblem(
            "curl's \(word) is not known here, and may change the request", advice: "run it again without \(word)")
    }

    private static func withoutValue(_ word: String) -> CommandLineProblem {
        CommandLineProblem("curl's \(word) needs a value", advice: "give the whole command in quotes")
    }

    private static func ofFile(_ word: String) -> CommandLineProblem {
        CommandLineProblem(
            "curl's \(word) names a file here, which is not read", advice: "write what is in the file in its place")
    }
}

/// An option of curl, as far as it means something here.
///
/// Source: https://curl.se/docs/manpage.html
enum CurlOption: Hashable {
    case url, header, request, data, rawData, encodedData, json, get, user, bearer, userAgent, cookie, referer, proxy
    case authorities, literalURL
    /// An option for curl's work or output that does not change the request.
    case ignored(takesValue: Bool)
    /// An option that cannot be left out without changing the request, and the reason for refusing it.
    case refused(String)

    /// True if the next word, or the rest of this one, is its value.
    var takesValue: Bool {
        switch self {
        case .get, .literalURL, .refused: false
        case .ignored(let takesValue): takesValue
        default: true
        }
    }

    /// The option of a long name, without its hyphens; nil for one that is not known.
    static func named(_ name: String) -> CurlOption? {
        if let option = taken[name] ?? reasons[name].map(Self.refused) { return option }
        if withValue.contains(name) { return .ignored(takesValue: true) }
        let plain = name.hasPrefix("no-") ? String(name.dropFirst(3)) : name
        return withoutValue.contains(plain) ? .ignored(takesValue: false) : nil
    }

    /// The option of a letter.
    static func letter(_ letter: Character) -> CurlOption? { letters[letter].flatMap(named) }

    private static let taken: [String: CurlOption] = [
        "url": .url, "header": .header, "request": .request, "data": .data, "data-ascii": .data, "data-binary": .data,
        "data-raw": .rawData, "data-urlencode": .encodedData, "json": .json, "get": .get, "user": .user,
        "oauth2-bearer": .bearer, "user-agent": .userAgent, "cookie": .cookie, "referer": .referer, "proxy": .proxy,
        "cacert": .authorities, "globoff": .literalURL,
    ]

    private static let reasons: [String: String] = [
        "form": "a form of several parts cannot be sent", "form-string": "a form of several parts cannot be sent",
        "upload-file": "files are not sent", "head": "a page needs a body", "range": "a page is requested whole",
        "insecure": "certificates are always verified; name an authority of your own with --cacert",
        "config": "the options in that file are not seen here", "next": "a feed has one request",
        "netrc": "write the name and the password with -u", "netrc-file": "write the name and the password with -u",
        "netrc-optional": "write the name and the password with -u",
        "digest": "only basic authentication is spoken", "ntlm": "only basic authentication is spoken",
        "negotiate": "only basic authentication is spoken", "anyauth": "only basic authentication is spoken",
        "aws-sigv4": "requests are not signed",
        "location-trusted": "credentials go only to the host that they were written for",
        "cert": "add `client_certificate` to the feed by hand", "key": "add `client_certificate` to the feed by hand",
        "resolve": "hosts are looked up as usual", "connect-to": "hosts are looked up as usual",
        "unix-socket": "only TCP is spoken", "abstract-unix-socket": "only TCP is spoken",
        "interface": "the system chooses the way", "time-cond": "feedsync asks for what changed by itself",
    ]

    private static let withValue: Set<String> = [
        "output", "write-out", "max-time", "connect-timeout", "retry", "retry-delay", "retry-max-time", "max-redirs",
        "cookie-jar", "dump-header", "stderr", "trace", "trace-ascii", "limit-rate", "speed-limit", "speed-time",
        "keepalive-time", "output-dir", "max-filesize", "etag-save", "etag-compare", "tls-max",
    ]

    private static let withoutValue: Set<String> = [
        "compressed", "silent", "show-error", "location", "verbose", "include", "show-headers", "fail",
        "fail-with-body", "fail-early", "buffer", "progress-bar", "progress-meter", "http0.9", "http1.0", "http1.1",
        "http2", "http2-prior-knowledge", "http3", "http3-only", "ipv4", "ipv6", "tlsv1", "tlsv1.0", "tlsv1.1",
        "tlsv1.2", "tlsv1.3", "basic", "remote-name", "remote-header-name", "create-dirs", "tcp-nodelay",
        "tcp-fastopen", "keepalive", "retry-all-errors", "retry-connrefused", "parallel", "disable", "styled-output",
        "sessionid", "alpn", "raw",
    ]

    private static let letters: [Character: String] = [
        "H": "header", "X": "request", "d": "data", "G": "get", "u": "user", "A": "user-agent", "b": "cookie",
        "e": "referer", "x": "proxy", "g": "globoff", "F": "form", "T": "upload-file", "I": "head", "r": "range",
        "k": "insecure", "K": "config", ":": "next", "n": "netrc", "E": "cert", "z": "time-cond", "o": "output",
        "w": "write-out", "m": "max-time", "c": "cookie-jar", "D": "dump-header", "Y": "speed-limit",
        "y": "speed-time", "s": "silent", "S": "show-error", "L": "location", "v": "verbose", "i": "include",
        "f": "fail", "N": "no-buffer", "#": "progress-bar", "0": "http1.0", "1": "tlsv1", "4": "ipv4", "6": "ipv6",
        "O": "remote-name", "J": "remote-header-name", "Z": "parallel", "q": "disable",
    ]
}
