internal import Text

/// The passwords in a URI of libpq.
///
/// Source: https://www.postgresql.org/docs/15/libpq-connect.html#id-1.7.3.8.3.6
package enum ConnectionURI {
    /// The URI with `***` for each password.
    package static func masked(_ uri: String) -> String {
        passwords(in: uri).reversed().reduce(into: uri) { $0.replaceSubrange($1, with: "***") }
    }

    /// True if libpq reads each password as one. In the errors of others it may repeat parts of them.
    static func hasReadablePasswords(_ uri: String) -> Bool {
        passwords(in: uri).allSatisfy { password in
            var rest = uri[password]
            while let character = rest.popFirst() {
                if ":/?#[]@&".contains(character) { return false }
                guard character == "%" else { continue }
                let digits = rest.prefix(2)
                guard digits.count == 2, digits.allSatisfy({ $0.isASCII && $0.isHexDigit }) else { return false }
                rest = rest.dropFirst(2)
            }
            return true
        }
    }

    /// The ranges of the passwords, in order. A text that may be one counts, however libpq would read the URI.
    private static func passwords(in uri: String) -> [Range<String.Index>] {
        guard let start = uri.firstRange(of: "://")?.upperBound else { return [] }
        // A password may contain `?`, which libpq takes before an `@`.
        let query = uri[start...].firstMatch(of: #/\?[\w%.-]+=/#)?.range.lowerBound ?? uri.endIndex
        var ranges: [Range<String.Index>] = []
        // One with an `@` in it ends at the last one.
        if let end = uri[start..<query].lastIndex(of: "@"), let colon = uri[start..<end].firstIndex(of: ":") {
            ranges.append(uri.index(after: colon)..<end)
        }
        let parameters = uri[query...].matches(of: #/[?&]([^=&]*)=([^&]*)/#)
        return ranges + parameters.filter { isSecret($0.1) }.map { $0.2.startIndex..<$0.2.endIndex }
    }

    /// True for the name of a parameter with a secret, in any spelling.
    private static func isSecret(_ name: Substring) -> Bool {
        let name = PercentCoding.decoded(name.utf8, plus: "+").lowercased()
        return ["pass", "secret", "token"].contains { name.contains($0) } && name != "passfile"
    }
}
