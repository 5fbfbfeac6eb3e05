internal import FeedSync
internal import HTTPServer
internal import JSON
internal import Reports
internal import Time

/// A page of the site: its response, as far as its visitor may see it.
protocol Page {
    var response: ServerResponse { get }
}

/// The frame of all pages, and the forms in them that send the visitor's token.
struct PageFrame: Sendable {
    /// Nil for a client that was not let in.
    let visitor: Visitor?
    /// The number of changes that the page knows; nil if it hears of none.
    let changes: Int?
    let isReadOnly: Bool

    /// A whole page: the frame with the given content.
    ///
    /// - Parameters:
    ///   - kind: The kind of the page, for the script.
    ///   - title: The title in the browser.
    ///   - isPlain: True for a page before the way in: without scripts and links.
    ///   - searched: The text in the field that searches all feeds.
    func page(
        _ kind: String, title: String, status: Int = 200, isPlain: Bool = false, searched: String = "",
        content: (inout HTMLWriter) -> Void
    ) -> ServerResponse {
        var html = HTMLWriter()
        html.doctype()
        html.element("html", .plain(.lang, "en")) { html in
            html.element("head") { html in
                html.void("meta", .plain(.charset, "utf-8"))
                html.void(
                    "meta", .plain(.name, "viewport"), .plain(.content, "width=device-width, initial-scale=1"))
                html.void("meta", .plain(.name, "color-scheme"), .plain(.content, "light dark"))
                html.element("title", text: Shown.text(title, most: 120) + " · feedsync")
                html.void("link", .plain(.rel, "icon"), .href(Asset.link("icon.svg")), .plain(.type, "image/svg+xml"))
                html.void("link", .plain(.rel, "stylesheet"), .href(Asset.link("style.css")))
                if !isPlain {
                    html.element("script", .plain(.type, "module"), .src(Asset.link("app.js"))) { _ in }
                }
            }
            html.element(
                "body", .data(.page, kind), .data(.token, isPlain || isReadOnly ? nil : visitor?.pageToken),
                .data(.changes, isPlain ? nil : changes.map(String.init))
            ) { html in
                html.element("a", .class("skip"), .href(.fragment("main")), text: "Skip to the content")
                html.element("header", .class("site")) { html in
                    html.element("a", .class("brand"), .href(.own())) { html in
                        html.void(
                            "img", .src(Asset.link("icon.svg")), .plain(.alt, ""), .plain(.width, "22"),
                            .plain(.height, "22"))
                        html.element("span", text: "feedsync")
                    }
                    if !isPlain { searchForm(searched, to: &html) }
                    html.element("nav", .plain(.ariaLabel, "Pages")) { html in
                        for (name, path) in [("Feeds", ""), ("Changes", "changes"), ("Status", "status")] where !isPlain
                        {
                            let isHere = kind == (path.isEmpty ? "overview" : path)
                            let link = path.isEmpty ? Link.own() : Link.own(path)
                            html.element("a", .href(link), .plain(.ariaCurrent, isHere ? "page" : nil), text: name)
                        }
                    }
                    if !isPlain { signing(to: &html) }
                }
                html.element("main", .id("main"), .plain(.tabindex, "-1"), content: content)
                if !isPlain {
                    html.element("footer", .class("site")) { html in
                        html.element("a", .id("keys-link"), .href(.own("keys")), text: "Keys")
                        html.element("a", .href(.own("openapi.json")), text: "API")
                    }
                    Keys.writeDialog(to: &html)
                }
                html.element("p", .id("said"), .class("said"), .plain(.role, "status"), .flag(.hidden)) { _ in }
                html.element("p", .id("offline"), .class("offline"), .plain(.role, "status"), .flag(.hidden)) {
                    $0.text("Not connected. Trying again…")
                }
            }
        }
        return ServerResponse(
            status: status, headers: [(name: "Content-Type", value: "text/html; charset=utf-8")], body: html.bytes)
    }

    /// The word that pages send with a change, in a form.
    func writeToken(to html: inout HTMLWriter) {
        html.void("input", .plain(.type, "hidden"), .plain(.name, "token"), .plain(.value, visitor?.pageToken ?? ""))
    }

    /// Writes a button that sends a command to a feed.
    func commandForm(
        _ command: String, id: String? = nil, of name: String, label: String, to html: inout HTMLWriter
    ) {
        html.element(
            "form", .plain(.method, "post"), .action(.own("feeds", name, command)), .class("command"),
            .data(.command, command)
        ) { html in
            writeToken(to: &html)
            html.element("button", .plain(.type, "submit"), .id(id ?? command), text: label)
        }
    }

