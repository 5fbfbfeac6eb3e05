internal import HTTPServer

/// The beginning and the end of a browser's session.
extension Site {
    /// The page for the token, which leads to a page of ours.
    func signInLink(to target: String) -> Link {
        Self.isOwn(target) && target != "/" ? .own("login", query: [(name: "to", value: target)]) : .own("login")
    }

    /// The page of ours that the browser was on; nil if it was on none.
    ///
    /// Source: https://www.rfc-editor.org/rfc/rfc9110#name-referer
    func pageBefore(_ request: ServerRequest) -> String? {
        guard let caller = visitor?.caller, let page = request.header("Referer") else { return nil }
        let own = ["http://", "https://"].map { $0 + caller.host + "/" }.first { page.hasPrefix($0) }
        return own.map { String(page.dropFirst($0.count - 1)) }
    }

    /// The form for the token.
    func loginPage(to target: String?, problem: String? = nil) -> ServerResponse {
        page("login", title: "Sign in", status: problem == nil ? 200 : 403, isPlain: true) { html in
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

    func login(_ request: ServerRequest) async -> ServerResponse {
        let form = Doorkeeper.form(request)
        guard let caller = visitor?.caller, let cookie = await door.session(token: form["token"] ?? "", of: caller)
        else {
            return loginPage(to: form["to"], problem: "That is not the token.")
        }
        return begun(cookie, to: form["to"])
    }

    /// Begins a session with the code that the server printed.
    func open(_ request: ServerRequest) async -> ServerResponse {
        // A program that only looks at a link does not use it up.
        guard request.method == "GET" else { return .status(204) }
        guard let caller = visitor?.caller,
            let cookie = await door.session(code: request.parameter("code") ?? "", of: caller)
        else { return loginPage(to: nil, problem: "That address was used before, or is too old.") }
        return begun(cookie, to: request.parameter("to"))
    }

    private func begun(_ cookie: String, to target: String?) -> ServerResponse {
        let link = target.flatMap(Link.init(ownTarget:)) ?? .own()
        return .status(303, headers: [("Location", link.text), ("Set-Cookie", cookie)])
    }

    func logout() -> ServerResponse {
        guard let visitor else { return .status(303, headers: [("Location", "/login")]) }
        return .status(303, headers: [("Location", "/login"), ("Set-Cookie", door.signOut(visitor))])
    }

    private static func isOwn(_ target: String) -> Bool { Link(ownTarget: target) != nil }
}
