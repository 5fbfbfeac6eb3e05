package import HTTP

/// The total number of elements in a response's headers.
package enum TotalHeaders {
    /// The headers that count a list, folded.
    private static let names: Set<String> = [
        "xtotalcount", "xwptotal", "xtotal", "totalcount", "xpaginationtotalcount", "xtotalresults",
        "xtotalitems", "xtotalrecords",
    ]

    /// The header and its figure; nil where none says.
    package static func total(in headers: Headers) -> (name: String, count: Int)? {
        for field in headers.fields where mayCount(field.name) {
            let name = MemberName(field.name).folded
            if names.contains(name), let count = JSONScalar.text(field.value).count { return (field.name, count) }
            // `items 0-9/95`: https://www.rfc-editor.org/rfc/rfc9110#name-content-range
            guard name == "contentrange", !field.value.lowercased().hasPrefix("bytes"),
                let slash = field.value.lastIndex(of: "/"), slash != field.value.indices.last,
                let count = JSONScalar.text(String(field.value[field.value.index(after: slash)...])).count
            else { continue }
            return (field.name, count)
        }
        return nil
    }

    /// True if a name may be one of those, with whatever stands between its words.
    private static func mayCount(_ name: String) -> Bool {
        // All of them have a "t" at the beginning, or behind an "x" or "con".
        var letters = name.utf8.lazy.filter { $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: "_") }.makeIterator()
        switch letters.next().map({ $0 | 0x20 }) {
        case UInt8(ascii: "t"), UInt8(ascii: "x"), UInt8(ascii: "c"): return true
        default: return name.utf8.contains { $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") }
        }
    }
}