    /// Writes the button that undoes a removal.
    func restoring(_ name: String, to html: inout HTMLWriter) {
        html.element("form", .class("command"), .plain(.method, "post"), .action(.feed(name, "restore"))) { html in
            writeToken(to: &html)
            html.element("button", .plain(.type, "submit"), text: "Undo the removal")
        }
    }

    private func searchForm(_ text: String, to html: inout HTMLWriter) {
        html.element(
            "form", .class("find"), .plain(.role, "search"), .plain(.ariaLabel, "All feeds"), .plain(.method, "get"),
            .action(.own("find"))
        ) { html in
            html.element("label", .class("hidden-label"), .plain(.for, "find"), text: "Search all feeds")
            html.void(
                "input", .id("find"), .plain(.type, "search"), .plain(.name, "q"), .plain(.value, text),
                .plain(.placeholder, "Search all feeds"), .plain(.autocomplete, "off"), .plain(.spellcheck, "false"),
                .plain(.enterkeyhint, "search"))
        }
    }

    /// The way in, and the way out.
    private func signing(to html: inout HTMLWriter) {
        switch visitor?.way {
        case .session:
            html.element("form", .class("signing"), .plain(.method, "post"), .action(.own("logout"))) { html in
                writeToken(to: &html)
                html.element("button", .class("plain"), .plain(.type, "submit"), text: "Sign out")
            }
        case .reader where !isReadOnly:
            html.element("a", .class("signing"), .href(SignInPage.link(to: "")), text: "Sign in")
        case .open, .token, .reader, nil: break
        }
    }

    /// A page with a message and a link.
    ///
    /// - Parameter kind: The kind of the page, for the script.
    func message(
        _ title: String, _ text: String, status: Int, kind: String = "message", link: (to: Link, text: String)? = nil
    ) -> ServerResponse {
        page(kind, title: title, status: status) { html in
            html.element("div", .class("empty")) { html in
                html.element("h1", text: title)
                html.element("p", text: text)
                html.element("p") { html in
                    html.element("a", .class("button"), .href(link?.to ?? .own()), text: link?.text ?? "All feeds")
                }
            }
        }
    }
}

extension HTMLWriter {
    /// Writes a sign that something is under way, with words.
    mutating func indicator(_ id: String, _ text: String, isHidden: Bool = true) {
        element("div", .id(id), .class("indicator"), .flag(.hidden, isHidden)) { html in
            html.element("span", .class("spinner"), .plain(.ariaHidden, "true")) { _ in }
            html.element("span", text: text)
        }
    }
}

/// A script, a style sheet or a picture of our pages.
struct Asset: Sendable {
    let type: String
    let bytes: [UInt8]

    private init(_ type: String, _ bytes: [UInt8]) { (self.type, self.bytes) = (type, bytes) }

    private static func script(_ bytes: [UInt8]) -> Asset { Asset("text/javascript; charset=utf-8", bytes) }

    private static let all = [
        "app.js": script(PackageResources.app_js),
        "page.js": script(PackageResources.page_js),
        "live.js": script(PackageResources.live_js),
        "list.js": script(PackageResources.list_js),
        "rows.js": script(PackageResources.rows_js),
        "search.js": script(PackageResources.search_js),
        "add.js": script(PackageResources.add_js),
        "status.js": script(PackageResources.status_js),
        "keys.js": script(PackageResources.keys_js),
        "visits.js": script(PackageResources.visits_js),
        "style.css": Asset("text/css; charset=utf-8", PackageResources.style_css),
        "icon.svg": Asset("image/svg+xml", PackageResources.icon_svg),
    ]

    /// A version for the content of all assets, because modules import each other by name.
    static let version = String(
        Responses.tag(of: all.sorted { $0.key < $1.key }.flatMap(\.value.bytes)).dropFirst().prefix(8))

    static func named(_ name: String) -> Asset? { all[name] }

    static func link(_ name: String) -> Link { .own("assets", version, name) }
}

extension Visit {
    /// - Parameter isPinned: True if the path contains the version of the assets, so that the content never changes.
    func answer(_ asset: Asset?, isPinned: Bool) -> SharedAnswer {
        guard let asset else { return notFound() }
        let headers = [
            (name: "Content-Type", value: asset.type),
            (name: "Cache-Control", value: isPinned ? "public, max-age=31536000, immutable" : "no-cache"),
        ]
        return shown(ServerResponse(headers: headers, body: asset.bytes))
    }
}

