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
