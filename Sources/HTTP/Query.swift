package import Text

extension WebURL {
    /// The query without its question mark, percent-encoded; nil if there is none.
    package var query: String? {
        guard let mark = text.utf8.firstIndex(of: UInt8(ascii: "?")) else { return nil }
        return String(text[text.utf8.index(after: mark)...])
    }

    /// The query's parameters in order, decoded; `+` is read as a space.
    package var queryItems: [NamedValue] {
        encodedQueryItems.map { NamedValue(encoded: $0.utf8) }
    }

    /// The URL with `items` in place of the parameters that have their names.
    ///
    /// Each name keeps its first position; new names are added at the end, in order. Several items of one name
    /// all stay. The other parameters stay byte for byte.
    package func replacingQuery(_ items: [NamedValue]) -> WebURL {
        guard !items.isEmpty else { return self }
        guard text.utf8.contains(UInt8(ascii: "?")) else { return withQuery(items.map(\.encoded)) }
        let names = Set(items.map(\.name))
        var placed: Set<String> = []
        var query: [String] = []
        for present in encodedQueryItems {
            let name = NamedValue(encoded: present.utf8).name
            if !names.contains(name) {
                query.append(String(present))
            } else if placed.insert(name).inserted {
                query += items.filter { $0.name == name }.map(\.encoded)
            }
        }
        query += items.filter { !placed.contains($0.name) }.map(\.encoded)
        return withQuery(query)
    }

    /// The URL without the parameters for which `isUnwanted` is true.
    package func removingQuery(where isUnwanted: (NamedValue) -> Bool) -> WebURL {
        let present = encodedQueryItems
        let kept = present.filter { !isUnwanted(NamedValue(encoded: $0.utf8)) }
        return kept.count == present.count ? self : withQuery(kept.map(String.init))
    }

    var encodedQueryItems: [Substring] {
        guard let query else { return [] }
        return query.split(separator: "&")
    }

    /// The URL with these parameters, which are encoded, in place of its query.
    func withQuery(_ items: [String]) -> WebURL {
        let start = text.utf8.firstIndex(of: UInt8(ascii: "?")).map { text[..<$0] } ?? text[...]
        return WebURL(text: items.isEmpty ? String(start) : "\(start)?\(items.joined(separator: "&"))", origin: origin)
    }
}

extension NamedValue {
    /// A query's parameter; its value is empty if the query has only the name.
    init(encoded: Substring.UTF8View) {
        let (name, value) = FormEncoding.parameter(encoded)
        self.init(name: name, value: value)
    }

    /// The parameter as a query has it.
    var encoded: String { "\(PercentCoding.encoded(name))=\(PercentCoding.encoded(value))" }
}
