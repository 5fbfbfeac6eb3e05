package import HTTP

extension Excerpt {
    /// The content of a body from `offset` on.
    package static func of(_ body: Body, from offset: Int = 0, limit: Int, secrets: Secrets) -> String? {
        body.withUnsafeBytes { of($0, from: offset, limit: limit, secrets: secrets) }
    }
}
