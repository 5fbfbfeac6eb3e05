/// What keeps a feed from being found out, in words a user can act on.
enum DiscoveryFault {
    /// How much of what a body holds is told.
    private static let most = 8

    /// The body has nothing that looks like items.
    static func noItems(in body: JSONTree) -> FeedError {
        let seen: String
        switch body {
        case .object(let members):
            let places = members.all.prefix(most).map { "`\($0.name)` (\($0.value.sizeWords))" }
            let rest = members.all.count > most ? ", and \(members.all.count - most) more" : ""
            seen = places.isEmpty ? "it is an empty object" : "it has \(places.joined(separator: ", "))\(rest)"
        case .array: seen = "it is \(body.sizeWords), and not of objects"
        default: seen = "it is \(body.kindWords)"
        }
        return FeedError(
            .configuration, "no items can be found in the body: \(seen)",
            advice: "write where they are, as in `items: data.list`")
    }

    /// There is nothing, or no list, where the definition has the items.
    static func noItems(at path: Path, in body: JSONTree) -> FeedError {
        let there = body.value(at: path).map { "`\(path)` is \($0.kindWords), and no list" }
        let best = ItemsSearch.best(in: body).map { ", such as `items: \($0.path)`" } ?? ""
        return FeedError(
            .configuration, there ?? "there is nothing at `\(path)`, where the items should be",
            advice: "correct `items`\(best)")
    }

    /// Nothing tells the items apart.
    static func noKey(_ reason: String) -> FeedError {
        FeedError(
            .configuration, "no key can be found: \(reason)",
            advice: "write what tells the items apart, as in `key: id` or `key: [owner, name]`")
    }

    /// The body is no JSON.
    static func notJSON(_ error: JSONSyntaxError, contentType: String?) -> FeedError {
        let kind = contentType.map { $0.hasSuffix("json") ? "" : ", though it came as `\($0)`" } ?? ""
        return FeedError(
            .undecodable, "the body is no JSON\(kind): \(error.message), at byte \(error.offset)",
            advice: "check that the `url` is that of an API that answers in JSON")
    }
}

extension JSONTree {
    /// What it is, and how many it holds.
    fileprivate var sizeWords: String {
        switch self {
        case .array(let elements): elements.isEmpty ? "an empty list" : "a list of \(elements.count)"
        case .object(let members): "an object of \(members.all.count)"
        default: kindWords
        }
    }
}
