/// What a host has said of one of its limits: a row of view `quota`.
///
/// Times are in UTC, ISO 8601 with milliseconds.
public struct QuotaRecord: Sendable, Hashable {
    /// Scheme, host and port.
    public let origin: String
    /// What the host calls the limit; empty where it has one for all.
    public let resource: String
    /// Requests that it still allows.
    public let remaining: Int?
    /// When it allows as many as at first.
    public let resetAt: String?
    /// Until when it wants no request.
    public let blockedUntil: String?

    init(_ row: RecordRow) throws {
        origin = try row.textOrEmpty("origin")
        resource = try row.textOrEmpty("resource")
        remaining = try row.integer("remaining")
        resetAt = try row.text("reset_at")
        blockedUntil = try row.text("blocked_until")
    }

    /// The record as a JSON object with the view's column names.
    public var json: String {
        var object = JSONObjectText()
        object.add("origin", origin)
        object.add("resource", resource)
        object.add("remaining", remaining)
        object.add("reset_at", resetAt)
        object.add("blocked_until", blockedUntil)
        return object.text
    }
}
