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
    package mutating func add(_ item: JSONObject) {
        Self.add(item, to: &root, depth: 0, deepest: rule.depth, count: &nodeCount, passedOver: &passedOver)
    }

    private static func add(
        _ members: JSONObject, to node: inout Node, depth: Int, deepest: Int, count: inout Int,
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

extension JSONValue {
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

extension ItemShape {
    /// Columns made of a shape.
    struct Columns: Sendable, Hashable {
        /// The columns, those that were there before first.
        let all: [ColumnDefinition]
        /// The number of members without a column, because there would be too many or their names are too long; 0 if
        /// every one has one.
        let passedOver: Int
    }

    /// The columns for the members of the items; the same as those of `allColumns(extending:fixed:)`.
    package func columns(extending existing: [ColumnDefinition] = [], fixed: Set<String> = []) -> [ColumnDefinition] {
        allColumns(extending: existing, fixed: fixed).all
    }

    /// The columns for the members of the items.
    ///
    /// Existing ones keep name, path and position; their type is widened for values that do not fit it. New ones follow
    /// in order of appearance.
    ///
    /// - Parameters:
    ///   - existing: The columns so far, the definition's own among them.
    ///   - fixed: The names of columns whose type is fixed.
    func allColumns(extending existing: [ColumnDefinition] = [], fixed: Set<String> = []) -> Columns {
        let room = max(0, FeedDefinition.mostColumns - existing.count)
        var wanted: [Leaf] = []
        // Objects stay whole if flattening makes too many columns.
        for depth in stride(from: rule.depth, through: 1, by: -1) {
            wanted = leaves(depth: depth, existing: existing)
            if wanted.count <= room { break }
        }
        let added = wanted.prefix(room)
        let kept = existing.map { column in
            guard !fixed.contains(column.name), let node = node(at: column.path) else { return column }
            return ColumnDefinition(
                name: column.name, path: column.path, type: ColumnType.joining(column.type, Self.type(of: node)))
        }
        let names = ColumnNames.columnNames(for: existing.map(\.name) + added.map { rule.name(of: $0.path) })
        let new = zip(names.dropFirst(existing.count), added).map { name, leaf in
            ColumnDefinition(name: name, path: leaf.path, type: leaf.type)
        }
        return Columns(all: kept + new, passedOver: passedOver + wanted.count - added.count)
    }

    private struct Leaf {
        let path: Path
        let type: ColumnType?
    }

    /// The paths that become new columns.
    private func leaves(depth: Int, existing: [ColumnDefinition]) -> [Leaf] {
        let known = Set(existing.map(\.path))
        var inner: Set<Path> = []
        for path in known {
            for length in path.segments.indices where length > 0 { inner.insert(Path(Array(path.segments[..<length]))) }
        }
        var leaves: [Leaf] = []
        func visit(_ node: Node, _ path: Path) {
            for child in node.children {
                let place = path.appending(child.name)
                // A value that is whole in one column stays so.
                if known.contains(place) || rule.leavesOut(place) { continue }
                let isFlattened = inner.contains(place)
                let isWhole = !isFlattened && (child.isDictionary || place.segments.count >= depth)
                if child.objects > 0, !child.isMixed, !child.isEmptyAtTimes || !isFlattened, !isWhole {
                    visit(child, place)
                } else {
                    // The columns of its members stay, if it has any; the rest of its values get a column in addition.
                    leaves.append(Leaf(path: place, type: Self.type(of: child)))
                }
            }
        }
        visit(root, Path([]))
        return leaves
    }

    /// The type of a column that holds whole values of the node.
    private static func type(of node: Node) -> ColumnType? {
        node.objects == 0 ? node.type : ColumnType.joining(node.type, .json)
    }

    private func node(at path: Path) -> Node? {
        path.segments.reduce(Optional(root)) { node, segment in
            guard case .member(let name) = segment else { return nil }
            return node.flatMap { node in node.places[ExactText(name)].map { node.children[$0] } }
        }
    }
}
