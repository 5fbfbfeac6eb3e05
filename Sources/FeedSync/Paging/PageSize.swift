/// How many elements a page is asked to have: a query parameter and its value.
struct PageSize: Sendable, Hashable {
    /// The parameter's name.
    let parameter: String
    /// The number to send, from 1.
    let count: Int

    /// Reads `size_param` and `size`, which go together; nil where they are absent.
    ///
    /// - Parameter cursorParameters: the parameters that say which page; the size must be none of them.
    init?(_ members: MappingDecoder, besides cursorParameters: [String]) {
        let name = members.string("size_param")
        let count = members.integer("size", in: Self.range)
        if members.has("size_param") != members.has("size") {
            members.mistake("`size_param` and `size` go together: the parameter's name and its value")
        }
        if let name, cursorParameters.contains(name) {
            members.mistake("`size_param` is the same parameter as `param`", at: "size_param")
        }
        guard let name, let count else { return nil }
        self.init(parameter: name, count: count)
    }

    /// A size in this parameter.
    init(parameter: String, count: Int) {
        self.parameter = parameter
        self.count = count
    }

    /// The sizes that can be asked for.
    static let range = 1...1_000_000

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
