/// Text that is compared by code points, so that member names that look alike stay distinct.
///
/// `String` takes `\u{E9}` and `e\u{301}` for the same: https://unicode.org/reports/tr15/
package struct ExactText: Hashable, Sendable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package static func == (left: ExactText, right: ExactText) -> Bool {
        guard left.text == right.text else { return false }
        // By stored bytes: an iterator of a text's view takes ten times as long, and paths are compared on each page.
        let isSame = left.text.utf8.withContiguousStorageIfAvailable { bytes in
            right.text.utf8.withContiguousStorageIfAvailable { bytes.elementsEqual($0) } ?? nil
        }
        return isSame.flatMap(\.self) ?? left.text.utf8.elementsEqual(right.text.utf8)
    }

    // Equal code points give equal hashes, which is all that `Hashable` requires.
    package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
