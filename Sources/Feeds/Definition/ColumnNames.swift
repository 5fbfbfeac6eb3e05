internal import Text

/// The columns that every feed's table has, apart from `_raw`.
package enum PlaceColumn: String, CaseIterable, Sendable {
    case section = "_section"
    case generation = "_generation"
    case position = "_position"
    case firstSeenAt = "_first_seen_at"
    case changedAt = "_changed_at"
    case removedAt = "_removed_at"
}

/// The names that columns get in a table.
package enum ColumnNames {
    /// Columns that a feed's table has besides the model's; `_rowid_` is SQLite's own.
    package static let reserved = PlaceColumn.allCases.map(\.rawValue) + ["_raw", "_rowid_"]

    /// The wished names, made unlike each other and unlike the reserved ones.
    ///
    /// The first column with a name keeps it; a later one, an empty name or a reserved one gets `_2`, or `_3`, and so
    /// on, whichever is the first that no column wished for or has. As in SQLite, case makes no difference in ASCII:
    /// https://sqlite.org/lang_keywords.html. A zero byte, which no SQL text can hold, becomes U+FFFD.
    package static func columnNames(for wishes: [String]) -> [String] {
        let wishes = wishes.map { $0.utf8.contains(0) ? $0.replacing("\0", with: "\u{FFFD}") : $0 }
        var taken = reservedFolded
        var names: [String?] = wishes.map { wish in taken.insert(wish.lowercasedASCII).inserted ? wish : nil }
        for index in names.indices where names[index] == nil {
            var number = 2
            while !taken.insert("\(wishes[index])_\(number)".lowercasedASCII).inserted { number += 1 }
            names[index] = "\(wishes[index])_\(number)"
        }
        return names.compactMap(\.self)
    }

    /// The names that no column gets. A configuration may have thousands of feeds.
    private static let reservedFolded = Set(reserved.map(\.lowercasedASCII) + [""])
}
