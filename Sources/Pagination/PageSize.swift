/// How many elements a page is asked to have: a query parameter and its value.
package struct PageSize: Sendable, Hashable {
    /// The parameter's name.
    let parameter: String
    /// The number to send, from 1.
    let count: Int

    /// A size in this parameter.
    package init(parameter: String, count: Int) {
        self.parameter = parameter
        self.count = count
    }

    /// The sizes that can be asked for.
    package static let range = 1...1_000_000

    /// The members with their values.
    var canonicalText: String { "size_param \(parameter) size \(count)" }

    /// Puts the size into a request, unless the feed's own query has one.
    func apply(to request: inout PageRequest) {
        guard !request.has(parameter) else { return }
        request.set(parameter, to: count)
    }
}

extension PageRequest {
    /// The request for a page whose URL the upstream gives whole: only the first one is the feed's own, with the size.
    static func following(_ cursor: PageCursor?, size: PageSize?, base: PageRequest) -> PageRequest {
        if let cursor { return PageRequest(url: cursor.text) }
        var request = base
        size?.apply(to: &request)
        return request
    }
}
