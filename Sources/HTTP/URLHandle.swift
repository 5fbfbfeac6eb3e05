internal import CCurl

/// Owns one `CURLU`, libcurl's URL parser, so that the checked URL is the requested one.
///
/// Source: https://curl.se/libcurl/c/libcurl-url.html
struct URLHandle: ~Copyable {
    private let pointer: OpaquePointer

    /// Creates a handle; libcurl must be loaded.
    init?() {
        guard let pointer = ccurl_url() else { return nil }
        self.pointer = pointer
    }

    deinit { ccurl_url_cleanup(pointer) }

    /// Sets one part, or the whole URL; a relative one is resolved against the handle's URL.
    ///
    /// `text` must not contain a NUL: it crosses as a C string.
    func set(_ part: CURLUPart, _ text: String?, flags: Int32 = 0) -> CURLUcode {
        ccurl_url_set(pointer, part, text, UInt32(bitPattern: flags))
    }

    /// The text of one part; nil if the URL has none.
    func part(_ part: CURLUPart, flags: Int32 = 0) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard ccurl_url_get(pointer, part, &text, UInt32(bitPattern: flags)) == CURLUE_OK, let text else { return nil }
        defer { ccurl_free(text) }
        return String(cString: text)
    }
}
