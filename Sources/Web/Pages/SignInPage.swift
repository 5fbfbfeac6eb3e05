internal import HTTPServer

/// The form for the token.
struct SignInPage: Page {
    let frame: PageFrame
    /// The page of ours that it leads to; nil for the first one.
    private let target: String?
    private let problem: String?

    /// The form for a browser that asks for it, which goes back to the page that it was on.
    init(_ visit: Visit) {
        self.init(visit, to: visit.request.parameter("to") ?? Self.pageBefore(visit))
    }

    init(_ visit: Visit, to target: String?, problem: String? = nil) {
        (frame, self.target, self.problem) = (visit.frame, target, problem)
    }

    /// The address of this page, which leads to a page of ours.
    static func link(to target: String) -> Link {
        isOwn(target) && target != "/" ? .own("login", query: [(name: "to", value: target)]) : .own("login")
    }

    /// The page of ours that the browser was on; nil if it was on none.
    ///
    /// Source: https://www.rfc-editor.org/rfc/rfc9110#name-referer
    private static func pageBefore(_ visit: Visit) -> String? {
        guard let page = visit.request.header("Referer") else { return nil }
        let own = ["http://", "https://"].map { $0 + visit.visitor.caller.host + "/" }.first { page.hasPrefix($0) }
        return own.map { String(page.dropFirst($0.count - 1)) }
    }

    var response: ServerResponse {
        frame.page("login", title: "Sign in", status: problem == nil ? 200 : 403, isPlain: true) { html in
            html.element("form", .class("login"), .plain(.method, "post"), .action(.own("login"))) { html in
                html.element("h1", text: "Sign in")
                html.element("label", .plain(.for, "token"), text: "Token")
                html.void(
                    "input", .id("token"), .plain(.name, "token"), .plain(.type, "password"), .flag(.required),
                    .flag(.autofocus), .plain(.autocomplete, "current-password"))
                if let target, Self.isOwn(target) {
                    html.void("input", .plain(.type, "hidden"), .plain(.name, "to"), .plain(.value, target))
                }
                html.element(
                    "p", .class("hint"),
                    text:
                        "It is in ~/.local/state/feedsync/serve.token, or in the file that --token-file names. The address that feedsync serve printed signs in, too."
                )
                if let problem { html.element("p", .class("wrong"), .plain(.role, "alert"), text: problem) }
                html.element("button", .plain(.type, "submit"), text: "Sign in")
            }
        }
    }

    private static func isOwn(_ target: String) -> Bool { Link(ownTarget: target) != nil }
}

/// The beginning and the end of a browser's session.
struct SignIn {
    let visit: Visit

    /// Begins a session with the token of the form.
    func begin() async -> SharedAnswer {
        let form = Doorkeeper.form(visit.request)
        guard let cookie = await visit.site.door.session(token: form["token"] ?? "", of: visit.visitor.caller) else {
            return .finished(SignInPage(visit, to: form["to"], problem: "That is not the token.").response)
        }
        return begun(cookie, to: form["to"])
    }

    /// Begins a session with the code that the server printed. Somebody who is signed in needs no other one.
    func open() async -> SharedAnswer {
        let request = visit.request
        // A program that only looks at a link does not use it up.
        guard request.method == "GET" else { return .finished(.status(204)) }
        let code = request.parameter("code")
        if let code, visit.visitor.mayChange {
            visit.site.door.useUp(code: code)
            return begun(nil, to: request.parameter("to"))
        }
        guard let cookie = await visit.site.door.session(code: code ?? "", of: visit.visitor.caller) else {
            let problem = "That address was used before, or is too old."
            return .finished(SignInPage(visit, to: nil, problem: problem).response)
        }
        return begun(cookie, to: request.parameter("to"))
    }

    private func begun(_ cookie: String?, to target: String?) -> SharedAnswer {
        let link = target.flatMap(Link.init(ownTarget:)) ?? .own()
        let cookies = cookie.map { [(name: "Set-Cookie", value: $0)] } ?? []
        return .finished(.status(303, headers: [(name: "Location", value: link.text)] + cookies))
    }

    func end() -> SharedAnswer {
        let cookie = visit.site.door.signOut(visit.visitor)
        return .finished(.status(303, headers: [("Location", "/login"), ("Set-Cookie", cookie)]))
    }
}
