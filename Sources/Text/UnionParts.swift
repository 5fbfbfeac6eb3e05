/// A view over many SELECTs: one view, or several and one that shows them, because both databases limit the terms of a
/// union.
///
/// - SeeAlso: https://sqlite.org/limits.html#max_compound_select. PostgreSQL recurses for each term.
package struct UnionParts: Sendable {
    /// A view with the query that it shows.
    package struct View: Sendable {
        package let name: String
        package let query: String
    }

    /// The most terms of one view.
    package static let mostTerms = 500
    /// The views, in the order in which they are created; none without terms. The last has the name of the union.
    package let views: [View]

    /// - Parameters:
    ///   - name: The name of the view.
    ///   - terms: The SELECTs, with the same columns.
    ///   - quoted: A name as SQL.
    package init(_ name: String, of terms: [String], quoted: (String) throws -> String) rethrows {
        var parts: [View] = []
        var terms = terms
        while terms.count > Self.mostTerms {
            let first = parts.count
            for start in stride(from: 0, to: terms.count, by: Self.mostTerms) {
                let rest = terms[start..<min(start + Self.mostTerms, terms.count)]
                parts.append(View(name: Self.part(parts.count + 1, of: name), query: Self.union(rest)))
            }
            terms = try parts[first...].map { "SELECT * FROM \(try quoted($0.name))" }
        }
        views = terms.isEmpty ? [] : parts + [View(name: name, query: Self.union(terms[...]))]
    }

    /// The name of a part, from 1.
    private static func part(_ number: Int, of name: String) -> String { "_\(name)_part\(number)" }

    private static func union(_ terms: ArraySlice<String>) -> String { terms.joined(separator: "\nUNION ALL ") }
}
