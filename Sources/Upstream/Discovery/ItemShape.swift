/// The shape of a feed's items, from the items added so far.
///
/// It grows page by page, and `columns(extending:fixed:)` never removes a column.
package struct ItemShape: Sendable {
    /// The most steps of the path of a key that is found.
    static let deepest = 3
    /// The most members that are kept apart; a page of one item with a million members is no table.
    private static let mostNodes = 20_000

    /// The values at one path.
    struct Node: Sendable {
        let name: String
        /// The type of the scalars and arrays that stood there; nil while there was none but null.
        var type: ColumnType?
        /// The number of objects at the path, and of those with members.
        var objects = 0
        var filledObjects = 0
        /// The members of those objects, in order of appearance.
        var children: [Node] = []
        var places: [ExactText: Int] = [:]
        /// The number of those objects' members together.
        var memberCount = 0
    }

    private(set) var root = Node(name: "")
    private var nodeCount = 0
    /// The number of members for which there was no room, or whose names were too long.
    private(set) var passedOver = 0

    /// The rule for the columns.
    let rule: FoundColumns

    /// Nothing known yet.
    package init(_ rule: FoundColumns = .standard) { self.rule = rule }

    /// Learns from an item.
    package mutating func add(_ item: JSONTree.Members) {
        Self.add(item, to: &root, depth: 0, deepest: rule.depth, count: &nodeCount, passedOver: &passedOver)
    }

    private static func add(
        _ members: JSONTree.Members, to node: inout Node, depth: Int, deepest: Int, count: inout Int,
        passedOver: inout Int
    ) {
        node.objects += 1
        node.filledObjects += members.all.isEmpty ? 0 : 1
        // Deeper objects are kept whole.
        guard depth < deepest else { return }
        node.memberCount += members.all.count
        for member in members.all {
            let place: Int
            if let known = node.places[ExactText(member.name)] {
                place = known
            } else if count < mostNodes, !MemberName.isTooLong(member.name) {
                count += 1
                place = node.children.count
                node.places[ExactText(member.name)] = place
                node.children.append(Node(name: member.name))
            } else {
                passedOver += 1
                continue
            }
            switch member.value {
            case .object(let inner):
                add(
                    inner, to: &node.children[place], depth: depth + 1, deepest: deepest, count: &count,
                    passedOver: &passedOver)
            case let value:
                node.children[place].type = ColumnType.joining(node.children[place].type, value.columnType)
            }
        }
    }
}

extension ItemShape.Node {
    /// Objects in some items and something else in others.
    var isMixed: Bool { objects > 0 && type != nil }

    /// An object without members in some items.
    var isEmptyAtTimes: Bool { filledObjects < objects }

    /// True for an object whose members' names are values rather than names, or that is empty in some items.
    var isDictionary: Bool {
        guard !isEmptyAtTimes else { return true }
        if children.contains(where: { MemberName.isDatum($0.name) }) { return true }
        // Each item has a few of many.
        return children.count > 20 && memberCount < children.count * filledObjects * 3 / 10
    }
}

extension ColumnType {
    /// The narrowest type that has room for both; a type that was given with care stays where the other fits.
    static func joining(_ one: ColumnType?, _ other: ColumnType?) -> ColumnType? {
        switch (one, other) {
        case (let type, nil), (nil, let type): type
        case (let one?, let other?) where one == other: one
        case (.integer?, .real?), (.real?, .integer?): .real
        default: .text
        }
    }
}

extension JSONTree {
    /// The type of a column that holds such values; nil for null.
    fileprivate var columnType: ColumnType? {
        switch self {
        case .null: nil
        case .bool: .boolean
        // The digits count, not the range of 64 bits: a number beyond it is kept as written.
        case .number(let digits): digits.utf8.allSatisfy { !".eE".utf8.contains($0) } ? .integer : .real
        case .string: .text
        case .array, .object: .json
        }
    }
}
