internal import Platform

/// A socket that listens, for a daemon to take over.
///
/// It is opened here because the library does not say which call failed or why.
struct ListeningSocket {
    let descriptor: Int32
    let port: UInt16

    init(descriptor: Int32, port: UInt16) {
        (self.descriptor, self.port) = (descriptor, port)
    }

    init(port wanted: UInt16) throws(ServerError) {
        let descriptor = platform_socket(AF_INET, platform_stream, 0, 1)
        guard descriptor >= 0 else { throw ServerError(port: wanted, code: errno) }
        do {
            port = try Self.listen(on: descriptor, port: wanted)
        } catch {
            close(descriptor)
            throw error
        }
        self.descriptor = descriptor
    }

    /// The port in use; the system chooses one if `wanted` is 0.
    private static func listen(on descriptor: Int32, port wanted: UInt16) throws(ServerError) -> UInt16 {
        // A restarted server must not wait for old connections to leave TIME_WAIT.
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))

        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = wanted.bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, size) == 0 && Platform.listen(descriptor, SOMAXCONN) == 0
                    && getsockname(descriptor, address, &size) == 0 ? 0 : errno
            }
        }
        guard code == 0 else { throw ServerError(port: wanted, code: code) }
        return UInt16(bigEndian: address.sin_port)
    }
}
