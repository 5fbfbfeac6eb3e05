/// The parts of an item whose changes do not count.
struct IgnoredMembers: Sendable {
    /// The paths in the whole item.
    private let paths: [Path]
    /// For each column the paths in its value; an empty path means the whole value.
    private let pathsOfColumns: [[Path]]

    init(_ paths: [Path], columns: [ColumnDefinition]) {
        self.paths = paths
        pathsOfColumns = columns.map { column in
            paths.compactMap { path in
                if column.path.starts(with: path) { return Path([]) }
                guard path.starts(with: column.path) else { return nil }
                return Path(Array(path.segments.dropFirst(column.path.segments.count)))
            }
        }
    }

    /// True if a column's value differs from the stored one only in ignored parts.
    func excuse(_ value: ColumnValue, of column: Int, stored: @autoclosure () -> String?) -> Bool {
        let paths = pathsOfColumns[column]
        guard !paths.isEmpty else { return false }
        guard !paths.contains(where: \.segments.isEmpty) else { return true }
        guard case .text(let bytes) = value else { return false }
        return Self.isSame(bytes, stored(), but: paths)
    }

    /// True if an item's JSON differs from the stored one only in ignored parts.
    func excuse(raw: UnsafeRawBufferPointer, stored: @autoclosure () -> String?) -> Bool {
        !paths.isEmpty && Self.isSame(raw, stored(), but: paths)
    }

    /// An item's JSON without its ignored parts, in a form that is the same for equal items.
    ///
    /// - Parameter isPlaced: False if the place of an element of a list of values is left out, too.
    func canonicalText(of raw: UnsafeRawBufferPointer, isPlaced: Bool = true) -> String {
        let text = String(decoding: raw, as: UTF8.self)
        // The decoder has already read it. Text that cannot be read again is used as it is.
        guard let item = try? JSONValue(parsing: text) else { return text }
        let content = isPlaced ? item : item.members.map { .object(PlainItem.content($0)) } ?? item
        return paths.reduce(content) { item, path in item.without(path.segments[...]) }.canonicalText
    }

    private static func isSame(_ bytes: UnsafeRawBufferPointer, _ stored: String?, but paths: [Path]) -> Bool {
        guard let stored, let old = try? JSONValue(parsing: stored),
            let new = try? JSONValue(parsing: String(decoding: bytes, as: UTF8.self))
        else { return false }
        let without = { (value: JSONValue) in
            paths.reduce(value) { value, path in value.without(path.segments[...]) }
        }
        return without(new) == without(old)
    }
}

extension JSONValue {
    /// The value without the part at the path. Members are removed; elements become null, so that the others keep their
    /// places.
    fileprivate func without(_ path: ArraySlice<Path.Segment>) -> JSONValue {
        guard let segment = path.first else { return .null }
        let rest = path.dropFirst()
        switch (segment, self) {
        case (.member(let name), .object(var members)):
            guard let value = members[name] else { return self }
            members[name] = rest.isEmpty ? nil : value.without(rest)
            return .object(members)
        case (.index(let index), .array(var elements)):
            guard elements.indices.contains(index) else { return self }
            elements[index] = elements[index].without(rest)
            return .array(elements)
        case (.first(let name, let wanted), .array(var elements)):
            guard let index = elements.firstIndex(where: { $0.has(name, writtenAs: wanted) }) else { return self }
            elements[index] = elements[index].without(rest)
            return .array(elements)
        default:
            return self
        }
    }

    private func has(_ name: String, writtenAs wanted: String) -> Bool {
        guard case .object(let members) = self else { return false }
        return switch members[name] {
        case .string(let text)?, .number(let text)?: text == wanted
        case .bool(let value)?: "\(value)" == wanted
        default: false
        }
    }
}
