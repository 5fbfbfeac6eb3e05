/// The address at which a server listens.
package enum ListenAddress: Sendable, Hashable, CustomStringConvertible {
    /// A TCP port of an interface; port 0 selects any free one.
    case tcp(host: String, port: UInt16)

    /// A socket in the file system, for programs of this machine that may write to it.
    case unix(path: String)

    /// Reads `HOST:PORT`, `[IPv6]:PORT` or `unix:PATH`; nil for anything else.
    package init?(_ text: String) {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
            guard !path.isEmpty, !path.utf8.contains(0) else { return nil }
            self = .unix(path: path)
            return
        }
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 32 && $0 < 127 && $0 != 47 }) else { return nil }
        self = .tcp(host: String(host), port: port)
    }

    /// True if only programs of this machine reach the address.
    package var isLocal: Bool {
        switch self {
        case .unix: true
        case .tcp(let host, _): Self.isLoopback(host)
        }
    }

    /// True if a host's name or address is this machine's own.
    package static func isLoopback(_ host: String) -> Bool {
        if ["localhost", "::1"].contains(host.lowercased()) { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// As it is written.
    package var description: String {
        switch self {
        case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }
}
