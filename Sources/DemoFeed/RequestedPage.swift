internal import HTTPServer
internal import Text

/// The page of a list that a request asks for.
struct RequestedPage {
    /// From 1.
    let number: Int
    let size: Int

    /// Nil if the page is not a number from 1.
    ///
    /// A size that is not a number counts as absent, one out of range as the nearest in it, as at GitHub.
    init?(_ request: ServerRequest, page: String, size: String, defaultSize: Int) {
        guard let number = Int(request.parameter(page) ?? "1"), number > 0 else { return nil }
        self.number = number
        self.size = min(max(request.parameter(size).flatMap { Int($0) } ?? defaultSize, 1), 100)
    }

    /// The page's elements; none past the end.
    func slice<Element>(of elements: [Element]) -> ArraySlice<Element> {
        let (start, isBeyond) = (number - 1).multipliedReportingOverflow(by: size)
        return isBeyond ? [] : elements.dropFirst(start).prefix(size)
    }

    /// The `Link` header of a list of `count` elements, or nil where the page has no neighbours.
    ///
    /// Source: https://docs.github.com/en/rest/using-the-rest-api/using-pagination-in-the-rest-api
    func links(_ request: ServerRequest, at base: String, parameter: String, count: Int) -> String? {
        let last = max((count + size - 1) / size, 1)
        var links: [(relation: String, page: Int)] = []
        if number > 1 { links.append(("prev", min(number - 1, last))) }
        if number < last { links += [("next", number + 1), ("last", last)] }
        if number > 1 { links.append(("first", 1)) }
        guard !links.isEmpty else { return nil }
        return links.map { "<\(url(request, at: base, parameter: parameter, page: $0.page))>; rel=\"\($0.relation)\"" }
            .joined(separator: ", ")
    }

    private func url(_ request: ServerRequest, at base: String, parameter: String, page: Int) -> String {
        let rest = request.query.filter { $0.name != parameter } + [(name: parameter, value: String(page))]
        let query = rest.map { "\(PercentCoding.encoded($0.name))=\(PercentCoding.encoded($0.value))" }.joined(
            separator: "&")
        return "\(base)\(request.rawPath)?\(query)"
    }
}
