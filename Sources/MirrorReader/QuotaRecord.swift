/// A host's statement of one of its limits: a row of view `quota`.
///
/// Times are in UTC, ISO 8601 with milliseconds.
package struct QuotaRecord: Sendable, Hashable, JSONRecord {
    /// Scheme, host and port.
    package let origin: String
    /// The host's name of the limit; empty if it has one for all.
    package let resource: String
    /// The number of the credential to which it applies, counted from 1.
    package let credential: Int
    /// The number of requests that it still allows.
    package let remaining: Int?
    /// The time at which it is reset.
    package let resetAt: String?
    /// The time before which it accepts no request.
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
