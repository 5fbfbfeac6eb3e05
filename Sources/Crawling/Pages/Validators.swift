/// The marks that show if a page has changed, byte for byte as the upstream wrote them.
///
/// Source: https://www.rfc-editor.org/rfc/rfc9110#section-8.8
package struct Validators: Sendable, Hashable {
    /// The entity tag with its quotes and `W/`.
    package let etag: String?
    /// The `Last-Modified` date.
    package let lastModified: String?

    /// Validators kept from an earlier response.
    package init(etag: String?, lastModified: String?) {
        self.etag = etag
        self.lastModified = lastModified
    }

    /// True if there are none.
    package var isEmpty: Bool { etag == nil && lastModified == nil }

    /// The validators without a secret: one with a secret cannot be kept, and the page is requested unconditionally.
    package func without(_ secrets: Secrets) -> Validators {
        Validators(
            etag: etag.flatMap { secrets.occur(in: $0) ? nil : $0 },
            lastModified: lastModified.flatMap { secrets.occur(in: $0) ? nil : $0 })
    }
}
