internal import Text

/// Writes HTML. Names are ours, and all else is escaped: there is no way to put in text as markup.
struct HTMLWriter {
    private(set) var bytes: [UInt8] = []

    /// An element with what `content` writes in it.
    mutating func element(
        _ name: StaticString, _ attributes: HTMLAttribute..., content: (inout HTMLWriter) -> Void
    ) {
        open(name, attributes)
        content(&self)
        close(name)
    }

    /// An element with text in it.
    mutating func element(_ name: StaticString, _ attributes: HTMLAttribute..., text: String) {
        open(name, attributes)
        self.text(text)
        close(name)
    }

    /// An element that has no content and no end.
    mutating func void(_ name: StaticString, _ attributes: HTMLAttribute...) { open(name, attributes) }

    /// Text.
    mutating func text(_ text: String) { Self.append(text, to: &bytes) }

    /// What was written apart.
    mutating func add(_ other: HTMLWriter) { bytes += other.bytes }

    /// The beginning of each page.
    mutating func doctype() { bytes += Array("<!doctype html>\n".utf8) }

    /// The beginning of an element whose end is written by itself.
    mutating func begin(_ name: StaticString, _ attributes: HTMLAttribute...) { open(name, attributes) }

    /// The end of an element that was begun.
    mutating func end(_ name: StaticString) { close(name) }

    private mutating func open(_ name: StaticString, _ attributes: [HTMLAttribute]) {
        bytes.append(UInt8(ascii: "<"))
        add(name)
        for attribute in attributes {
            guard let value = attribute.value else { continue }
            bytes.append(UInt8(ascii: " "))
            add(attribute.name)
            guard let value else { continue }
            bytes += [UInt8(ascii: "="), UInt8(ascii: "\"")]
            Self.append(value, to: &bytes)
            bytes.append(UInt8(ascii: "\""))
        }
        bytes.append(UInt8(ascii: ">"))
    }

    private mutating func close(_ name: StaticString) {
        bytes += [UInt8(ascii: "<"), UInt8(ascii: "/")]
        add(name)
        bytes.append(UInt8(ascii: ">"))
    }

    private mutating func add(_ name: StaticString) {
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Escapes what is markup; what no HTML document may contain is shown as U+FFFD.
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

/// An attribute of an element. What a browser follows or fetches is a `Link`; what it runs or draws cannot be written.
struct HTMLAttribute {
    fileprivate let name: StaticString
    /// Nil where the attribute is left out, `.some(nil)` for one without a value.
    fileprivate let value: String??

    private init(_ name: StaticString, _ value: String??) { (self.name, self.value) = (name, value) }

    static func id(_ value: String) -> HTMLAttribute { .init("id", value) }
    static func `class`(_ value: String) -> HTMLAttribute { .init("class", value) }
    static func href(_ link: Link) -> HTMLAttribute { .init("href", link.text) }
    static func src(_ link: Link) -> HTMLAttribute { .init("src", link.text) }
    static func action(_ link: Link) -> HTMLAttribute { .init("action", link.text) }

    /// One of ours for scripts: the name begins with `data-`.
    static func data(_ name: DataName, _ value: String?) -> HTMLAttribute { .init(name.text, value.map { .some($0) }) }

    /// One that is there or is not.
    static func flag(_ name: FlagName, _ isSet: Bool = true) -> HTMLAttribute {
        .init(name.text, isSet ? .some(nil) : nil)
    }

    /// Another one that is only text to a browser.
    static func plain(_ name: PlainName, _ value: String) -> HTMLAttribute { .init(name.text, value) }

    enum FlagName {
        case hidden, required, disabled, autofocus, open, checked
        fileprivate var text: StaticString {
            switch self {
            case .hidden: "hidden"
            case .required: "required"
            case .disabled: "disabled"
            case .autofocus: "autofocus"
            case .open: "open"
            case .checked: "checked"
            }
        }
    }

    enum DataName {
        case page, feed, key, section, start, next, more, total, event, place, token, right, command
        case header, footer, end, loaded
        fileprivate var text: StaticString {
            switch self {
            case .page: "data-page"
            case .feed: "data-feed"
            case .key: "data-key"
            case .section: "data-section"
            case .start: "data-start"
            case .next: "data-next"
            case .more: "data-more"
            case .total: "data-total"
            case .event: "data-event"
            case .place: "data-place"
            case .token: "data-token"
            case .right: "data-right"
            case .command: "data-command"
            case .header: "data-header"
            case .footer: "data-footer"
            case .end: "data-end"
            case .loaded: "data-loaded"
            }
        }
    }

    enum PlainName {
        case lang, charset, content, name, rel, type, value, method, dir, title, placeholder, role, scope, target
        case ariaLabel, ariaLive, ariaHidden, ariaCurrent, ariaLabelledby, ariaDescribedby, ariaBusy, datetime,
            autocomplete, alt,
            loading
        case `for`, width, height, tabindex, enterkeyhint, spellcheck, list, rows
        case viewBox, d, points, x, y, x1, y1, x2, y2, textAnchor
        fileprivate var text: StaticString {
            switch self {
            case .lang: "lang"
            case .charset: "charset"
            case .content: "content"
            case .name: "name"
            case .rel: "rel"
            case .type: "type"
            case .value: "value"
            case .method: "method"
            case .dir: "dir"
            case .title: "title"
            case .placeholder: "placeholder"
            case .role: "role"
            case .scope: "scope"
            case .target: "target"
            case .ariaLabel: "aria-label"
            case .ariaLive: "aria-live"
            case .ariaHidden: "aria-hidden"
            case .ariaCurrent: "aria-current"
            case .ariaLabelledby: "aria-labelledby"
            case .ariaDescribedby: "aria-describedby"
            case .ariaBusy: "aria-busy"
            case .datetime: "datetime"
            case .autocomplete: "autocomplete"
            case .alt: "alt"
            case .loading: "loading"
            case .for: "for"
            case .width: "width"
            case .height: "height"
            case .tabindex: "tabindex"
            case .enterkeyhint: "enterkeyhint"
            case .spellcheck: "spellcheck"
            case .list: "list"
            case .rows: "rows"
            case .viewBox: "viewBox"
            case .d: "d"
            case .points: "points"
            case .x: "x"
            case .y: "y"
            case .x1: "x1"
            case .y1: "y1"
            case .x2: "x2"
            case .y2: "y2"
            case .textAnchor: "text-anchor"
            }
        }
    }
}

/// Where a browser may go: a page of ours, or a web address.
struct Link {
    let text: String

    /// A page of ours: its path in parts, and its parameters.
    static func own(_ parts: String..., query: [(name: String, value: String)] = []) -> Link {
        let path = parts.map { "/" + PercentCoding.encoded($0) }.joined()
        let words = query.map { "\(FormEncoding.encoded($0.name))=\(FormEncoding.encoded($0.value))" }
        return Link(text: (path.isEmpty ? "/" : path) + (words.isEmpty ? "" : "?" + words.joined(separator: "&")))
    }

    /// A place on the same page.
    static func fragment(_ id: StaticString) -> Link { Link(text: "#\(id)") }

    /// A web address that came from elsewhere; nil for anything that is none, such as `javascript:`.
    static func web(_ text: String) -> Link? {
        let lower = text.prefix(8).lowercased()
        guard lower.hasPrefix("https://") || lower.hasPrefix("http://"), text.utf8.count <= 4_000,
            text.unicodeScalars.allSatisfy({ $0.value > 32 && $0.value != 127 && !$0.properties.isBidiControl })
        else { return nil }
        return Link(text: text)
    }
}
