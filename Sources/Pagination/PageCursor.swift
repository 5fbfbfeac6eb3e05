/// What to request next, as a person would write it: a page number, an offset, a cursor, a URL.
///
/// It is what the store keeps as a feed's `next_page`.
public struct PageCursor: Sendable, Hashable, CustomStringConvertible {
    /// The number, offset, cursor or URL.
    public let text: String

    /// A page cursor of this text.
    public init(_ text: String) {
        self.text = text
    }

    /// The same as `text`.
    public var description: String { text }
}
