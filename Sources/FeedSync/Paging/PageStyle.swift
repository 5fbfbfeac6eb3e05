/// `page`: pages have numbers, sent as a query parameter.
///
/// The end is an empty page; where the body tells how many elements or pages there are, it comes without asking for
/// one more. A figure that cannot be true is passed over with a notice, and the pages go on to the empty one.
public struct PageStyle: PaginationStyle {
    /// `page`
    public static let name = "page"

    private let parameter: String
    private let first: Int
    private let size: (parameter: String, count: Int)?
    private let total: Path?
    private let pages: Path?

    /// Reads `param` (default `page`), `first` (default 1), `size_param` and `size`, which go together, and the paths
    /// `total` and `pages`.
    public init(_ members: MappingReader) {
        parameter = members.string("param") ?? "page"
        first = members.integer("first", in: 0...Int.max) ?? 1
        let sizeParameter = members.string("size_param")
        let count = members.integer("size", in: 1...1_000_000)
        if members.has("size_param") != members.has("size") {
            members.mistake("`size_param` and `size` go together: the parameter's name and its value")
        }
        if sizeParameter == parameter {
            members.mistake("`size_param` is the same parameter as `param`", at: "size_param")
        }
        size = sizeParameter.flatMap { name in count.map { (name, $0) } }
        total = members.path("total")
        pages = members.path("pages")
    }

    /// The style with its members.
    public var canonicalText: String {
        var text = "page param \(parameter) first \(first)"
        if let size { text += " size_param \(size.parameter) size \(size.count)" }
        if let total { text += " total \(total)" }
        if let pages { text += " pages \(pages)" }
        return text
    }

    /// The paths of `total` and `pages`, where given.
    public var bodyPaths: [Path] { [total, pages].compactMap(\.self) }

    /// The parameter with the number.
    public var continuationParameters: [String] { [parameter] }

    /// The feed's request with the page's number, and with the size unless the feed's query has one already.
    ///
    /// - Throws: `PagingError` if the continuation is no number.
    public func request(for continuation: Continuation?, base: PageRequest) throws(PagingError) -> PageRequest {
        var request = base
        if let size, !request.query.contains(where: { $0.name == size.parameter }) {
            request.set(size.parameter, to: "\(size.count)")
        }
        request.set(parameter, to: "\(try number(continuation))")
        return request
    }

    /// The next number.
    public func predicted(after continuation: Continuation?) -> Continuation? {
        guard let number = try? number(continuation), number < Int.max else { return nil }
        return Continuation("\(number + 1)")
    }

    /// The next number, or the end at an empty page, the last element or the last page.
    ///
    /// - Throws: `PagingError` if the continuation is no number, or the last one there is.
    public func next(after page: PageFacts) throws(PagingError) -> PageEnd {
        let number = try number(page.continuation)
        var values = page.values.makeIterator()
        let total = Figure(
            total, total == nil ? nil : values.next() ?? nil, atLeast: page.walkElementCount, secrets: page.secrets)
        let (last, _) = first.subtractingReportingOverflow(1)
        let (seen, _) = number.subtractingReportingOverflow(last)
        let isEmpty = page.elementCount == 0
        let pages = Figure(
            pages, pages == nil ? nil : values.next() ?? nil, atLeast: isEmpty ? 0 : seen, secrets: page.secrets)
        let notices = [total.notice, pages.notice].compactMap(\.self)
        let notice = notices.isEmpty ? nil : notices.joined(separator: "; ")
        if isEmpty || total.value == page.walkElementCount || pages.value == seen {
            return .end(total: total.value, notice: notice)
        }
        guard let next = predicted(after: page.continuation) else {
            throw PagingError("the page number \(number) has no successor")
        }
        return .more(next, total: total.value, notice: notice)
    }

    private func number(_ continuation: Continuation?) throws(PagingError) -> Int {
        guard let continuation else { return first }
        guard let number = Int(continuation.text), number >= first else {
            throw PagingError("the continuation `\(continuation)` is not a page number from \(first)")
        }
        return number
    }
}
