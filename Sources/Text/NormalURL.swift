/// The rule for URLs that no parser would change.
package enum NormalURL {
    /// True if `text` is an absolute URL of the same origin as `url`, without anything that is encoded, resolved or
    /// dropped when a URL is normalised.
    ///
    /// Most links to a next page are so. Reading them takes less time than parsing them.
    ///
    /// - Parameter url: A normalised URL of http or https.
    package static func holds(_ text: String, ofOriginOf url: String) -> Bool {
        var (url, text) = (url, text)
        return url.withUTF8 { url in
            text.withUTF8 { text in
                guard let end = endOfOrigin(url), text.count > end, text[..<end].elementsEqual(url[..<end]),
                    text[end] == UInt8(ascii: "/")
                else { return false }
                var last: UInt8 = 0
                for byte in text[end...] {
                    // A step of dots begins with one.
                    guard isPlain(byte), !(last == UInt8(ascii: "/") && byte == UInt8(ascii: ".")) else { return false }
                    last = byte
                }
                return true
            }
        }
    }

    /// The index behind `https://host:port`.
    private static func endOfOrigin(_ url: UnsafeBufferPointer<UInt8>) -> Int? {
        guard let colon = url.firstIndex(of: UInt8(ascii: ":")), url.count > colon + 3 else { return nil }
        return url[(colon + 3)...].firstIndex(of: UInt8(ascii: "/"))
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "&"),
            UInt8(ascii: "="), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "~"),
            UInt8(ascii: ","), UInt8(ascii: ":"):
            true
        default: false
        }
    }
}
