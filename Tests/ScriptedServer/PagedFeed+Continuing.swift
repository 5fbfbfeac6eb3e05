internal import HTTPServer

extension PagedFeed.Style {
    /// The number of items before the page; nil for a request without a page.
    func start(of request: ServerRequest, size: Int, items: [String]) -> Int? {
        switch self {
        case .page:
            guard let page = Int(request.parameter("page") ?? "1"), page > 0 else { return nil }
            let (start, isBeyond) = (page - 1).multipliedReportingOverflow(by: size)
            return isBeyond ? Int.max : start
        case .offset:
            return Int(request.parameter("offset") ?? "0").flatMap { $0 < 0 ? nil : $0 }
        case .cursor, .cursorHeader:
            guard let token = request.parameter("after") else { return 0 }
            return token.hasPrefix("t") ? Int(token.dropFirst()) : nil
        case .cursorObject:
            guard let from = request.parameter("from") else { return 0 }
            return request.parameter("continue") == "-||" ? Int(from) : nil
        case .nextURL, .nextPath, .nextQuery, .nextElsewhere, .link:
            return Int(request.parameter("from") ?? "0")
        case .keyset:
            guard let after = request.parameter("after") else { return 0 }
            return items.firstIndex { Self.id(of: $0) == after }.map { $0 + 1 } ?? items.count
        }
    }

    /// The address of the page after `start` items: a member of the body, or a header.
    func continuing(
        to start: Int, from request: ServerRequest
    ) -> (member: (name: String, json: String)?, header: (name: String, value: String)?) {
        let size = request.parameter(sizeParameter).map { "&\(sizeParameter)=\($0)" } ?? ""
        let query = "?from=\(start)\(size)"
        let origin = "http://\(request.header("Host") ?? "")"
        switch self {
        case .page, .offset, .keyset: return (nil, nil)
        case .cursor: return (("next", "\"t\(start)\""), nil)
        case .cursorHeader: return (nil, ("X-Next", "t\(start)"))
        case .cursorObject: return (("continue", #"{"continue":"-||","from":\#(start)}"#), nil)
        case .nextURL: return (("next", "\"\(origin)\(request.path)\(query)\""), nil)
        case .nextPath: return (("next", "\"\(request.path)\(query)\""), nil)
        case .nextQuery: return (("next", "\"\(query)\""), nil)
        case .nextElsewhere:
            let path = request.path.hasSuffix("/more") ? request.path : "\(request.path)/more"
            return (("next", "\"\(origin)\(path)\(query)\""), nil)
        case .link: return (nil, ("Link", "<\(origin)\(request.path)\(query)>; rel=\"next\""))
        }
    }

    /// The value in place of the page cursor on a last page, if any.
    func ending(_ end: PagedFeed.End) -> (member: (name: String, json: String)?, header: (name: String, value: String)?)
    {
        let name = self == .cursorObject ? "continue" : "next"
        return switch (self, end) {
        case (.page, _), (.offset, _), (.keyset, _), (.cursorHeader, _), (.link, _): (nil, nil)
        case (_, .null): ((name, "null"), nil)
        case (.cursorObject, .emptyText): ((name, "{}"), nil)
        case (_, .emptyText): ((name, "\"\""), nil)
        case (_, .no): ((name, "false"), nil)
        default: (nil, nil)
        }
    }

    /// The text after `"id":` in an item, up to the next comma or brace.
    private static func id(of item: String) -> String {
        guard let mark = item.firstRange(of: "\"id\":") else { return "" }
        return String(item[mark.upperBound...].prefix { $0 != "," && $0 != "}" })
    }
}
