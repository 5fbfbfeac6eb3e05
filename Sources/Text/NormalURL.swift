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
                guard let end = endOfOrigin(url), text.count > end, text[..<end].elementsEqual(url[..<end])
                else { return false }
                return isPlainPath(text[end...])
            }
        }
    }

    /// The scheme, host and port of an absolute URL of http or https without anything that is encoded, resolved or
    /// dropped when a URL is normalised; nil for any other text.
    package static func origin(of text: String) -> (scheme: String, host: String, port: Int)? {
        var text = text
        return text.withUTF8 { text in
            guard let end = endOfOrigin(text), isPlainPath(text[end...]) else { return nil }
            for (scheme, standard) in [("https", 443), ("http", 80)] where text.starts(with: "\(scheme)://".utf8) {
                let authority = text[(scheme.utf8.count + 3)..<end]
                let host = authority.prefix { $0 != UInt8(ascii: ":") }
                guard isPlainHost(host) else { return nil }
                let name = String(decoding: host, as: UTF8.self)
                let digits = authority[host.endIndex...].dropFirst()
                if host.endIndex == authority.endIndex { return (scheme, name, standard) }
                guard let port = Int(String(decoding: digits, as: UTF8.self)), port != standard,
                    (1...65_535).contains(port), digits.elementsEqual("\(port)".utf8)
                else { return nil }
                return (scheme, name, port)
            }
            return nil
        }
    }

    /// True for a name in lower case that cannot be meant as an address, and for four decimal numbers.
    private static func isPlainHost(_ host: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        let labels = host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard let first = labels.last?.first, (0x61...0x7A).contains(first) else {
            return labels.count == 4
                && labels.allSatisfy { label in
                    UInt8(String(decoding: label, as: UTF8.self)).map { label.elementsEqual("\($0)".utf8) } ?? false
                }
        }
        return labels.allSatisfy { label in
            !label.isEmpty
                && label.allSatisfy { $0 == 0x2D || (0x61...0x7A).contains($0) || $0.isASCIIDigit }
        }
    }

    private static func isPlainPath(_ path: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        guard path.first == UInt8(ascii: "/") else { return false }
        var last: UInt8 = 0
        for byte in path {
            // A step of dots begins with one.
            guard isPlain(byte), !(last == UInt8(ascii: "/") && byte == UInt8(ascii: ".")) else { return false }
            last = byte
        }
        return true
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