/// Texts of others, in the form in which they are shown.
enum Shown {
    /// Writes the reason for a feed's state as a sentence; nothing if there is no reason.
    static func why(_ feed: StateRow, to html: inout HTMLWriter) {
        guard !feed.isRemoved else { return html.text("Not in the configuration any more. Its items stay.") }
        guard feed.state == .fresh, let record = feed.feed.record,
            let checkedAt = [record.syncedAtText, record.reloadedAtText].compactMap(\.self).max()
        else { return html.text(sentence(feed.state == .running ? feed.pageOfRun ?? "" : feed.why ?? "")) }
        html.text("Checked ")
        time(checkedAt, to: &html)
        if let fullAt = record.fullAtText, fullAt < checkedAt {
            html.text("; all of it ")
            time(fullAt, to: &html)
        }
        html.text(".")
    }

    /// A clause of the store as a sentence. A file, a name or code at its beginning stays as it is written.
    static func sentence(_ clause: String) -> String {
        let word = clause.split(separator: " ", maxSplits: 1).first ?? ""
        let isWord = word.drop { $0.isLowercase || "-'".contains($0) }.allSatisfy { ",;:".contains($0) }
        let text = text(isWord ? clause.prefix(1).uppercased() + clause.dropFirst() : clause, most: 400)
        return text.last.map { ".…?!:".contains($0) } ?? true ? text : text + "."
    }

    /// Writes a time in words, which a script keeps up to date, together with the exact time.
    static func time(_ text: String?, to html: inout HTMLWriter) {
        guard let text else { return html.text("never") }
        html.element(
            "time", .class("ago"), .plain(.datetime, text), .plain(.title, text), text: RelativeTime.ago(text))
    }

    /// Advice in the words of pages; nil for advice that only somebody in a shell can follow.
    static func advice(_ text: String?) -> String? {
        guard let text else { return nil }
        let own = [
            (of: "--header", words: "type a header, such as Authorization: Bearer ${TOKEN}"),
            (of: "feedsync presets", words: "begin a URL with https://, or choose one of the presets"),
            (of: "--items and --key", words: "write the feed into the configuration, with `items` and `key`"),
            (of: "feedsync remove", words: "choose another name"),
        ]
        if let known = own.first(where: { text.contains($0.of) }) { return known.words }
        return text.contains("feedsync ") || text.contains("--") ? nil : text
    }

    /// At most `most` characters of a text, cut at a word and taken from its first `4 * most` scalars.
    static func text(_ text: String, most: Int) -> String {
        // Does not walk through a text of megabytes, or through a letter with a million accents.
        guard text.utf8.count > most else { return text }
        let start = text.unicodeScalars.prefix(most * 4)
        let part = String(String.UnicodeScalarView(start)).prefix(most)
        guard part.utf8.count < text.utf8.count else { return text }
        guard let space = part.lastIndex(where: \.isWhitespace), part[space...].count <= 20 else { return part + "…" }
        return part[..<space] + "…"
    }

    /// The text, if it has visible characters; nil for spaces and marks alone.
    static func visible(_ text: String?) -> String? {
        guard let text,
            text.unicodeScalars.contains(where: { scalar in
                switch scalar.properties.generalCategory {
                case .format, .control, .spaceSeparator, .lineSeparator, .paragraphSeparator: false
                default: true
                }
            })
        else { return nil }
        return text
    }

    /// The key of an item, without JSON's quotes around a text.
    static func key(_ json: String) -> String {
        guard let text = try? JSONValue(parsing: json).text else { return json }
        return visible(text) ?? json
    }

    /// A time as `21 Nov 2026, 10:14`, in UTC; any other text as it is.
    static func moment(_ text: String) -> String {
        guard text.utf8.count < 40, text.dropFirst(10).first == "T", let time = Timestamp(text)?.text
        else { return text }
        return "\(DayName.short(String(time.prefix(10)))) \(time.prefix(4)), \(time.dropFirst(11).prefix(5))"
    }

    /// The name of a column in words.
    static func column(_ name: String) -> String {
        let words = name.replacing("_", with: " ")
        return words.hasSuffix(" count") ? String(words.dropLast(6)) : words
    }
}

/// The links between the pages of a feed.
enum FeedTabs {
    enum Page: String, CaseIterable {
        case list, table, changes, settings

        var title: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
    }

    static func write(_ feed: KnownFeed, here: Page, to html: inout HTMLWriter) {
        html.element("nav", .class("tabs"), .plain(.ariaLabel, "Pages of this feed")) { html in
            for page in Page.allCases {
                // The changes and the settings of a list are those of the feed that has it.
                let name =
                    [.changes, .settings].contains(page) ? FeedPart.feed(ofPart: feed.name) ?? feed.name : feed.name
                html.element(
                    "a", .href(.own(page.rawValue, name)), .plain(.ariaCurrent, page == here ? "page" : nil),
                    text: page.title)
            }
        }
    }
}
