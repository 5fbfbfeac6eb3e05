package import JSON
package import Text

/// The request for a page, as far as paging has a say in it.
///
/// With a body, a parameter is a member of the body, named by its path, or stands in a text as `TextBody` has it; else
/// it is one of the query.
package struct PageRequest: Sendable, Hashable {
    /// The URL, perhaps with a query of its own; a parameter in `query` takes the place of one of its name there.
    package var url: String
    /// Query parameters in the order in which they are sent.
    package var query: [NamedValue]
    /// The body, a string where it is a text as a whole; nil for a GET.
    package var body: JSONValue?
    /// The values of the parameters that have a place in a body that is a text.
    package private(set) var places: [NamedValue] = []
    /// The number of elements of the previous page with which the page should begin, if the paginator can request that.
    package var overlap = 0

    /// A request for this URL and query, with this body.
    package init(url: String, query: [NamedValue] = [], body: JSONValue? = nil) {
        self.url = url
        self.query = query
        self.body = body
    }

    /// A request like this one at another address, without parameters.
    package func moved(to url: String) -> PageRequest {
        PageRequest(url: url, body: body.map { $0.text == nil ? .object(JSONObject()) : $0 })
    }

    /// True if the parameter has a value.
    package func has(_ name: String) -> Bool {
        if let text = body?.text { return places.contains { $0.name == name } || !TextBody.has(name, in: text) }
        return body.map { $0.value(at: Self.place(of: name)) != nil } ?? query.contains { $0.name == name }
    }

    /// Sets a parameter to one value, in place of its present ones or at the end.
    ///
    /// In a body, a number stays a number if the value is one; otherwise the value is a string.
    package mutating func set(_ name: String, to value: String) {
        guard let body else {
            setQuery(name, to: value)
            return
        }
        guard body.text == nil else {
            places.removeAll { $0.name == name }
            places.append(NamedValue(name: name, value: value))
            return
        }
        if case .number? = body.value(at: Self.place(of: name)),
            case .number(let digits)? = try? JSONValue(parsing: value)
        {
            self.body?.set(Self.place(of: name), to: .number(digits))
        } else {
            self.body?.set(Self.place(of: name), to: .string(value))
        }
    }

    /// Sets a parameter to a token from the upstream: in a body, an object or array stays one.
    package mutating func set(_ name: String, toToken token: String) {
        guard body != nil, body?.text == nil, token.hasPrefix("{") || token.hasPrefix("["),
            let value = try? JSONValue(parsing: token)
        else {
            set(name, to: token)
            return
        }
        body?.set(Self.place(of: name), to: value)
    }

    /// Gives a parameter a number, which in a body goes out as one.
    package mutating func set(_ name: String, to number: Int) {
        if body == nil || body?.text != nil {
            set(name, to: "\(number)")
        } else {
            body?.set(Self.place(of: name), to: .number("\(number)"))
        }
    }

    private mutating func setQuery(_ name: String, to value: String) {
        guard let index = query.firstIndex(where: { $0.name == name }) else {
            query.append(NamedValue(name: name, value: value))
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

    /// The names on the way to a member of the body; a name that is no path of members is one member's.
    package static func place(of name: String) -> ArraySlice<String> { members(of: name)?[...] ?? [name] }

    /// The names on the way to a member; nil for a path that leads elsewhere, and for none.
    package static func members(of name: String) -> [String]? {
        guard let path = try? Path(name), !path.segments.isEmpty else { return nil }
        return path.memberNames
    }
}
