internal import Text

/// Writes HTML. Names are constants, and all other text is escaped, so no text can become markup.
struct HTMLWriter {
    private(set) var bytes: [UInt8] = []

    /// Writes an element with the content that `content` writes.
    mutating func element(
        _ name: StaticString, _ attributes: HTMLAttribute..., content: (inout HTMLWriter) -> Void
    ) {
        open(name, attributes)
        content(&self)
        end(name)
    }

    /// Writes an element with text in it.
    mutating func element(_ name: StaticString, _ attributes: HTMLAttribute..., text: String) {
        open(name, attributes)
        self.text(text)
        end(name)
    }

    /// Writes an element that has no content and no end tag.
    mutating func void(_ name: StaticString, _ attributes: HTMLAttribute...) { open(name, attributes) }

    /// Writes text.
    mutating func text(_ text: String) { Self.append(text, to: &bytes) }

    /// Adds the output of another writer.
    mutating func add(_ other: HTMLWriter) { bytes += other.bytes }

    /// Writes the beginning of a page.
    mutating func doctype() { bytes += Array("<!doctype html>\n".utf8) }

    /// Begins an element; `end` ends it.
    mutating func begin(_ name: StaticString, _ attributes: HTMLAttribute...) { open(name, attributes) }

    /// Ends an element.
    mutating func end(_ name: StaticString) {
        bytes += [UInt8(ascii: "<"), UInt8(ascii: "/")]
        add(name)
        bytes.append(UInt8(ascii: ">"))
    }

    private mutating func open(_ name: StaticString, _ attributes: [HTMLAttribute]) {
        bytes.append(UInt8(ascii: "<"))
        add(name)
        for attribute in attributes {
            guard let value = attribute.value else { continue }
            bytes.append(UInt8(ascii: " "))
            bytes += attribute.name.utf8
            guard let value else { continue }
            bytes += [UInt8(ascii: "="), UInt8(ascii: "\"")]
            Self.append(value, to: &bytes)
            bytes.append(UInt8(ascii: "\""))
        }
        bytes.append(UInt8(ascii: ">"))
    }

    private mutating func add(_ name: StaticString) {
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Escapes markup. Characters that no HTML document may contain become U+FFFD.
    private static func append(_ text: String, to bytes: inout [UInt8]) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "&"): bytes += Array("&amp;".utf8)
            case UInt8(ascii: "<"): bytes += Array("&lt;".utf8)
            case UInt8(ascii: ">"): bytes += Array("&gt;".utf8)
            case UInt8(ascii: "\""): bytes += Array("&quot;".utf8)
            case 9, 10: bytes.append(byte)
            case 0..<32, 127: bytes += [0xEF, 0xBF, 0xBD]
            default: bytes.append(byte)
            }
        }
    }
}

/// An attribute of an element. Addresses that a browser follows or fetches are `Link`s. Scripts and styles cannot be
/// written.
struct HTMLAttribute {
    fileprivate let name: String
    /// Nil if the attribute is left out, `.some(nil)` for one without a value.
    fileprivate let value: String??

    private init(_ name: String, _ value: String??) { (self.name, self.value) = (name, value) }

    static func id(_ value: String) -> HTMLAttribute { .init("id", value) }
    static func `class`(_ value: String) -> HTMLAttribute { .init("class", value) }
    static func href(_ link: Link) -> HTMLAttribute { .init("href", link.text) }
    static func src(_ link: Link) -> HTMLAttribute { .init("src", link.text) }
    static func action(_ link: Link) -> HTMLAttribute { .init("action", link.text) }

    /// An attribute for our scripts; its name begins with `data-`.
    static func data(_ name: DataName, _ value: String?) -> HTMLAttribute {
        .init("data-\(name.rawValue)", value.map { .some($0) })
    }

    /// An attribute that is present or absent.
    static func flag(_ name: FlagName, _ isSet: Bool = true) -> HTMLAttribute {
        .init(name.rawValue, isSet ? .some(nil) : nil)
    }

    /// Another attribute, which is only text to a browser; left out without a value.
    static func plain(_ name: PlainName, _ value: String?) -> HTMLAttribute {
        .init(name.rawValue, value.map { .some($0) })
    }

    enum FlagName: String {
        case hidden, required, autofocus, checked
    }

    /// The names after `data-`.
    enum DataName: String {
        case page, changes, feed, key, section, start, next, more, total, event, place, token, right, command
        case header, footer, end, loaded, seen, commands
    }

    enum PlainName: String {
        case lang, charset, content, name, rel, type, value, method, dir, title, placeholder, role, scope, target
        case datetime, autocomplete, alt, loading
        case ariaLabel = "aria-label"
        case ariaLive = "aria-live"
        case ariaHidden = "aria-hidden"
        case ariaCurrent = "aria-current"
        case ariaLabelledby = "aria-labelledby"
        case ariaDescribedby = "aria-describedby"
        case ariaSort = "aria-sort"
        case `for`, colspan, width, height, tabindex, enterkeyhint, spellcheck, list, rows
        case viewBox, points, x, y, x1, y1, x2, y2, cx, cy, r
        case textAnchor = "text-anchor"
    }
}

/// A link target: one of our pages, or a web address.
struct Link {
    let text: String

    /// One of our pages, by the parts of its path and its parameters.
    static func own(_ parts: String..., query: [(name: String, value: String)] = []) -> Link {
        let path = parts.map { "/" + PercentCoding.encoded($0) }.joined()
        let words = query.map { "\(FormEncoding.encoded($0.name))=\(FormEncoding.encoded($0.value))" }
        return Link(text: (path.isEmpty ? "/" : path) + (words.isEmpty ? "" : "?" + words.joined(separator: "&")))
    }

    /// Something of a feed in the API; a list of a feed has a path below the feed's.
    static func feed(_ name: String, _ parts: String..., query: [(name: String, value: String)] = []) -> Link {
        let words = name.split(separator: "/", maxSplits: 1)
        // The key in the name of a list is in percent-encoding already.
        let list = words.count > 1 ? "/parts/" + words[1].replacing("/", with: ",") : ""
        let rest = own("", query: query).text.dropFirst()
        let path = parts.map { "/" + PercentCoding.encoded($0) }.joined()
        return Link(text: "/feeds/" + PercentCoding.encoded(String(words.first ?? "")) + list + path + rest)
    }

    /// A path of ours that a request had; nil for what a browser takes for another server's.
    init?(ownTarget target: String) {
        guard target.hasPrefix("/"), !target.hasPrefix("//"), target.utf8.count <= 2_000,
            target.utf8.allSatisfy({ $0 > 32 && $0 < 127 && $0 != UInt8(ascii: "\\") })
        else { return nil }
        self.init(text: target)
    }

    private init(text: String) { self.text = text }

    /// A place on the same page.
    static func fragment(_ id: StaticString) -> Link { Link(text: "#\(id)") }

    /// A web address from elsewhere; nil for anything else, such as `javascript:`, and for one with a user name, which
    /// people take for the host.
    static func web(_ text: String) -> Link? {
        let lower = text.prefix(8).lowercased()
        guard lower.hasPrefix("https://") || lower.hasPrefix("http://"), text.utf8.count <= 4_000,
            text.unicodeScalars.allSatisfy({ $0.value > 32 && $0.value != 127 && !$0.properties.isBidiControl })
        else { return nil }
        let authority = text.drop { $0 != "/" }.dropFirst(2).prefix { !"/?#\\".contains($0) }
        return authority.contains("@") ? nil : Link(text: text)
    }
}
