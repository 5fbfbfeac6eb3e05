/// The next request in a form that people would write: a page number, an offset, a cursor, a URL.
///
/// The store keeps it as a feed's `next_page`.
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
