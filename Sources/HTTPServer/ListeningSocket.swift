internal import Platform

/// A socket that listens, for a daemon to take over.
///
/// It is opened here because the library does not say which call failed or why.
struct ListeningSocket {
    let descriptor: Int32
    let port: UInt16

    /// Listens at an address.
    ///
    /// - Parameter waits: True for calls that wait, as the library expects of them.
    /// - Throws: `ServerError` where the system refuses.
    init(_ address: ListenAddress, waits: Bool = false) throws(ServerError) {
        switch address {
        case .tcp(let host, let port): try self.init(host: host, port: port, address, waits: waits)
        case .unix(let path): try self.init(path: path, address)
        }
    }

    private init(host: String, port: UInt16, _ address: ListenAddress, waits: Bool) throws(ServerError) {
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE
        hints.ai_socktype = platform_stream
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &found) == 0, let first = found else {
            throw ServerError(port: port, code: EADDRNOTAVAIL, address: address.description)
        }
        defer { freeaddrinfo(found) }
        let descriptor = platform_socket(first.pointee.ai_family, platform_stream, 0, waits ? 1 : 0)
        guard descriptor >= 0 else { throw ServerError(port: port, code: errno, address: address.description) }
        // A restarted server must not wait for old connections to leave TIME_WAIT.
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard bind(descriptor, first.pointee.ai_addr, first.pointee.ai_addrlen) == 0,
            Platform.listen(descriptor, SOMAXCONN) == 0
        else {
            let code = errno
            close(descriptor)
            throw ServerError(port: port, code: code, address: address.description)
        }
        (self.descriptor, self.port) = (descriptor, Self.port(of: descriptor) ?? port)
    }

    /// The port that the system chose in place of port 0.
    private static func port(of descriptor: Int32) -> UInt16? {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address -> UInt16? in
                guard getsockname(descriptor, address, &size) == 0 else { return nil }
                // The port is at the same place for both families.
                return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    UInt16(bigEndian: $0.pointee.sin_port)
                }
            }
        }
    }

    /// A socket in the file system. Only its owner can connect; where the folder hands its group to new files
    /// (set-group-ID), that group can, too.
    ///
    /// Source: https://man7.org/linux/man-pages/man7/unix.7.html
    private init(path: String, _ address: ListenAddress) throws(ServerError) {
        var name = sockaddr_un()
        let bytes = Array(path.utf8)
        guard bytes.count < MemoryLayout.size(ofValue: name.sun_path) else {
            throw ServerError(port: 0, code: ENAMETOOLONG, address: address.description)
        }
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: bytes) }
        let descriptor = platform_socket(AF_UNIX, platform_stream, 0, 0)
        guard descriptor >= 0 else { throw ServerError(port: 0, code: errno, address: address.description) }
        let isBound = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                let size = socklen_t(MemoryLayout<sockaddr_un>.size)
                if bind(descriptor, pointer, size) == 0 { return true }
                // The socket of a killed server: nothing answers there.
                guard errno == EADDRINUSE, Self.isAbandoned(path, pointer, size), unlink(path) == 0 else {
                    return false
                }
                return bind(descriptor, pointer, size) == 0
            }
        }
        // The mode is set before the socket listens, so that no other user can connect.
        guard isBound, chmod(path, Self.isShared(path) ? 0o660 : 0o600) == 0,
            Platform.listen(descriptor, SOMAXCONN) == 0
        else {
            let code = errno
            close(descriptor)
            throw ServerError(port: 0, code: code, address: address.description)
        }
        (self.descriptor, port) = (descriptor, 0)
    }

    /// True if new files in the path's folder belong to its group.
    private static func isShared(_ path: String) -> Bool {
        let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? "."
        var status = stat()
        return stat(folder, &status) == 0 && status.st_mode & S_ISGID != 0
    }

    private static func isAbandoned(_ path: String, _ name: UnsafePointer<sockaddr>, _ size: socklen_t) -> Bool {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else {
            errno = EADDRINUSE
            return false
        }
        let probe = platform_socket(AF_UNIX, platform_stream, 0, 1)
        guard probe >= 0 else { return false }
        defer { close(probe) }
        let isRefused = connect(probe, name, size) != 0 && errno == ECONNREFUSED
        errno = EADDRINUSE
        return isRefused
    }
}
