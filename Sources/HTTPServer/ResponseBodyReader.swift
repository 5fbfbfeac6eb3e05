internal import CMicroHTTPD
internal import Platform

/// A body that the library asks for piece by piece.
///
/// - Isolation: the connection's thread.
final class ResponseBodyReader {
    private let body: [UInt8]
    private let end: Int
    private var pause: (position: Int, wait: @Sendable () -> Void)?

    /// Ends with an error after `end` bytes, where that is less than the whole.
    init(_ body: [UInt8], end: Int = .max, pause: (position: Int, wait: @Sendable () -> Void)? = nil) {
        self.body = body
        self.end = min(max(end, 0), body.count)
        self.pause = pause
    }

    func read(at position: UInt64, into buffer: UnsafeMutablePointer<CChar>, size: Int) -> Int {
        guard let position = Int(exactly: position) else { return cmhd_end_with_error() }
        var limit = end
        if let stop = pause {
            if position >= stop.position {
                pause = nil
                stop.wait()
            } else {
                limit = min(limit, stop.position)
            }
        }
        let count = min(size, limit - position)
        guard count > 0 else {
            return end == body.count ? cmhd_end_of_stream() : cmhd_end_with_error()
        }
        body.withUnsafeBytes { bytes in
            UnsafeMutableRawBufferPointer(start: buffer, count: count).copyMemory(
                from: UnsafeRawBufferPointer(rebasing: bytes[position..<(position + count)]))
        }
        return count
    }
}

/// A library response that reads from `reader` and owns it.
func stream(_ reader: ResponseBodyReader, size: UInt64) -> OpaquePointer? {
    let owned = Unmanaged.passRetained(reader)
    let response = cmhd_create_response_from_callback(size, 32 * 1024, readBody, owned.toOpaque(), releaseReader)
    if response == nil { owned.release() }
    return response
}

private func readBody(
    _ reader: UnsafeMutableRawPointer?, _ position: UInt64, _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int
) -> Int {
    guard let reader, let buffer else { return cmhd_end_with_error() }
    return Unmanaged<ResponseBodyReader>.fromOpaque(reader).takeUnretainedValue().read(
        at: position, into: buffer, size: size)
}

private func releaseReader(_ reader: UnsafeMutableRawPointer?) {
    guard let reader else { return }
    Unmanaged<ResponseBodyReader>.fromOpaque(reader).release()
}
