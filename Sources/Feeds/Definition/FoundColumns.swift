internal import YAML

/// The rule for columns that are found: the members that get none, and the depth to which objects are taken apart.
package struct FoundColumns: Sendable, Hashable {
    /// The paths of members that get no column, with everything below them.
    package let except: [Path]
    /// The most steps of a path that becomes a column of its own; deeper objects stay whole.
    package let depth: Int
    /// True if a column's name has the names of the objects around its member: `owner_login`, not `login`.
    package let hasPrefix: Bool

    /// Three steps, with their names.
    package static let standard = FoundColumns(except: [], depth: 3, hasPrefix: true)

    /// True if a member gets no column.
    package func leavesOut(_ path: Path) -> Bool { except.contains { path.starts(with: $0) } }

    /// The name of the column for a member.
    package func name(of path: Path) -> String {
        hasPrefix ? path.columnName : Path(path.segments.suffix(1)).columnName
    }

    /// The rule's members, equal for equal rules; none for the standard rule.
    var canonicalMembers: [(name: String, value: String)] {
        except.map { ("except.\($0)", "") }
            + (depth == Self.standard.depth && hasPrefix ? [] : [("flatten", "\(depth) \(hasPrefix)")])
    }
}

extension MappingDecoder {
    /// The feed's `except` and `flatten`.
    ///
    /// - Parameter isOpen: True if columns are found.
    func foundColumns(isOpen: Bool) -> FoundColumns {
        let except = strings("except").compactMap { path("except", $0.node) }
        for member in ["except", "flatten"] where has(member) && !isOpen {
            report(
                "`\(member)` of \(subject) is about columns that are found, and `columns` lists them all", at: member)
        }
        if !except.isEmpty, boolean("raw") == true {
            report("`raw` of \(subject) keeps items whole, with what `except` leaves out", at: "raw")
        }
        let standard = FoundColumns.standard
        guard let members = reader("flatten") else {
            return FoundColumns(except: except, depth: standard.depth, hasPrefix: standard.hasPrefix)
        }
        defer { members.finish() }
        return FoundColumns(
            except: except, depth: members.integer("depth", in: 1...10) ?? standard.depth,
            hasPrefix: members.boolean("prefix") ?? standard.hasPrefix)
    }
}
