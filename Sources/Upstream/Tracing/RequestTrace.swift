package import HTTP

/// An event while a feed's pages are requested, for diagnosis; secrets are masked.
package enum RequestTrace: Sendable {
    /// A request is about to be sent.
    case began(TracedRequest)
    /// It ended.
    case ended(TracedExchange)
    /// The request is sent again, as attempt of this number, after a wait.
    case retrying(attempt: Int, wait: Duration, isAskedFor: Bool, because: String)
    /// The request is sent again at once, with another one of the feed's credentials.
    case changingCredential(because: String)
    /// The next request has to wait for its turn.
    case paced(Duration)
    /// A page was read.
    case page(TracedPage)
}

/// A request as it went out, or is about to.
package struct TracedRequest: Sendable {
    /// The number of the request in its process, from 1.
    package let number: UInt64
    package let method: String
    package let url: String
    package let headers: [NamedValue]
    package let body: String?
}

/// A request and its response.
package struct TracedExchange: Sendable {
    /// The response.
    package struct Answer: Sendable {
        package let status: Int
        package let version: String
        package let headers: [NamedValue]
        /// The first value of the header, masked.
        package subscript(name: String) -> String? { Headers(headers)[name] }
        package let headerByteCount: Int
        package let bodyByteCount: Int
        /// The length of the body, decompressed.
        package let size: Int
        private let body: Body
        private let mask: TraceMask

        init(_ answer: Exchange.Answer, _ mask: TraceMask) {
            status = answer.status
            version = answer.version
            headers = mask.headers(answer.headers)
            headerByteCount = answer.headerByteCount
            bodyByteCount = answer.bodyByteCount
            size = answer.body.count
            body = answer.body
            self.mask = mask
        }

        /// The body as text, at most so many bytes of it.
        package func text(limit: Int) -> String { mask.text(of: body, limit: limit) }
    }

    package let request: TracedRequest
    /// The start, in milliseconds since 1970.
    package let startedAt: Int64
    package let timings: Exchange.Timings
    package let address: String?
    package let answer: Answer?
    /// The reason for a missing response.
    package let failure: String?
}

/// A page that was read, and where it leads.
package struct TracedPage: Sendable {
    /// Its number in the crawl, from 1.
    package let number: Int
    /// The page cursor of its request; nil for the first page.
    package let cursor: String?
    package let itemCount: Int
    /// True if the upstream reported the stored page as unmodified.
    package let isUnmodified: Bool
    /// The next page cursor; nil at the end.
    package let next: String?

    package init(number: Int, cursor: String?, itemCount: Int, isUnmodified: Bool, next: String?) {
        self.number = number
        self.cursor = cursor
        self.itemCount = itemCount
        self.isUnmodified = isUnmodified
        self.next = next
    }
}

/// Receives the events of requests, on any thread.
package typealias TraceHandler = @Sendable (RequestTrace) -> Void
