internal import Text

/// The name in PostgreSQL of a thing whose name may be too long for it, or is taken.
enum ShortName {
    /// The most bytes of a name: https://www.postgresql.org/docs/15/sql-syntax-lexical.html
    private static let longest = 63
    /// The digits of the hash. An upstream chooses the names of columns, and must not find two with one hash.
    private static let digitCount = 24

    /// A name that PostgreSQL takes as it is. Different names have different short names.
    ///
    /// - Parameter reserved: Names that are taken.
    static func of(_ name: String, reserved: Set<String> = []) -> String {
        // A name that ends like a short one could be the short name of another.
        guard name.utf8.count > longest || reserved.contains(name) || endsInHash(name) else { return name }
        let hash = Hexadecimal.encoded(Array(SHA256.hash(Array(name.utf8)).prefix(digitCount / 2)))
        var start = name
        while start.utf8.count > longest - digitCount - 1 { start.unicodeScalars.removeLast() }
        return "\(start)_\(hash)"
    }

    private static func endsInHash(_ name: String) -> Bool {
        let end = name.utf8.suffix(digitCount + 1)
        return end.count == digitCount + 1 && end.first == UInt8(ascii: "_")
            && end.dropFirst().allSatisfy { $0.isASCIIDigit || (97...102).contains($0) }
    }
}
