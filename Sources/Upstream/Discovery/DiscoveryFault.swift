package import HTTP

/// The reason for which discovery fails, in words that a user can act on.
package enum DiscoveryFault {
    /// The number of a body's members to name.
    private static let most = 8

    /// The body has nothing that looks like items.
    static func noItems(in body: JSONValue) -> FeedSyncError {
        let seen: String
        var advice = "write where they are, for example `items: data.list`"
        if case .object(let members) = body, members.all.contains(where: { $0.value.isListOfLists }) {
            advice = "request rows as objects, for example with `?_shape=objects` on a Datasette server"
        }
        switch body {
        case .object(let members):
            let places = members.all.prefix(most).map { "`\($0.name)` (\($0.value.sizeWords))" }
            let rest = members.all.count > most ? ", and \(members.all.count - most) more" : ""
            seen = places.isEmpty ? "it is an empty object" : "it has \(places.joined(separator: ", "))\(rest)"
        case .array:
            advice = "request a list of objects, each with a field that identifies it"
            seen = "it is \(body.sizeWords), not of objects"
        default: seen = "it is \(body.kindWords)"
        }
        return FeedSyncError(.configuration, "no items found in the response: \(seen)", advice: advice)
    }

    /// There is nothing, or no list, where the definition has the items.
    static func noItems(at path: Path, in body: JSONValue) -> FeedSyncError {
        let there = body.value(at: path).map { "`\(path)` is \($0.kindWords), not a list" }
        let best = ItemsSearch.best(in: body).map { ", such as `items: \($0.path)`" } ?? ""
        return FeedSyncError(
            .configuration, there ?? "`items: \(path)` matches nothing in the response",
            advice: "correct `items`\(best)")
    }

    /// A list of items in a body that was taken for the only item as long as it had none; nil if a first load would
    /// take it so again.
    ///
    /// - Parameter single: The place of the object that was taken for the item.
    package static func listInItem(in body: JSONValue, of single: Path, url: WebURL) -> FeedSyncError? {
        guard case .object? = body.value(at: single), let best = ItemsSearch.best(in: body, url: url),
            best.path != single, best.shape == .array
        else { return nil }
        return FeedSyncError(
            .configuration,
            "the response was one item so far, and now `\(best.path)` is a list of items",
            advice: "if these are the items, set `items: \(best.path)`; else set `items: \(single)`")
    }

    /// The error for items that cannot be distinguished.
    ///
    /// - Parameter single: The body, if it was taken for the only item: a list in it whose elements are no objects was
    ///   probably meant.
    static func noKey(_ reason: String, of single: JSONValue?) -> FeedSyncError {
        if case .object(let members)? = single, members.all.contains(where: { $0.value.isBareList }) {
            return noItems(in: .object(members))
        }
        return FeedSyncError(
            .configuration, "no key found: \(reason)",
            advice: "write which fields identify an item, for example `key: id` or `key: [owner, name]`")
    }

    /// The body is text in another encoding, or no text.
    static func notUTF8(contentType: String?) -> FeedSyncError {
        FeedSyncError(
            .undecodable,
            "the response is not UTF-8, which JSON must be\(contentType.map { "; it was sent as `\($0)`" } ?? "")",
            advice: "request UTF-8, or JSON if it sent something else")
    }

    /// The body is no JSON.
    package static func notJSON(_ error: JSONSyntaxError, contentType: String?) -> FeedSyncError {
        guard !error.isTooLarge else {
            return FeedSyncError(
                .undecodable, "the response has \(error.message), which is too much to find out what it holds",
                advice:
                    "ask for smaller pages, write `items`, `key` and `columns` into the feed's definition, or give it a larger `max_memory`"
            )
        }
        let kind = contentType.map { $0.hasSuffix("json") ? "" : " (it was sent as `\($0)`)" } ?? ""
        return FeedSyncError(
            .undecodable, "the response is not JSON\(kind): \(error.message), at byte \(error.offset)",
            advice: "check that the `url` belongs to an API that answers in JSON")
    }
}

extension JSONValue {
    /// True for a list whose first element is a list.
    var isListOfLists: Bool {
        if case .array(let elements) = self, case .array? = elements.first { true } else { false }
    }

    /// True for a list whose elements are no objects.
    fileprivate var isBareList: Bool {
        guard case .array(let elements) = self, let first = elements.first else { return false }
        return first.members == nil
    }

    /// The kind of a list's elements that are no items.
    private var elementWords: String {
        guard case .array(let elements) = self else { return "" }
        switch elements.first {
        case .array?: return elements.count == 1 ? " list" : " lists"
        case .string?: return elements.count == 1 ? " string" : " strings"
        default: return ""
        }
    }

    /// The kind of value, and the number of its elements.
    fileprivate var sizeWords: String {
        switch self {
        case .array(let elements): elements.isEmpty ? "an empty list" : "a list of \(elements.count)\(elementWords)"
        case .object(let members): "an object of \(members.all.count)"
        default: kindWords
        }
    }
}
