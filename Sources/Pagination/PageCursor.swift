/// What to request next, as a person would write it: a page number, an offset, a cursor, a URL.
///
/// It is what the store keeps as a feed's `next_page`.
package struct PageCursor: Sendable, Hashable, CustomStringConvertible {
    /// The number, offset, cursor or URL.
    package let text: String

    /// A page cursor of this text.
    package init(_ text: String) {
        self.text = text
    }

    /// The same as `text`.
    package var description: String { text }
}
