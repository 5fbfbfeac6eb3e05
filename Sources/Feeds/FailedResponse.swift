/// The response at which a run failed, as far as it is kept, so that it can be looked at; secrets are masked.
package struct FailedResponse: Sendable, Hashable {
    /// The number of bytes kept of a body.
    package static let mostBytes = 64 << 10

    /// The status code.
    package let status: Int
    package let url: String
    package let headers: [NamedValue]
    /// The beginning of the body, with U+FFFD for bytes that are not UTF-8.
    package let body: String
    /// The bytes of the whole body.
    package let byteCount: Int

    package init(status: Int, url: String, headers: [NamedValue], body: String, byteCount: Int) {
        self.status = status
        self.url = url
        self.headers = headers
        self.body = body
        self.byteCount = byteCount
    }
}
