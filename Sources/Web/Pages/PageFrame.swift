internal import FeedSync
internal import HTTPServer
internal import Reports

extension Site {
    /// A whole page: what every page has, around what this one has.
    ///
    /// - Parameters:
    ///   - kind: Which page it is, for the script.
    ///   - title: What the browser calls it.
    func page(
        _ kind: String, title: String, status: Int = 200, isPlain: Bool = false, content: (inout HTMLWriter) -> Void
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
                "body", .data(.page, kind), .data(.token, isPlain || settings.isReadOnly ? nil : door.pageToken)
            ) { html in
                html.element("a", .class("skip"), .href(.fragment("main")), text: "Skip to the content")
                html.element("header", .class("site")) { html in
                    html.element("a", .class("brand"), .href(.own())) { html in
                        html.void(
                            "img", .src(Asset.link("icon.svg")), .plain(.alt, ""), .plain(.width, "22"),
                            .plain(.height, "22"))
                        html.element("span", text: "feedsync")
                    }
                    html.element("nav", .plain(.ariaLabel, "Pages")) { html in
                        for (name, path) in [("Feeds", ""), ("Status", "status")] where !isPlain {
                            let isHere = kind == (path.isEmpty ? "overview" : path)
                            let link = path.isEmpty ? Link.own() : Link.own(path)
                            if isHere {
                                html.element("a", .href(link), .plain(.ariaCurrent, "page"), text: name)
                            } else {
                                html.element("a", .href(link), text: name)
                            }
                        }
                    }
                }
                html.element("main", .id("main"), .plain(.tabindex, "-1"), content: content)
            }
        }
        return ServerResponse(
            status: status, headers: [(name: "Content-Type", value: "text/html; charset=utf-8")], body: html.bytes)
    }

    /// A page that only says something.
    func messagePage(_ title: String, _ text: String, status: Int) -> ServerResponse {
        page("message", title: title, status: status) { html in
            html.element("div", .class("empty")) { html in
                html.element("h1", text: title)
                html.element("p", text: text)
                html.element("p") { $0.element("a", .class("button"), .href(.own()), text: "All feeds") }
            }
        }
    }

    /// Where a browser gives the token.
    func loginPage(wasWrong: Bool = false) -> ServerResponse {
        page("login", title: "Sign in", status: wasWrong ? 403 : 200, isPlain: true) { html in
            html.element("form", .class("login"), .plain(.method, "post"), .action(.own("login"))) { html in
                html.element("h1", text: "Sign in")
                html.element("label", .plain(.for, "token"), text: "Token")
                html.void(
                    "input", .id("token"), .plain(.name, "token"), .plain(.type, "password"), .flag(.required),
                    .flag(.autofocus), .plain(.autocomplete, "current-password"))
                html.element("p", .class("hint"), text: "It stands in the file that --token-file names.")
                if wasWrong {
                    html.element("p", .class("wrong"), .plain(.role, "alert"), text: "That is not the token.")
                }
                html.element("button", .plain(.type, "submit"), text: "Sign in")
            }
        }
    }

    func login(_ request: ServerRequest) -> ServerResponse {
        guard let cookie = door.session(token: Doorkeeper.form(request)["token"] ?? "") else {
            return loginPage(wasWrong: true)
        }
        return .status(303, headers: [("Location", "/"), ("Set-Cookie", cookie)])
    }

    func asset(_ name: String, _ request: ServerRequest) -> SharedAnswer {
        guard let asset = Asset.named(name) else { return notFound(request) }
        let isPinned = request.parameter("v") == asset.version
        let headers = [
            (name: "Content-Type", value: asset.type),
            (name: "Cache-Control", value: isPinned ? "public, max-age=31536000, immutable" : "no-cache"),
        ]
        return shown(ServerResponse(headers: headers, body: asset.bytes), request)
    }
}

/// A script, a style or a picture of ours.
struct Asset: Sendable {
    let type: String
    let bytes: [UInt8]
    let version: String

    private init(_ type: String, _ bytes: [UInt8]) {
        (self.type, self.bytes) = (type, bytes)
        version = String(Responses.tag(of: bytes).dropFirst().prefix(8))
    }

    private static let all = [
        "app.js": Asset("text/javascript; charset=utf-8", PackageResources.app_js),
        "style.css": Asset("text/css; charset=utf-8", PackageResources.style_css),
        "icon.svg": Asset("image/svg+xml", PackageResources.icon_svg),
    ]

    static func named(_ name: String) -> Asset? { all[name] }

    /// A link that another content has another one of.
    static func link(_ name: String) -> Link { .own("assets", name, query: [("v", all[name]?.version ?? "")]) }
}

/// Text of others, as it is shown.
enum Shown {
    /// Why a feed's state is what it is; empty where there is nothing to say.
    static func why(_ feed: StateRow) -> String {
        guard let why = feed.why else { return "" }
        return text(feed.state == .fresh ? "Last look: \(why)" : why, most: 400)
    }

    /// At most so many characters of a text.
    static func text(_ text: String, most: Int) -> String {
        // Four bytes a character at most, so that a text of megabytes is not walked through.
        guard text.utf8.count > most else { return text }
        let part = text.prefix(most)
        return part.endIndex == text.endIndex ? text : part + "…"
    }
}
