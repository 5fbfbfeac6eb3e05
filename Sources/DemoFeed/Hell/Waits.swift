internal import HTTPServer

extension HellKind {
    /// Requests to wait, in all forms, and quotas.
    static let waits: [HellKind] =
        forms.flatMap { form in
            [429, 503].map { status in
                HellKind(
                    "wait-\(status)-\(form.name)", .waits, form.isWait || status == 429 ? 75 : 69,
                    "\(status) with Retry-After \(form.summary)"
                ) { $0.status(status, [(name: "Retry-After", value: form.value)]) }
            }
        } + [
            quota(
                "quota-spent", 75, "403, and a quota that is spent for years",
                [
                    ("X-RateLimit-Limit", "10"), ("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "9999999999"),
                ], status: 403),
            quota(
                "quota-past", 77, "403, and a quota that was full again in 1970",
                [
                    ("X-RateLimit-Remaining", "5"), ("X-RateLimit-Reset", "1"),
                ], status: 403),
            quota(
                "quota-negative", 0, "a negative quota",
                [
                    ("X-RateLimit-Remaining", "-5"), ("X-RateLimit-Reset", "-5"),
                ]),
            quota(
                "quota-huge", 0, "a quota beyond 64 bits",
                [
                    ("X-RateLimit-Remaining", "99999999999999999999"), ("X-RateLimit-Reset", "99999999999999999999"),
                ]),
            quota(
                "quota-words", 0, "a quota in words",
                [
                    ("X-RateLimit-Remaining", "plenty"), ("X-RateLimit-Reset", "soon"), ("RateLimit", "\"a\";r=;t=x"),
                ]),
        ]

    private struct Form {
        let name: String
        let value: String
        let summary: String
        var isWait = true
    }

    private static let forms = [
        Form(name: "hour", value: "3600", summary: "of an hour"),
        Form(name: "date", value: "Fri, 31 Dec 2099 23:59:59 GMT", summary: "a date"),
        Form(
            name: "old-date", value: "Thursday, 31-Dec-99 23:59:59 GMT", summary: "a date of RFC 850, which is 1999",
            isWait: false),
        Form(name: "asctime", value: "Thu Dec 31 23:59:59 2099", summary: "a date of asctime"),
        Form(name: "past", value: "Thu, 01 Jan 1970 00:00:00 GMT", summary: "a date that is past", isWait: false),
        Form(name: "zero", value: "0", summary: "of no time", isWait: false),
        Form(name: "negative", value: "-60", summary: "of less than no time", isWait: false),
        Form(name: "fraction", value: "3600.5", summary: "with a fraction"),
        Form(name: "huge", value: "99999999999999999999", summary: "beyond 64 bits"),
        Form(name: "words", value: "in a minute or so", summary: "in words", isWait: false),
    ]

    private static func quota(
        _ name: String, _ code: Int32, _ summary: String, _ fields: [(String, String)], status: Int = 200
    ) -> HellKind {
        let headers = fields.map { (name: $0.0, value: $0.1) }
        return HellKind(name, .waits, code, summary) { page in
            status == 200 ? page.sound(headers) : page.status(status, headers)
        }
    }
}
