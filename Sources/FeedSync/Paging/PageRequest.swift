/// The request for a page, as far as paging has a say in it.
public struct PageRequest: Sendable, Hashable {
    /// A query parameter, not yet encoded.
    public struct Parameter: Sendable, Hashable {
        /// The parameter's name.
        public var name: String
        /// The parameter's value.
        public var value: String

        /// A parameter.
        public init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The URL, perhaps with a query of its own; a parameter in `query` takes the place of one of its name there.
    public var url: String
    /// Query parameters in the order in which they are sent.
    public var query: [Parameter]

    /// A request for this URL and query.
    public init(url: String, query: [Parameter] = []) {
        self.url = url
        self.query = query
    }

    /// Gives a parameter one value, in the place of those it had or at the end.
    public mutating func set(_ name: String, to value: String) {
        guard let index = query.firstIndex(where: { $0.name == name }) else {
            query.append(Parameter(name: name, value: value))
            return
        }
        query[index].value = value
        var isFirst = true
        query.removeAll { parameter in
            guard parameter.name == name else { return false }
            defer { isFirst = false }
            return !isFirst
        }
    }
}
