/// An element of a list of values, as the item that it becomes: `{"value": "a", "position": 0}`.
package enum PlainItem {
    /// The member with the element.
    package static let value = "value"
    /// The member with its place on the page, from 0.
    package static let position = "position"

    /// True for an item of these two members.
    package static func holds(_ item: JSONObject) -> Bool {
        guard item.all.count == 2, item[value]?.isScalar == true, case .number? = item[position] else { return false }
        return true
    }

    /// The item without its place, which is not its own: it shifts when others come or go. Another item as it is.
    package static func content(_ item: JSONObject) -> JSONObject {
        guard holds(item) else { return item }
        var content = item
        content[position] = nil
        return content
    }
}
