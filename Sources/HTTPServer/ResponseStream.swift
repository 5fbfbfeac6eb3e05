/// A body that grows while a client reads it.
///
/// - Isolation: the server's thread calls it, any thread may wake it.
package protocol ResponseStream: AnyObject, Sendable {
    /// Called once, before `next`.
    ///
    /// - Parameter wake: Reports that there is more to send after `next` had nothing. It may be called at any time and
    ///   any number of times.
    func begin(wake: @escaping @Sendable () -> Void)

    /// The next part to send. It must not block: all connections wait.
    func next() -> ResponsePart

    /// Called once, when the client no longer reads.
    func end()
}

/// The next part of a stream.
package enum ResponsePart: Sendable {
    /// These bytes; not none.
    case bytes([UInt8])
    /// Nothing as yet.
    case wait
    /// Nothing any more.
    case end
    /// The rest cannot be had: the connection is closed, so that the client does not take what came for all.
    case failure
}

/// The answer of a shared server's handler.
package enum SharedAnswer: Sendable {
    /// A body that is there, with its length.
    case whole(ServerResponse)
    /// A body that grows; that of the response is not used.
    case stream(ServerResponse, any ResponseStream)
}
