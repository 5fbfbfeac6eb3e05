/// A body that grows as long as somebody reads it.
///
/// - Isolation: the server's thread asks, any thread may wake it.
public protocol ResponseStream: AnyObject, Sendable {
    /// Called once, before anything is asked for.
    ///
    /// - Parameter wake: To be called when there is something to send after `next` had nothing. It may be called at any
    ///   time and as often as one likes.
    func begin(wake: @escaping @Sendable () -> Void)

    /// What is to be sent next. It must not block: all connections wait.
    func next() -> ResponsePart

    /// Called once, when nobody reads it any more.
    func end()
}

/// What a stream has to send.
public enum ResponsePart: Sendable {
    /// These bytes; not none.
    case bytes([UInt8])
    /// Nothing as yet.
    case wait
    /// Nothing any more.
    case end
}

/// What a handler of a shared server answers.
public enum SharedAnswer: Sendable {
    /// A body that is there, with its length.
    case whole(ServerResponse)
    /// A body that grows; that of the response is not used.
    case stream(ServerResponse, any ResponseStream)
}
