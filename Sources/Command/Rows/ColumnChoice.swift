internal import FeedSync
internal import Reports

/// The choice of columns for people.
enum ColumnChoice: Sendable {
    /// All columns of the query.
    case all
    /// The most informative columns: by the rule, or else by names and values.
    case telling(ShowRule?)

    /// The greatest width of a column on a terminal.
    private static let widest = 40
    /// The least width that is worth a long text.
    private static let narrowestText = 24

    var limit: Int {
        switch self {
        case .all: .max
        case .telling: Self.widest * 2
        }
    }

    /// True if the column is left out without a remark.
    func leavesOut(_ column: RowColumn) -> Bool {
        guard case .telling(let rule) = self else { return false }
        return column.isOwn
            || rule.map { rule in
                rule.columns.allSatisfy { ShowRule.column($0, among: [(name: column.name, path: column.path)]) == nil }
            } ?? false
    }

    /// The columns to show, in order.
    ///
    /// - Parameters:
    ///   - rows: Some rows.
    ///   - width: The columns of the terminal; nil for as many as there are.
    func indexes(of columns: [RowColumn], in rows: [[StoredValue]], width: Int?) -> [Int] {
        guard case .telling(let rule) = self else { return Array(columns.indices) }
        let samples = columns.indices.map { index in ColumnSample(columns[index], rows.map { $0[index] }) }
        let known = columns.map { (name: $0.name, path: $0.path) }
        let wanted = rule.map { $0.columns.compactMap { ShowRule.column($0, among: known) } } ?? []
        guard wanted.isEmpty else { return Self.fitting(Self.indexes(wanted, columns), samples, width) }
        let filled = columns.indices.filter { !columns[$0].isOwn && samples[$0].width > 0 }
        let needed = filled.reduce(-2) { $0 + samples[$1].width + 2 }
        if let width, needed <= width,
            filled.allSatisfy({ samples[$0].look.isLink || samples[$0].width <= Self.widest })
        {
            return filled
        }
        let found = ShowRule.found(in: filled.map { samples[$0].look })
        let telling = Self.indexes(found.columns, columns)
        // Without a title, an item is represented by its first column.
        let first = found.title == nil ? filled.prefix(1).filter { !telling.contains($0) } : []
        guard let width else { return first + telling }
        let rest = filled.filter { !telling.contains($0) && !first.contains($0) && samples[$0].isTelling }
        // Numbers that only identify items come last.
        let (names, numbers) = (rest.filter { !columns[$0].isNumberOfItem }, rest.filter { columns[$0].isNumberOfItem })
        return Self.fitting(first + telling + names + numbers, samples, width)
    }

    private static func indexes(_ names: [String], _ columns: [RowColumn]) -> [Int] {
        names.compactMap { name in columns.firstIndex { $0.name == name } }
    }

    /// As many columns as fit, in order: a long text gets the rest of the width, and a link is shown whole or not at
    /// all.
    private static func fitting(_ indexes: [Int], _ samples: [ColumnSample], _ width: Int?) -> [Int] {
        guard let width else { return indexes }
        var left = width + 2
        return indexes.filter { index in
            let sample = samples[index]
            guard sample.width > 0 else { return false }
            let isCut = !sample.look.isLink && !sample.look.isNumber
            let least = (isCut ? min(sample.width, narrowestText) : sample.width) + 2
            guard least <= left || index == indexes.first else { return false }
            left -= least
            return true
        }
    }
}

extension RowColumn {
    /// True if the column is feedsync's, and not the model's.
    fileprivate var isOwn: Bool { name.hasPrefix("_") && path == nil }

    fileprivate var isNumberOfItem: Bool {
        let name = name.lowercased()
        return ["id", "uuid", "guid"].contains(name) || name.hasSuffix("_id")
    }
}

/// A column with some of its values.
private struct ColumnSample {
    let look: ColumnLook
    /// The cells that the longest takes, or the name.
    let width: Int

    /// True if it distinguishes items in a few cells.
    var isTelling: Bool { !look.isLink && !look.isConstant }

    init(_ column: RowColumn, _ values: [StoredValue]) {
        var look = ColumnLook(name: column.name)
        let filled = values.filter { !$0.description.isEmpty }
        look.hasValues = !filled.isEmpty
        look.isNumber = look.hasValues && filled.allSatisfy(\.isNumberOrNone)
        look.isLink =
            look.hasValues
            && filled.allSatisfy { $0.description.hasPrefix("https://") || $0.description.hasPrefix("http://") }
        look.isConstant = filled.count > 1 && filled.allSatisfy { $0 == filled[0] }
        self.look = look
        let longest = filled.map { DisplayWidth.of(DisplayWidth.printable($0.description)) }.max() ?? 0
        width = longest == 0 ? 0 : max(longest, DisplayWidth.of(column.name))
    }
}
