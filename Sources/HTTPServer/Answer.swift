internal import CMicroHTTPD
internal import Platform

/// Passes the response to the library, or writes to the socket if it is not an HTTP message.
///
/// - Returns: `MHD_NO` to have the connection closed.
func answer(_ response: ServerResponse, on connection: OpaquePointer) -> MHD_Result {
    let body = response.body
    switch response.delivery {
    case .whole:
        return queue(buffered(body), for: response, on: connection)
    case .chunked:
        return queue(stream(ResponseBodyReader(body), size: cmhd_size_unknown()), for: response, on: connection)
    case .truncated(let end):
        let reader = ResponseBodyReader(body, end: end)
        return queue(stream(reader, size: UInt64(body.count)), for: response, on: connection)
    case .paused(let end, let wait):
        let reader = ResponseBodyReader(body, pause: (end, wait))
        return queue(stream(reader, size: UInt64(body.count)), for: response, on: connection)
    case .reset:
        platform_reset(cmhd_socket(connection))
        return .NO
    case .verbatim:
        write(body, to: cmhd_socket(connection))
        return .NO
    }
}

private func queue(_ message: OpaquePointer?, for response: ServerResponse, on connection: OpaquePointer) -> MHD_Result
{
    guard let message else { return .NO }
    defer { cmhd_destroy_response(message) }
    for field in response.headers where cmhd_add_response_header(message, field.name, field.value) != .YES {
        return refuse("the response header \(field.name) is not one that can be sent", on: connection)
    }
    guard let status = UInt32(exactly: response.status), (200...599).contains(status) else {
        return refuse("\(response.status) is not a status that can be sent", on: connection)
    }
    return cmhd_queue_response(connection, status, message)
}

private func buffered(_ body: [UInt8]) -> OpaquePointer? {
    body.withUnsafeBytes { bytes in
        // The library does not write to the buffer: its parameter lacks a const. It copies, because an array's
        // storage may move.
        cmhd_create_response_from_buffer(
            bytes.count, UnsafeMutableRawPointer(mutating: bytes.baseAddress), .RESPMEM_MUST_COPY)
    }
}

/// An error in the handler, reported as a 500 rather than by a dropped connection.
private func refuse(_ reason: String, on connection: OpaquePointer) -> MHD_Result {
    let message = buffered(Array(reason.utf8))
    guard let message else { return .NO }
    defer { cmhd_destroy_response(message) }
    return cmhd_queue_response(connection, 500, message)
}

private func write(_ bytes: [UInt8], to socket: Int32) {
    bytes.withUnsafeBytes { bytes in
        var rest = bytes[...]
        while let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress, !rest.isEmpty {
            var ready = pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)
            guard poll(&ready, 1, -1) == 1 else { return }
            let count = send(socket, start, rest.count, platform_send_quietly)
            // The client is gone.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
