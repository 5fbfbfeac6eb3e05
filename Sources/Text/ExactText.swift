/// Text that is told apart by its code points: names of members that look alike are names of their own.
///
/// `String` takes `\u{E9}` and `e\u{301}` for the same: https://unicode.org/reports/tr15/
package struct ExactText: Hashable, Sendable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package static func == (left: ExactText, right: ExactText) -> Bool {
        left.text == right.text && left.text.utf8.elementsEqual(right.text.utf8)
    }

    // Texts that are alike have the same hash, which is all that is asked of it.
    package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
