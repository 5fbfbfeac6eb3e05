internal import HTTP

/// A page read without a complete definition: its items, and the values that identify them.
package struct PageReading {
    let body: JSONValue
    package let items: [ItemsCandidate.Item]
    /// The elements of the items' array, also those that are no objects.
    let elementCount: Int
    /// True if the items are the elements of an array.
    let isList: Bool

    /// Reads the items by a rule; nil if there are none.
    package init?(_ body: JSONValue, items rule: ItemsRule) {
        self.body = body
        let isKeyed = rule.keyedBy != nil
        switch body.value(at: rule.path) {
        case .array(let elements)? where !isKeyed:
            items = elements.compactMap { element in
                element.members.map { ItemsCandidate.Item(name: nil, members: $0) }
            }
            elementCount = elements.count
            isList = true
        case .object(let members)? where isKeyed:
            items = members.all.compactMap { member in
                member.value.members.map { ItemsCandidate.Item(name: member.name, members: $0) }
            }
            elementCount = members.all.count
            isList = false
        case .object(let members)?:
            items = [ItemsCandidate.Item(name: nil, members: members)]
            elementCount = 1
            isList = false
        default: return nil
        }
    }

    /// The keys in the page's order; items that lack theirs are passed over.
    func keys(_ paths: [Path]) -> [String] { items.compactMap { $0.key(paths) } }

    /// The page as the first one of a crawl.
    func input(
        for style: any Paginator, headers: Headers, url: WebURL, secrets: Secrets
    ) -> PaginationInput {
        PaginationInput(
            cursor: nil, elementCount: elementCount, crawlElementCount: elementCount,
            values: style.bodyPaths.map { body.value(at: $0)?.scalar },
            lastItemValues: style.itemPaths.map { items.last?.value(at: $0)?.scalar }, headers: headers.fields,
            url: url.text, secrets: secrets)
    }
}

extension ItemsCandidate.Item {
    /// The values at the paths of a key, as JSON; nil for an item that lacks one.
    func key(_ paths: [Path]) -> String? {
        let values = paths.map { value(at: $0) }
        guard values.allSatisfy({ $0?.isScalar == true }) else { return nil }
        return JSONValue.array(values.compactMap(\.self)).json
    }

    /// The value at a path of the item; `~` is its name.
    func value(at path: Path) -> JSONValue? {
        if path == .memberName { return name.map(JSONValue.string) }
        if path == .itemHash {
            var hash = ContentHash()
            hash.add(JSONValue.object(PlainItem.content(members)).json.utf8)
            return .string(hash.digits)
        }
        return JSONValue.object(members).value(at: path)
    }
}
