internal import Platform

/// A bare TCP connection, so that a test sees the bytes and how they end.
package final class RawConnection: Sendable {
    /// The end of a connection.
    package enum End: Equatable, Sendable {
        case closed
        case failed(errno: Int32)
    }

    /// A call of the system that failed.
    package struct Failure: Error {
        /// The system's error number.
        package let errno: Int32
    }

    private let descriptor: Int32

    /// Connects to a port of this machine.
    package init(port: UInt16) throws {
        descriptor = platform_socket(AF_INET, platform_stream, 0, 1)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else { throw Failure(errno: errno) }
        // A server that sends nothing more fails a test; it does not hold it up for ever.
        var limit = timeval(tv_sec: 120, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { Platform.close(descriptor) }

    /// Sends all of a text, as long as the other side takes it.
    package func send(_ text: String) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes {
                Platform.send(descriptor, $0.baseAddress, $0.count, platform_send_quietly)
            }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Sends nothing more, and reads nothing more.
    package func close() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    /// Everything until the server closes.
    package func readToEnd() -> (text: String, end: End) {
        var bytes: [UInt8] = []
        while true {
            switch read(upTo: 65_536) {
            case .success(let some) where some.isEmpty: return (String(decoding: bytes, as: UTF8.self), .closed)
            case .success(let some): bytes += some
            case .failure(let failure): return (String(decoding: bytes, as: UTF8.self), .failed(errno: failure.errno))
            }
        }
    }

    /// The data received until it ends in `mark`, or until the server closes.
    package func read(through mark: String) -> String {
        var bytes: [UInt8] = []
        while !bytes.suffix(mark.utf8.count).elementsEqual(mark.utf8) {
            guard case .success(let byte) = read(upTo: 1), !byte.isEmpty else { break }
            bytes += byte
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The data received, at most so many bytes; empty if the other side has closed.
    ///
    /// Fails with EAGAIN after two minutes without data.
    package func read(upTo size: Int) -> Result<[UInt8], Failure> {
        var count = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, initialized in
            count = recv(descriptor, buffer.baseAddress, size, 0)
            initialized = max(count, 0)
        }
        return count < 0 ? .failure(Failure(errno: errno)) : .success(bytes)
    }
}
