internal import FeedSync
internal import Reports

/// A section, with the items to show.
struct SectionTable: Sendable {
    let section: FeedSection
    let page: RowPage
    /// The names of the columns to show; nil for all, or as many as fit.
    var columns: [String]?

    /// The lines: a title, on request, and a table.
    func lines(hasTitle: Bool, hasColumnTitles: Bool = true, _ palette: Palette, width: Int?) -> [String] {
        let name = section.name.map(DisplayWidth.printable) ?? "(no section)"
        let title = "\(palette.name(name))  \(palette.faint(NumberFormat.count(section.itemCount, "item")))"
        var table = table(isIndented: hasTitle, width: width)
        table.hasTitles = hasColumnTitles
        return (hasTitle ? [title] : []) + table.lines(palette, width: width)
    }

    private func table(isIndented: Bool, width: Int?) -> Table {
        let cells = page.rows.map { row in row.values.map { DisplayWidth.printable($0.description) } }
        let chosen = columns(for: cells, width: width.map { $0 - (isIndented ? 2 : 0) })
        var table = Table(
            chosen.map { index in
                Table.Column(
                    title: page.columns[index].name, isNumber: isNumber(index),
                    limit: columns == nil ? Self.widest : .max)
            })
        table.indentation = isIndented ? 2 : 0
        for row in cells { table.add(chosen.map { row[$0] }) }
        return table
    }

    /// The greatest width of a column on a terminal.
    private static let widest = 40

    private func isNumber(_ column: Int) -> Bool { page.rows.allSatisfy { $0.values[column].isNumberOrNone } }

    /// All columns, or on a terminal as many as fit, in order; links are left out first.
    private func columns(for cells: [[String]], width: Int?) -> [Int] {
        if let columns { return columns.compactMap { name in page.columns.firstIndex { $0.name == name } } }
        guard let width else { return Array(page.columns.indices) }
        var left = width
        return page.columns.indices.filter { column in
            let isLink = cells.contains { $0[column].hasPrefix("https://") || $0[column].hasPrefix("http://") }
            let longest = cells.map { DisplayWidth.of($0[column]) }.max() ?? 0
            guard longest > 0, !isLink else { return false }
            let needed = min(Self.widest, max(longest, page.columns[column].name.count)) + 2
            guard column == 0 || needed <= left + 2 else { return false }
            left -= needed
            return true
        }
    }
}
