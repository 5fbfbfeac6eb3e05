internal import CMicroHTTPD
internal import Platform

/// A request that is being received, owned by the library's per-request pointer.
///
/// - Isolation: the connection's thread.
final class BlockingExchange {
    private let target: String
    private var body: [UInt8] = []
    private var hasHead = false

    init(target: String) {
        self.target = target
    }

    /// Handles one call of the access handler: the head, then pieces of the body, then the end.
    func receive(
        method: UnsafePointer<CChar>?,
        piece: UnsafeRawBufferPointer,
        connection: OpaquePointer,
        handler: Server.Handler
    ) -> MHD_Result {
        // The first call has only the head: an answer here would refuse the body.
        guard hasHead else {
            hasHead = true
            return .YES
        }
        guard piece.isEmpty else {
            body.append(contentsOf: piece)
            return .YES
        }
        let request = ServerRequest(
            method: method.map { String(cString: $0) } ?? "",
            target: target,
            headers: requestHeaders(of: connection),
            body: body
        )
        return answer(handler(request), on: connection)
    }
}

/// A request's header fields, in the order sent.
func requestHeaders(of connection: OpaquePointer) -> [(name: String, value: String)] {
    var fields: [(name: String, value: String)] = []
    withUnsafeMutablePointer(to: &fields) { pointer in
        _ = cmhd_get_connection_values_n(connection, .HEADER_KIND, appendField, pointer)
    }
    return fields
}

private func appendField(
    _ fields: UnsafeMutableRawPointer?,
    _ kind: MHD_ValueKind,
    _ name: UnsafePointer<CChar>?,
    _ nameSize: Int,
    _ value: UnsafePointer<CChar>?,
    _ valueSize: Int
) -> MHD_Result {
    guard let fields else { return .NO }
    let field = (name: text(name, nameSize), value: text(value, valueSize))
    fields.assumingMemoryBound(to: [(name: String, value: String)].self).pointee.append(field)
    return .YES
}

private func text(_ start: UnsafePointer<CChar>?, _ size: Int) -> String {
    String(decoding: UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : size), as: UTF8.self)
}
