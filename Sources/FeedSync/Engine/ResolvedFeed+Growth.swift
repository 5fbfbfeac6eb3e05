extension ResolvedFeed {
    /// The shape with room for all values of a page's items: more columns and wider ones.
    ///
    /// Items are read one at a time, because all values together would take several times the page's memory.
    ///
    /// - Throws: `FeedSyncError` of kind `undecodable` if an item has too many values.
    func grown(for page: DecodedPage) throws(FeedSyncError) -> ResolvedFeed {
        var shape = ItemShape(definition.found)
        for index in 0..<page.elementCount {
            let item: JSONValue
            do throws(JSONSyntaxError) {
                item = try page.value(at: index)
            } catch {
                throw DiscoveryFault.notJSON(error, contentType: nil)
            }
            if case .object(let members) = item { shape.add(members) }
        }
        let names = Set(definition.columns.map(\.name))
        let columns = shape.columns(extending: definition.columns, fixed: names.subtracting(openColumns))
        var findings = findings
        findings.columns = Array(columns.dropFirst(declared.columns.count))
        return try ResolvedFeed(declared, findings)
    }
}
