internal import HTTPServer

extension HellKind {
    /// Statuses other than 200.
    static let statuses: [HellKind] =
        [
            status(400, 69), status(401, 77), status(402, 69), status(403, 77), status(404, 69), status(405, 69),
            status(406, 69), status(408, 69), status(409, 69), status(410, 69), status(418, 69), status(421, 69),
            status(422, 69), status(425, 69), status(429, 75), status(431, 69), status(451, 69), status(500, 69),
            status(501, 69), status(502, 69), status(503, 69), status(504, 69), status(511, 69), status(599, 69),
            HellKind("status-204", .statuses, 0, "204 without a body") { _ in .status(204) },
            HellKind("status-300", .statuses, 65, "300 with a choice") { $0.status(300) },
            HellKind("status-600", .statuses, 69, "600") { $0.raw("HTTP/1.1 600 What\nContent-Length: 2\n\n{}") },
            HellKind("status-999", .statuses, 69, "999") { $0.raw("HTTP/1.1 999 No\nContent-Length: 2\n\n{}") },
            HellKind("status-000", .statuses, 69, "000") { $0.raw("HTTP/1.1 000 No\nContent-Length: 2\n\n{}") },
            HellKind("error-in-200", .statuses, 69, "200 with an error and no items") {
                $0.body(#"{"error":{"code":500,"message":"database is down"}}"#)
            },
            HellKind("errors-in-200", .statuses, 69, "200 with GraphQL's errors") {
                $0.body(#"{"errors":[{"message":"no"}],"data":null}"#)
            },
        ]

    /// Redirects that lead nowhere good.
    static let redirects: [HellKind] = [
        redirect("redirect-self", 65, "to itself") { $0.url($0.number) },
        redirect("redirect-two", 65, "to another page and back") { $0.url($0.number % 2 + 1) },
        redirect("redirect-endless", 65, "to a new page every time") { $0.url($0.asked + 100) },
        redirect("redirect-file", 65, "to a file") { _ in "file:///etc/passwd" },
        redirect("redirect-ftp", 65, "to FTP") { _ in "ftp://127.0.0.1/things" },
        redirect("redirect-gopher", 65, "to gopher") { _ in "gopher://127.0.0.1:70/_things" },
        redirect("redirect-script", 65, "to a script") { _ in "javascript:alert(1)" },
        redirect("redirect-data", 65, "to a data URL") { _ in "data:application/json,[]" },
        redirect("redirect-other", 69, "to a port where nobody listens") { _ in "http://127.0.0.1:1/things" },
        redirect("redirect-user", 65, "to a URL with a password") {
            "http://me:secret@\($0.origin.dropFirst(7))/sound"
        },
        HellKind("redirect-empty", .redirects, 65, "a redirect with an empty Location") {
            $0.raw("HTTP/1.1 302 Found\nLocation:\nContent-Length: 2\n\n{}")
        },
        redirect("redirect-broken", 65, "to no URL") { _ in "http://[::1" },
        redirect("redirect-port", 65, "to a port beyond 65,535") { _ in "http://127.0.0.1:99999/" },
        HellKind("redirect-lost", .redirects, 65, "without a Location") { $0.status(302) },
        HellKind("redirect-good", .redirects, 0, "to a sound list") { page in
            page.status(307, [(name: "Location", value: "/sound?page=\(page.number)")])
        },
    ]

    private static func status(_ status: Int, _ code: Int32) -> HellKind {
        HellKind("status-\(status)", .statuses, code, "\(status)") { $0.status(status) }
    }

    private static func redirect(
        _ name: String, _ code: Int32, _ summary: String, to location: @escaping @Sendable (HellPage) -> String
    ) -> HellKind {
        HellKind(name, .redirects, code, summary) { $0.status(302, [(name: "Location", value: location($0))]) }
    }
}
