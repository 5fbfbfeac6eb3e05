internal import Feeds

/// Writes a list as the members of a feed.
struct ListWriter {
    let choice: APIDescription.Choice
    let values: [String: String]
    /// The URL of the API.
    let base: String

    private var list: DocumentedList { choice.list }

    /// Remarks on what the document says otherwise.
    var notes: [String] {
        let page = list.pageParameter.flatMap { name in
            values[name].map { _ in "its pagination sets \(name), whatever value is given" }
        }
        let signIn = (list.signIn?.schemes ?? []).compactMap { scheme in
            switch scheme.kind {
            case .token: "its token comes from a sign-in that the document leaves to you"
            case .header(let name) where name.lowercased() == "authorization":
                "the variable of \(scheme.name) holds the whole header `\(name)`, often `Bearer` and a token"
            default: nil
            }
        }
        return signIn + [page].compactMap(\.self)
    }

    /// The members, the URL first.
    func members(hasColumns: Bool) -> [FeedEntry.Member] {
        var members: [FeedEntry.Member] = [.init("url", .text(url))]
        let signIn = list.signIn?.members(values, server: base + "/")
        let query = self.query + (signIn?.query ?? [])
        let headers = self.headers + (signIn?.headers ?? [])
        members.add("query", query)
        members.add("headers", headers)
        if let auth = signIn?.auth { members.append(.init("auth", auth)) }
        // These cannot fail: the pagination is added apart.
        members += (try? FeedEntry.Member.members(of: list.findings, for: .open(), hasColumns: hasColumns)) ?? []
        if let pagination { members.append(.init("pagination", pagination)) }
        return members
    }

    private var url: String {
        var path = list.path
        for parameter in list.parameters where parameter.place == .path {
            guard let value = choice.values[parameter.name] ?? values[parameter.name] else { continue }
            path = path.replacing("{\(parameter.name)}", with: Self.written(value))
        }
        return base + path.replacing(" ", with: "%20")
    }

    /// A value in a path: references as they are, all else encoded.
    private static func written(_ value: String) -> String {
        value.contains("{") ? value : PercentCoding.encoded(value, keeping: "%:@,;=+!$&'()*")
    }

    private var query: [FeedEntry.Member] {
        list.parameters.filter { $0.place == .query && !list.isOfPaging($0) }.compactMap { parameter in
            let standard = parameter.isRequired ? parameter.standard : nil
            return (values[parameter.name] ?? standard).map { .init(parameter.name, .init(word: $0)) }
        }
    }

    /// The pagination, with the number of items that was asked for.
    private var pagination: FeedEntry.Value? {
        guard case .mapping(let members)? = list.pagination, let size = list.sizeParameter.flatMap({ values[$0] })
        else { return list.pagination }
        return .mapping(members.map { ["size", "limit"].contains($0.name) ? .init($0.name, .init(word: size)) : $0 })
    }

    private var headers: [FeedEntry.Member] {
        // These are sent anyway, or are for the sign-in to say.
        let own = ["accept", "authorization", "content-type", "user-agent"]
        return list.parameters.filter { $0.place == .header && !own.contains($0.name.lowercased()) }
            .compactMap { parameter in
                let standard = parameter.isRequired ? parameter.standard : nil
                return (values[parameter.name] ?? standard).map { .init(parameter.name, .text($0)) }
            }
    }
}
