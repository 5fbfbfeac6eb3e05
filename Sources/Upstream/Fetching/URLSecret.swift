internal import HTTP

/// A value that a URL was made of, as it may come back from the upstream or from reading the URL.
enum URLSecret {
    /// The ways of writing the value that percent-encoding it does not give; perhaps the same ones twice.
    static func otherForms(of value: String) -> [String] {
        let written = [value, lowercasedHost(value)] + readAsURL(value)
        return written.dropFirst()
            + written.flatMap {
                [PercentCoding.decoded($0[...].utf8, plus: "+"), PercentCoding.decoded($0[...].utf8, plus: " ")]
            }
    }

    /// A whole URL as it is requested, and its query alone, which links repeat.
    private static func readAsURL(_ value: String) -> [String] {
        guard let url = try? WebURL(value) else { return [] }
        // A slash of its own would keep it from being found before another path.
        let text = value.hasSuffix("/") || !url.text.hasSuffix("/") ? url.text : String(url.text.dropLast())
        guard let query = url.query, query.utf8.count >= Secrets.certainLength else { return [text] }
        return [text, query]
    }

    private static func lowercasedHost(_ value: String) -> String {
        let start = value.firstRange(of: "://")?.upperBound ?? value.startIndex
        let end = value[start...].firstIndex { "/?#".contains($0) } ?? value.endIndex
        return value[..<end].lowercased() + value[end...]
    }
}
