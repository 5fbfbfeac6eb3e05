extension PagedFeed {
    /// The pagination of a feed, on the wire.
    package enum Style: Sendable, Hashable, CaseIterable {
        /// `page` from 1, `per_page`.
        case page
        /// `offset` from 0, `limit`.
        case offset
        /// `after`, a token that the body has in `next`.
        case cursor
        /// `after`, a token that the header `X-Next` has.
        case cursorHeader
        /// The members of the object `continue`, all of them.
        case cursorObject
        /// `next` in the body, an absolute URL.
        case nextURL
        /// `next` in the body, a path with a query.
        case nextPath
        /// `next` in the body, a query alone.
        case nextQuery
        /// `next` in the body, an absolute URL of another path.
        case nextElsewhere
        /// A `Link` header with `rel="next"`.
        case link
        /// `after`, the `id` of the last item.
        case keyset
    }

    /// The sign of a feed's last page.
    package enum End: Sendable, Hashable {
        /// The last page has no token, link or URL.
        case absent
        /// `"next":null`
        case null
        /// `"next":""`, or an object without members.
        case emptyText
        /// `"next":false`
        case no
        /// The last page leads on, to one without items.
        case emptyPage
        /// The last page leads on, but `"has_more"` is false.
        case flag
        /// A page behind the last one is answered with this status.
        case status(Int)
    }
}

extension PagedFeed.Style {
    /// The ends that a feed of this style can have.
    package var ends: [PagedFeed.End] {
        switch self {
        case .page, .offset: [.emptyPage, .flag] + [204, 400, 404, 416, 422].map(PagedFeed.End.status)
        case .cursor: [.absent, .null, .emptyText, .no, .emptyPage, .flag]
        case .cursorHeader: [.absent, .emptyPage, .flag]
        case .cursorObject, .nextURL, .nextPath, .nextQuery, .nextElsewhere:
            [.absent, .null, .emptyText, .no, .emptyPage]
        case .link: [.absent, .emptyPage]
        case .keyset: [.emptyPage]
        }
    }

    /// True if the client computes the next page.
    package var isComputed: Bool { [.page, .offset, .keyset].contains(self) }

    /// The `pagination` that a definition needs for it, as a YAML mapping.
    ///
    /// - Parameters:
    ///   - size: the number of items to request, if the style has one.
    ///   - members: further members, such as `total: total_count`.
    package func pagination(size: Int? = nil, _ members: [String] = []) -> String {
        let own =
            switch self {
            case .page: ["style: page"]
            case .offset: ["style: offset"]
            case .cursor: ["style: cursor", "param: after", "next: next"]
            case .cursorHeader: ["style: cursor", "param: after", "header: X-Next"]
            case .cursorObject: ["style: cursor", "next: continue"]
            case .nextURL, .nextPath, .nextQuery, .nextElsewhere: ["style: next_url", "next: next"]
            case .link: ["style: link"]
            case .keyset: ["style: keyset", "param: after", "from: id"]
            }
        let sizes = size.map { self == .offset ? ["limit: \($0)"] : ["size_param: per_page", "size: \($0)"] } ?? []
        return "{\((own + sizes + members).joined(separator: ", "))}"
    }

    /// The query parameter for the number of items.
    var sizeParameter: String { self == .offset ? "limit" : "per_page" }
}
