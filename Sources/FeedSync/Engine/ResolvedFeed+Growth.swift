internal import HTTP

extension ResolvedFeed {
    /// The shape with room for everything that a page's items have: more columns, wider ones.
    ///
    /// - Throws: `FeedSyncError` of kind `undecodable` if the response is not JSON.
    func grown(for body: Body) throws(FeedSyncError) -> ResolvedFeed {
        let tree: JSONTree
        do throws(JSONSyntaxError) {
            tree = try JSONTree(body)
        } catch {
            throw DiscoveryFault.notJSON(error, contentType: nil)
        }
        let items = definition.items ?? ItemsRule(path: Path([]))
        guard let reading = PageReading(tree, items: items.path, isKeyed: items.keyedBy != nil) else { return self }
        var shape = ItemShape()
        for item in reading.items { shape.add(item.members) }
        let names = Set(definition.columns.map(\.name))
        let columns = shape.columns(extending: definition.columns, fixed: names.subtracting(openColumns))
        var findings = findings
        findings.columns = Array(columns.dropFirst(declared.columns.count))
        return try ResolvedFeed(declared, findings)
    }
}
