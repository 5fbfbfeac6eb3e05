internal import Text
internal import Time

/// The bytes in front of a response's body.
enum ResponseHeadText {
    /// The transfer of the body.
    enum Framing {
        case length(Int)
        case chunked
        /// Up to the end of the connection.
        case untilClose
        case none
    }

    /// - Returns: nil for a status or a header field that cannot be sent.
    static func bytes(_ response: ServerResponse, _ framing: Framing, staysOpen: Bool) -> [UInt8]? {
        guard (200...599).contains(response.status) else { return nil }
        // The words that people read in a trace; a program reads the number.
        let phrase = StatusText.phrase(response.status)
        var text = "HTTP/1.1 \(response.status) \(phrase.isEmpty ? "Status \(response.status)" : phrase)\r\n"
        text += "Date: \(HTTPDate.text(ofSecond: WallClock.system.seconds))\r\n"
        for (name, value) in response.headers {
            guard !name.isEmpty, !name.utf8.contains(where: { $0 <= 32 || $0 == 127 || $0 == 58 }),
                !value.utf8.contains(where: { $0 < 32 && $0 != 9 || $0 == 127 })
            else { return nil }
            text += "\(name): \(value)\r\n"
        }
        switch framing {
        case .length(let count): text += "Content-Length: \(count)\r\n"
        case .chunked: text += "Transfer-Encoding: chunked\r\n"
        case .untilClose, .none: break
        }
        if !staysOpen { text += "Connection: close\r\n" }
        return Array((text + "\r\n").utf8)
    }
}
