extension PageSize {
    /// Reads `size_param` and `size`, which go together; nil where they are absent.
    ///
    /// - Parameter cursorParameters: the parameters that say which page; the size must be none of them.
    init?(_ members: MappingDecoder, besides cursorParameters: [String]) {
        let name = members.string("size_param")
        let count = members.integer("size", in: Self.range)
        if members.has("size_param") != members.has("size") {
            members.report("`size_param` and `size` go together: the parameter's name and its value")
        }
        if let name, cursorParameters.contains(name) {
            members.report("`size_param` is the same parameter as `param`", at: "size_param")
        }
        guard let name, let count else { return nil }
        self.init(parameter: name, count: count)
    }
}

extension MoreFlag {
    /// Reads the paths `more` and `last`.
    init(_ members: MappingDecoder) { self.init(more: members.path("more"), last: members.path("last")) }
}

extension NextSource {
    /// Reads `next`, a path, or `header`, a name; nil, with a diagnostic, unless it is one of them.
    static func read(_ members: MappingDecoder) -> NextSource? {
        let path = members.path("next")
        let header = members.string("header")
        switch (members.has("next"), members.has("header")) {
        case (true, true):
            members.report("`next` and `header` cannot be used together", at: "header")
            return nil
        case (false, false):
            members.report("say what leads to the next page: `next`, a path in the body, or `header`, a name")
            return nil
        default:
            return path.map(Self.body) ?? header.map(Self.header)
        }
    }
}

extension PrefetchLimit {
    /// Reads `prefetch`: 1 if nothing is said.
    static func read(_ members: MappingDecoder) -> Int { members.integer("prefetch", in: range) ?? 1 }
}
