/// The end of a response that has none of its own: a stream of server-sent events.
package struct StreamEnd: Sendable, Hashable {
    /// The events after which it is ended.
    package var count: Int
    /// The time after which it is ended: looked at as something arrives, and when nothing has arrived for long.
    package var time: Duration

    /// An end after so many events or so long, whichever comes first.
    package init(count: Int, time: Duration) {
        self.count = count
        self.time = time
    }
}

/// Counts the events of a stream as its bytes arrive.
///
/// An empty line ends an event; lines end with CR, LF or both.
/// Source: https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream
struct EventCounter {
    private(set) var count = 0
    private var isLineEmpty = true
    /// True if the present event has a line that is no comment.
    private var hasLines = false
    private var isAfterReturn = false

    mutating func receive(_ bytes: UnsafeRawBufferPointer) {
        for byte in bytes {
            let endsReturn = isAfterReturn && byte == UInt8(ascii: "\n")
            isAfterReturn = byte == UInt8(ascii: "\r")
            guard !endsReturn else { continue }
            guard byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") else {
                if isLineEmpty, byte != UInt8(ascii: ":") { hasLines = true }
                isLineEmpty = false
                continue
            }
            if isLineEmpty, hasLines {
                count += 1
                hasLines = false
            }
            isLineEmpty = true
        }
    }
}
