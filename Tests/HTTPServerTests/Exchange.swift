import Foundation
import HTTPServer
import ScriptedServer

extension RawConnection {
    convenience init(to server: Server) throws { try self.init(port: server.port) }
}

/// One request on a connection of its own, read until the server closes.
func exchange(_ head: String, fields: String = "", body: String = "", with server: Server) throws -> (
    text: String, end: RawConnection.End
) {
    try exchange(head, fields: fields, body: body, port: server.port)
}

/// One request to a port, on a connection of its own, read until the server closes.
func exchange(_ head: String, fields: String = "", body: String = "", port: UInt16) throws -> (
    text: String, end: RawConnection.End
) {
    let connection = try RawConnection(port: port)
    let length = body.isEmpty ? "" : "Content-Length: \(body.utf8.count)\r\n"
    connection.send("\(head) HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\(fields)\(length)\r\n\(body)")
    return connection.readToEnd()
}

extension String {
    /// The body after the head of an HTTP message.
    var messageBody: String { firstRange(of: "\r\n\r\n").map { String(self[$0.upperBound...]) } ?? "" }
}

/// Runs blocking code: handlers run on the threads of Swift's pool, which a test must not take.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
        Thread { continuation.resume(with: Swift.Result { try body() }) }.start()
    }
}
