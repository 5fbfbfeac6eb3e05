internal import FeedSync
internal import Reports

/// A table for people, whose columns are derived from its first rows: these are kept, and the rest is printed as it
/// comes.
struct TablePrinter {
    /// The number of rows that decide a table's columns and their widths.
    static let sampleSize = 200

    private let columns: [RowColumn]
    private let choice: ColumnChoice
    private let format: RowFormat
    private let palette: Palette
    private let width: Int
    private var sample: [[StoredValue]] = []
    private var layout: Layout?
    /// Colours a cell.
    var mark: @Sendable (Palette, String) -> String = { $1 }
    /// Spaces before each line.
    var indentation = 0
    /// The names of the columns with values that found no room.
    private(set) var skipped: [String] = []

    private struct Layout {
        let indexes: [Int]
        var table: Table
        var widths: [Int]
        var writer: RowWriter
    }

    init(_ columns: [RowColumn], _ choice: ColumnChoice, _ format: RowFormat, _ palette: Palette, width: Int?) {
        self.columns = columns
        self.choice = choice
        self.format = format
        self.palette = palette
        self.width = width ?? 80
    }

    /// Takes a row; the text that can be printed by now.
    mutating func take(_ values: [StoredValue]) -> String {
        guard layout == nil else { return line(values) }
        sample.append(values)
        return sample.count < Self.sampleSize ? "" : settle()
    }

    /// The text that is left.
    mutating func end() -> String { layout == nil ? settle() : "" }

    private mutating func settle() -> String {
        let isTable = format == .table
        let indexes = choice.indexes(of: columns, in: sample, width: isTable ? width - indentation : nil)
        let chosen = indexes.map { columns[$0] }
        var table = Table(
            indexes.map { index in
                Table.Column(title: columns[index].name, isNumber: isNumber(index), limit: choice.limit, paint: mark)
            })
        table.indentation = indentation
        for values in sample { table.add(indexes.map { values[$0].description }) }
        var layout = Layout(
            indexes: indexes, table: table, widths: table.widths(within: width), writer: RowWriter(format, chosen))
        defer {
            layout.table.removeRows()
            self.layout = layout
            sample = []
        }
        guard !indexes.isEmpty, !sample.isEmpty else { return "" }
        guard isTable else { return sample.map { row(&layout, $0) }.joined() }
        let left = table.skipped(width: width)
        let shown = Set(indexes.map { columns[$0].name }).subtracting(left)
        skipped = columns.indices.filter { index in
            !shown.contains(columns[index].name) && !choice.leavesOut(columns[index])
                && sample.contains { !$0[index].description.isEmpty }
        }.map { columns[$0].name }
        return table.lines(palette, width: width).map { $0 + "\n" }.joined()
    }

    private mutating func line(_ values: [StoredValue]) -> String {
        guard var layout else { return "" }
        guard format == .table else { return row(&layout, values) }
        let cells = layout.indexes.map { DisplayWidth.printable(values[$0].description) }
        return layout.table.line(cells, layout.widths, palette) + "\n"
    }

    private func row(_ layout: inout Layout, _ values: [StoredValue]) -> String {
        layout.writer.row(layout.indexes.map { values[$0] })
    }

    private func isNumber(_ column: Int) -> Bool { sample.allSatisfy { $0[column].isNumberOrNone } }
}
