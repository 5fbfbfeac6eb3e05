/// A place in a body where the items may be.
package struct ItemsCandidate {
    /// The kind of place.
    enum Shape: Equatable {
        /// An array of objects.
        case array
        /// An array without elements.
        case emptyArray
        /// An object whose members are the items; `isNumbered` if their names only count them.
        case members(isNumbered: Bool)
        /// One object, which is the only item.
        case single
    }

    let path: Path
    let shape: Shape
    /// The objects, without null and other values between them.
    let items: [Item]
    /// The likelihood that these are the feed's items.
    var score = 0.0
    /// True if its name is a usual one of items.
    var isNamed = false
    /// Another place that is as likely.
    var rival: Path?

    /// One item, with the name of the member that it is.
    package struct Item {
        let name: String?
        package let members: JSONObject
    }

    /// True if both are members of the same object.
    func isBeside(_ other: ItemsCandidate) -> Bool {
        path != other.path && path.segments.dropLast() == other.path.segments.dropLast()
    }

    /// The name of the member that holds the items; nil for the body itself.
    var name: String? { path.lastName }
}

extension ItemsCandidate {
    /// The candidate that a value makes; nil for one that holds no objects.
    ///
    /// - Parameter isTable: True for the rows of a table, of which the last one is a text if it may be cut off.
    init?(_ value: JSONValue, at path: Path, isTable: Bool = false) {
        switch value {
        case .array(let elements):
            let objects = elements.compactMap { element in element.members.map { Item(name: nil, members: $0) } }
            let isCut = isTable && !objects.isEmpty && elements.last?.text != nil
            let others = elements.count { $0 != .null } - objects.count - (isCut ? 1 : 0)
            // A few strays among objects are for the decoder to count; a mixture is not a list of items.
            guard objects.count > others || elements.isEmpty else { return nil }
            self.init(path: path, shape: elements.isEmpty ? .emptyArray : .array, items: objects)
        case .object(let members):
            guard let items = Self.keyedItems(members) else { return nil }
            let isNumbered = zip(items.compactMap(\.name), 0...).allSatisfy { $0 == "\($1)" || $0 == "\($1 + 1)" }
            self.init(path: path, shape: .members(isNumbered: isNumbered), items: items)
        default: return nil
        }
    }

    /// The members as items, if all are objects of one kind: `{"12": {…}, "15": {…}}`, not `{"owner": {…}, "plan":
    /// {…}}`.
    private static func keyedItems(_ members: JSONObject) -> [Item]? {
        let items = members.all.compactMap { member in
            member.value.members.map { Item(name: member.name, members: $0) }
        }
        let nulls = members.all.count { $0.value == .null }
        guard !items.isEmpty, items.count + nulls == members.all.count else { return nil }
        let areData = items.allSatisfy { $0.name.map(MemberName.isDatum) == true }
        guard areData || items.count >= 3 else { return nil }
        let alike = likeness(of: items.map(\.members))
        return alike >= (areData ? 0.3 : 0.8) && items.contains { !$0.members.all.isEmpty } ? items : nil
    }

    /// The average share of all member names that an object has, from 0 to 1.
    static func likeness(of objects: [JSONObject]) -> Double {
        var presence: [String: Int] = [:]
        for object in objects { for name in object.names { presence[name, default: 0] += 1 } }
        guard !presence.isEmpty, !objects.isEmpty else { return 1 }
        return Double(presence.values.reduce(0, +)) / Double(presence.count * objects.count)
    }
}
