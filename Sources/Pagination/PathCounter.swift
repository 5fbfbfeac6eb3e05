internal import JSON

/// A page number in the path of a URL: the segment after one with a given name, as in `/page/2` or `/news/2.json`.
///
/// In a definition it is a parameter that begins with a slash: `param: /page`.
package struct PathCounter: Sendable, Hashable {
    private static let names: Set<String> = ["page", "pages", "p", "pg", "paged", "pagenumber", "pageno", "pagenum"]

    /// The name of the segment before the number.
    package let name: String

    /// The counter that a parameter stands for; nil for one of the query or the body.
    package init?(parameter: String) {
        guard parameter.count > 1, parameter.hasPrefix("/"), !parameter.dropFirst().contains("/") else { return nil }
        name = String(parameter.dropFirst())
    }

    /// The counter of a URL whose path has a number after a segment with a usual name; the last one counts.
    ///
    /// Other numbers are the names of things: `/category/5` is not a page number.
    package static func found(in url: String) -> PathCounter? {
        let segments = Parts(url).segments
        for (name, number) in zip(segments, segments.dropFirst()).reversed()
        where names.contains(MemberName(String(name)).folded) && Self.number(number) != nil {
            return PathCounter(parameter: "/\(name)")
        }
        return nil
    }

    /// The parameter of a definition.
    package var parameter: String { "/\(name)" }

    /// The number in a URL; nil if there is none.
    package func number(in url: String) -> Int? {
        let segments = Parts(url).segments
        guard let place = place(in: segments), place < segments.endIndex else { return nil }
        return Self.number(segments[place])
    }

    /// A URL with another number; a path without one gets it at the end, or after its segment of that name.
    package func url(_ url: String, number: Int) -> String {
        var parts = Parts(url)
        if let place = place(in: parts.segments) {
            if place < parts.segments.endIndex, Self.number(parts.segments[place]) != nil {
                let rest = parts.segments[place].drop { Self.digits.contains($0) }
                parts.segments[place] = "\(number)\(rest)"
            } else {
                parts.segments.insert("\(number)", at: place)
            }
        } else {
            let end = parts.segments.last == "" ? parts.segments.endIndex - 1 : parts.segments.endIndex
            parts.segments.insert(contentsOf: [name[...], "\(number)"], at: end)
        }
        return parts.url
    }

    /// The place after the last segment of that name.
    private func place(in segments: [Substring]) -> Int? {
        segments.lastIndex { $0 == name }.map { $0 + 1 }
    }

    private static let digits: Set<Character> = Set("0123456789")

    /// The number that a segment is, with or without an extension: `2.json`.
    private static func number(_ segment: Substring) -> Int? {
        let number = segment.prefix { digits.contains($0) }
        let rest = segment.dropFirst(number.count)
        guard rest.isEmpty || rest.first == "." && !rest.dropFirst().isEmpty else { return nil }
        return JSONScalar.text(String(number)).count
    }
}

extension PathCounter {
    /// A URL, its path in segments.
    private struct Parts {
        let origin: Substring
        var segments: [Substring]
        let rest: Substring

        init(_ url: String) {
            let end = url.firstIndex { $0 == "?" || $0 == "#" } ?? url.endIndex
            let start = url.firstRange(of: "://")?.upperBound ?? url.startIndex
            let slash = url[start..<end].firstIndex(of: "/") ?? end
            origin = url[..<slash]
            segments =
                slash < end ? url[slash..<end].dropFirst().split(separator: "/", omittingEmptySubsequences: false) : []
            rest = url[end...]
        }

        var url: String { "\(origin)/\(segments.joined(separator: "/"))\(rest)" }
    }
}
