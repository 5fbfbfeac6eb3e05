/// Texts in XML documents.
package enum XMLText {
    /// A text as the content of an element or attribute.
    package static func escaped(_ text: String) -> String {
        guard text.utf8.contains(where: { [0x22, 0x26, 0x3C, 0x3E].contains($0) }) else { return text }
        return text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;")
    }
}
