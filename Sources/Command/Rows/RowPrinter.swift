internal import FeedSync

/// Prints rows as they come from the store, and holds no more of them than a table needs to find its widths.
///
/// - Isolation: the store's, while it reads.
final class RowPrinter: RowReceiver {
    private let console: Console
    private let format: RowFormat
    private let choice: ColumnChoice
    private let mark: @Sendable (Palette, String) -> String
    private var writer: RowWriter?
    private var table: TablePrinter?
    private var text = ""
    private var title: String?
    private var hasTitles = false
    private var outcome = Outcome()

    struct Outcome: Sendable {
        /// The number of rows received.
        var rowCount = 0
        /// The names of the columns that a table had no room for.
        var skipped: [String] = []
    }

    /// - Parameters:
    ///   - choice: The columns that people get.
    ///   - mark: Colours the cells of a table.
    init(
        _ console: Console, _ format: RowFormat, choice: ColumnChoice,
        mark: @escaping @Sendable (Palette, String) -> String = { $1 }
    ) {
        self.mark = mark
        self.console = console
        self.format = format
        self.choice = choice
    }

    /// Prints the following rows under a title; programs distinguish them by a column.
    func beginPart(_ title: String) { self.title = title }

    func begin(_ columns: [RowColumn]) {
        if format == .table, let title {
            text += endTable() + (hasTitles ? "\n" : "") + title + "\n"
            hasTitles = true
        }
        guard !columns.isEmpty else { return }
        if format.isForPeople {
            guard table == nil else { return }
            var table = TablePrinter(columns, choice, format, console.palette, width: console.width)
            table.mark = mark
            table.indentation = hasTitles ? 2 : 0
            self.table = table
        } else if writer == nil {
            let writer = RowWriter(format, columns)
            text += writer.head
            self.writer = writer
        }
    }

    func take(_ values: [StoredValue]) -> Bool {
        outcome.rowCount += 1
        text += table?.take(values) ?? writer?.row(values) ?? ""
        return text.utf8.count < Self.chunk || flush()
    }

    /// Prints the rest, after the last row.
    func end() -> Outcome {
        text += endTable() + (writer ?? RowWriter(format, [])).tail
        _ = flush()
        return outcome
    }

    private func endTable() -> String {
        guard var table else { return "" }
        let rest = table.end()
        outcome.skipped += table.skipped.filter { !outcome.skipped.contains($0) }
        self.table = nil
        return rest
    }

    private static let chunk = 64 << 10

    private func flush() -> Bool {
        console.write(text, isGuarded: format.isForPeople || format == .csv && console.width != nil)
        text.removeAll(keepingCapacity: true)
        return !console.isClosed && console.failure == nil
    }
}
