package import HTTP

/// The total number of elements in a response's headers.
package enum TotalHeaders {
    /// The headers that count a list, folded.
    private static let names: Set<String> = [
        "xtotalcount", "xwptotal", "xtotal", "totalcount", "xpaginationtotalcount", "xtotalresults",
    ]

    /// The header and its figure; nil where none says.
    package static func total(in headers: Headers) -> (name: String, count: Int)? {
        for field in headers.fields {
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
}
