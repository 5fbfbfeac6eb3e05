/// A short excerpt of an upstream's data.
///
/// Secrets are masked before the text is cut, so that none is shown in part; controls are escaped.
package enum Excerpt {
    /// The beginning of a text, at most `limit` Unicode scalars; nil if there is nothing to see.
    package static func of(_ text: String, limit: Int, secrets: Secrets = Secrets()) -> String? {
        let length = length(for: limit)
        let bytes = Array(text.utf8.prefix(length + secrets.reach))
        let part = 0..<min(bytes.count, length)
        let isWhole = text.utf8.dropFirst(length).isEmpty
        return written(secrets.mask(bytes, in: part), limit: limit, isWhole: isWhole)
    }

    /// The content of a body from `offset` on.
    package static func of(
        _ bytes: UnsafeRawBufferPointer, from offset: Int = 0, limit: Int, secrets: Secrets
    ) -> String? {
        let start = min(max(0, offset), bytes.count)
        let end = min(start + length(for: limit), bytes.count)
        let seen = max(0, start - secrets.reach)..<min(end + secrets.reach, bytes.count)
        let part = (start - seen.lowerBound)..<(end - seen.lowerBound)
        return written(secrets.mask(Array(bytes[seen]), in: part), limit: limit, isWhole: end == bytes.count)
    }

    /// The beginning of a text in backticks.
    package static func quoted(_ text: String, limit: Int) -> String { "`\(of(text, limit: limit) ?? "")`" }

    /// The bytes that are looked at: enough for scalars of four bytes and a good deal of indentation.
    private static func length(for limit: Int) -> Int { limit * 16 }

    private static func written(_ text: String, limit: Int, isWhole: Bool) -> String? {
        var excerpt = ""
        var count = 0
        for scalar in text.unicodeScalars {
            let piece = written(scalar)
            // Indented JSON is no easier to read in one line.
            if piece == " ", excerpt.isEmpty || excerpt.hasSuffix(" ") { continue }
            count += piece.unicodeScalars.count
            if count >= limit { return excerpt + "…" }
            excerpt += piece
        }
        if excerpt.hasSuffix(" ") { excerpt.removeLast() }
        return excerpt.isEmpty ? nil : excerpt + (isWhole ? "" : "…")
    }

    /// A scalar that can do nothing to a terminal: neither command it nor turn the direction of writing.
    private static func written(_ scalar: Unicode.Scalar) -> String {
        switch scalar.properties.generalCategory {
        case .lineSeparator, .paragraphSeparator, .spaceSeparator: " "
        case .control where ["\n", "\r", "\t"].contains(scalar): " "
        case .control, .format, .privateUse, .unassigned: "\\u{\(String(scalar.value, radix: 16))}"
        default: String(scalar)
        }
    }
}
