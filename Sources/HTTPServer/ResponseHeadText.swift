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
        var text =
            "HTTP/1.1 \(response.status) \(reason(response.status))\r\nDate: \(HTTPDate.text(ofSecond: WallClock.system.seconds))\r\n"
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

    /// The words that people read in a trace; a program reads the number.
    private static func reason(_ status: Int) -> String {
        switch status {
        case 200: "OK"
        case 204: "No Content"
        case 303: "See Other"
        case 304: "Not Modified"
        case 400: "Bad Request"
        case 401: "Unauthorized"
        case 403: "Forbidden"
        case 404: "Not Found"
        case 405: "Method Not Allowed"
        case 409: "Conflict"
        case 413: "Content Too Large"
        case 417: "Expectation Failed"
        case 421: "Misdirected Request"
        case 422: "Unprocessable Content"
        case 429: "Too Many Requests"
        case 431: "Request Header Fields Too Large"
        case 500: "Internal Server Error"
        case 501: "Not Implemented"
        case 502: "Bad Gateway"
        case 503: "Service Unavailable"
        case 505: "HTTP Version Not Supported"
        default: "Status \(status)"
        }
    }
}
