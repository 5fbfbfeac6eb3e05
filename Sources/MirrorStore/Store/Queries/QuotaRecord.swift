/// What a host has said of one of its limits: a row of view `quota`.
///
/// Times are in UTC, ISO 8601 with milliseconds.
package struct QuotaRecord: Sendable, Hashable, JSONRecord {
    /// Scheme, host and port.
    package let origin: String
    /// What the host calls the limit; empty where it has one for all.
    package let resource: String
    /// Which of the credentials that the host was asked with it holds for, counted from 1.
    package let credential: Int
    /// Requests that it still allows.
    package let remaining: Int?
    /// When it allows as many as at first.
    package let resetAt: String?
    /// Until when it wants no request.
    package let blockedUntil: String?

    init(_ row: RecordRow) throws {
        origin = try row.textOrEmpty("origin")
        resource = try row.textOrEmpty("resource")
        credential = try row.integer("credential") ?? 1
        remaining = try row.integer("remaining")
        resetAt = try row.text("reset_at")
        blockedUntil = try row.text("blocked_until")
    }

    /// The view's columns.
    package var fields: JSONFields {
        [
            "origin": origin,
            "resource": resource,
            "remaining": remaining,
            "reset_at": resetAt,
            "blocked_until": blockedUntil,
        ]
    }
}
