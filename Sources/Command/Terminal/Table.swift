/// Rows in aligned columns.
struct Table: Sendable {
    /// A column: its title, and how its cells are aligned and coloured.
    struct Column: Sendable {
        let title: String
        var isNumber = false
        /// The most cells it takes on a terminal.
        var limit = Int.max
        var paint: @Sendable (Palette, String) -> String = { $1 }
    }

    let columns: [Column]
    /// Rows with one text per column; missing ones are empty.
    private(set) var rows: [[String]] = []
    /// Spaces before each line.
    var indentation = 0
    /// True if the titles are printed above the rows.
    var hasTitles = true

    init(_ columns: [Column], hasTitles: Bool = true, indentation: Int = 0) {
        (self.columns, self.hasTitles, self.indentation) = (columns, hasTitles, indentation)
    }

    /// Adds a row, without characters that break lines or control the terminal.
    mutating func add(_ cells: [String]) {
        rows.append(columns.indices.map { cells.indices.contains($0) ? DisplayWidth.printable(cells[$0]) : "" })
    }

    /// The lines: at most as wide as the terminal, or as wide as the cells if there is none.
    func lines(_ palette: Palette, width: Int?) -> [String] {
        let widths = widths(within: width)
        let isCut = width != nil
        var lines: [String] = []
        if hasTitles {
            lines.append(line(columns.map(\.title), widths, isCut) { _, title in palette.faint(title) })
        }
        return lines + rows.map { row in line(row, widths, isCut) { columns[$0].paint(palette, $1) } }
    }

    /// A row's line on a terminal, with the columns as wide as they were made for other rows.
    func line(_ cells: [String], _ widths: [Int], _ palette: Palette) -> String {
        line(cells, widths, true) { columns[$0].paint(palette, $1) }
    }

    /// Forgets the rows; the columns stay.
    mutating func removeRows() { rows = [] }

    /// The titles of the columns that do not fit a terminal of that width.
    func skipped(width: Int?) -> [String] {
        let (all, shown) = (widths(within: nil), widths(within: width))
        return columns.indices.filter { all[$0] > 0 && shown[$0] == 0 }.map { columns[$0].title }
    }

    private func line(_ cells: [String], _ widths: [Int], _ isCut: Bool, paint: (Int, String) -> String) -> String {
        var result = ""
        var pending = indentation
        for (index, cell) in cells.enumerated() where widths[index] > 0 {
            let text = isCut ? DisplayWidth.cut(cell, to: widths[index]) : cell
            let gap = max(0, widths[index] - DisplayWidth.of(text))
            let before = columns[index].isNumber ? gap : 0
            // Spaces are added only before the next text, so that no line ends with them.
            pending += before
            if !text.isEmpty {
                result += String(repeating: " ", count: pending) + paint(index, text)
                pending = 0
            }
            pending += gap - before + 2
        }
        return result
    }

    /// A single long text must not fill all other rows with spaces.
    private static let widestAligned = 100

    /// The width of each column; 0 for an empty one.
    func widths(within width: Int?) -> [Int] {
        var widths = columns.indices.map { index in
            let longest = rows.map { DisplayWidth.of($0[index]) }.max() ?? 0
            guard longest > 0 || rows.isEmpty else { return 0 }
            let title = hasTitles ? DisplayWidth.of(columns[index].title) : 0
            return max(title, min(longest, width.map { min($0, columns[index].limit) } ?? Self.widestAligned))
        }
        guard let width else { return widths }
        // The last columns are left out if all of them do not fit, however narrow.
        while !shrink(&widths, to: width), let last = widths.lastIndex(where: { $0 > 0 }), last > 0 {
            widths[last] = 0
        }
        return widths
    }

    /// Narrows the widest columns first; false, and nothing changes, if that is not enough.
    private func shrink(_ widths: inout [Int], to width: Int) -> Bool {
        var narrowed = widths
        let gaps = indentation + 2 * max(0, widths.count { $0 > 0 } - 1)
        while narrowed.reduce(gaps, +) > width {
            let widest = narrowed.indices.filter { !columns[$0].isNumber }.max { narrowed[$0] < narrowed[$1] }
            guard let widest, narrowed[widest] > 8 else { return false }
            narrowed[widest] -= 1
        }
        widths = narrowed
        return true
    }
}

/// A title alone is a column of text.
extension Table.Column: ExpressibleByStringLiteral {
    init(stringLiteral title: String) { self.init(title: title) }
}
