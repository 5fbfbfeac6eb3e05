internal import Platform

/// The messages to systemd of a service of `Type=notify`.
///
/// Source: https://www.freedesktop.org/software/systemd/man/latest/sd_notify.html
enum ServiceNotice {
    /// It works now.
    static func ready(_ environment: [String: String]) {
        guard let path = environment["NOTIFY_SOCKET"], path.hasPrefix("/") || path.hasPrefix("@") else { return }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // An abstract name begins with a zero byte.
        let bytes = path.hasPrefix("@") ? [0] + path.utf8.dropFirst() : Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let descriptor = platform_socket(AF_UNIX, platform_datagram, 0, 1)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let text = Array("READY=1".utf8)
        let length = socklen_t((MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2) + bytes.count)
        withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = sendto(descriptor, text, text.count, platform_send_quietly, address, length)
            }
        }
    }
}
