/// The meaning of member names for the search of items.
enum ItemsNames {
    /// Names under which APIs put the items of a page, folded.
    private static let usual: Set<String> = [
        "items", "item", "data", "results", "result", "records", "rows", "list", "entries", "entry", "hits", "value",
        "values", "objects", "nodes", "edges", "elements", "content", "contents", "docs", "documents", "collection",
        "resources", "features", "children", "member", "members", "ordereditems", "resultset", "searchresults", "posts",
        "payload", "pages", "matches", "embedded",
    ]

    /// Names of lists that stand beside the items, folded.
    private static let beside: Set<String> = [
        "links", "link", "meta", "metadata", "included", "includes", "facets", "facet", "aggregations", "aggregation",
        "filters", "filter", "sort", "sorts", "warnings", "warning", "actions", "highlights", "suggestions", "schema",
        "breadcrumbs", "parameters", "params", "pagination", "paging", "extensions", "debug", "notices", "permissions",
        "primarygroups", "operations", "orderby", "suggestedfacets", "facetresults", "facetcounts",
    ]

    /// Names of lists that are the items where there is no better one, folded.
    private static let perhapsBeside: Set<String> = ["authors", "users", "tags", "fields", "columns", "categories"]

    /// Names of errors, folded.
    private static let faults: Set<String> = ["error", "errors", "exception", "exceptions", "failures"]

    /// Objects that merely wrap one item, folded.
    static let wrappers: Set<String> = ["data", "result", "response", "payload", "item", "record", "body", "d"]

    /// Members of objects that are links rather than items, folded.
    private static let linkMembers: Set<String> = [
        "rel", "href", "method", "type", "title", "url", "relation", "templated", "label", "active", "name", "media",
    ]

    static func isUsual(_ name: String) -> Bool { usual.contains(MemberName(name).folded) }
    static func isBeside(_ name: String) -> Bool { beside.contains(MemberName(name).folded) }
    static func isPerhapsBeside(_ name: String) -> Bool { perhapsBeside.contains(MemberName(name).folded) }
    static func isFault(_ name: String) -> Bool { faults.contains(MemberName(name).folded) }

    /// True if a member's name is that of the URL's resource: `issues` of `/issues.json`, `results` of none.
    static func isResource(_ name: String, of resource: String?) -> Bool {
        resource.map { MemberName(name).folded == MemberName($0).folded } ?? false
    }

    /// True for links: `[{"rel": "next", "href": "…"}]`.
    static func areLinks(_ objects: [JSONObject]) -> Bool {
        !objects.isEmpty
            && objects.allSatisfy { object in
                let names = Set(object.names.map { MemberName($0).folded })
                let leads = !names.isDisjoint(with: ["href", "url"])
                let isNamed = !names.isDisjoint(with: ["rel", "relation", "templated", "method", "active"])
                return (leads && isNamed || names == ["href"]) && names.isSubset(of: linkMembers)
            }
    }

    /// True if an object states that the request failed, as in https://github.com/omniti-labs/jsend
    static func saysNo(_ object: JSONObject) -> Bool {
        if ["success", "ok"].contains(where: { object[$0] == .bool(false) }) { return true }
        return object["status"]?.text.map { ["error", "fail"].contains($0.lowercased()) } ?? false
    }

    /// True if an object has an id, so that lists in it are its own.
    static func isItemLike(_ object: JSONObject) -> Bool {
        ["id", "_id", "uuid", "guid", "ID", "Id", "sha"].contains { object[$0]?.isScalar == true }
    }
}
