internal import FeedSync
internal import Reports
internal import Time

/// The changes of an item, and its numbers over them.
struct ItemHistory: Sendable {
    /// The changes, the newest first.
    let changes: [ItemChange]
    let firstSeenAt: String

    /// The most changes that are read, and the most numbers that are drawn.
    static let most = 100
    private static let mostCharts = 4

    func write(_ shape: RowShape, to html: inout HTMLWriter) {
        guard !changes.isEmpty else { return }
        html.element("section", .class("history")) { html in
            html.element("h2", text: "History")
            html.element("div", .class("charts")) { html in for chart in charts { chart.write(to: &html) } }
            ChangeRows(shape: shape, hasTitles: false).write(changes, to: &html)
        }
    }

    /// A chart of each column with numbers, in the order of the newest changes.
    var charts: [Chart] {
        var names: [String] = []
        for change in changes { for (name, _) in change.before where !names.contains(name) { names.append(name) } }
        return Array(names.lazy.compactMap(chart).prefix(Self.mostCharts))
    }

    private func chart(of column: String) -> Chart? {
        var points: [(at: String, value: Double)] = []
        for change in changes.reversed() {
            guard let before = Self.number(column, change.before), let after = Self.number(column, change.after) else {
                continue
            }
            if points.isEmpty { points.append((firstSeenAt, before)) }
            points.append((change.at, after))
        }
        let seconds = points.compactMap { Timestamp($0.at)?.seconds }
        guard points.count > 1, seconds.count == points.count, let first = seconds.min(), let last = seconds.max()
        else { return nil }
        let length = max(Double(last) - Double(first), 1)
        return Chart(
            title: Shown.column(column), labels: points.map { Self.label($0.at) },
            series: [.init(name: Shown.column(column), form: .line, values: points.map(\.value))],
            places: seconds.map { (Double($0) - Double(first)) / length })
    }

    private static func number(_ column: String, _ members: [(name: String, json: String)]) -> Double? {
        guard let json = members.first(where: { $0.name == column })?.json, json != "true", json != "false" else {
            return nil
        }
        switch StoredValue(ofJSON: json) {
        case .integer(let number): return Double(number)
        case .real(let number): return number.isFinite ? number : nil
        case .null, .text, .blob: return nil
        }
    }

    /// `21 Nov, 10:14`, in UTC.
    private static func label(_ at: String) -> String {
        "\(DayName.short(String(at.prefix(10)))), \(at.dropFirst(11).prefix(5))"
    }
}

/// The columns of an item in groups: the members of an object stand together.
struct ColumnGroups {
    /// The groups with their names and the numbers of their columns; the first has no name.
    let groups: [(name: String?, columns: [(index: Int, label: String)])]

    /// Columns of objects with only one column stay in the first group.
    init(_ columns: [RowColumn]) {
        func object(_ column: RowColumn) -> String? {
            guard let path = column.path, let dot = path.firstIndex(of: "."), !path.contains("\"") else { return nil }
            return String(path[..<dot])
        }
        let counts = Dictionary(columns.compactMap(object).map { ($0, 1) }, uniquingKeysWith: +)
        let grouped = Groups(Array(columns.enumerated())) { place in
            object(place.element).flatMap { counts[$0, default: 0] > 1 ? $0 : nil }
        }
        let all = grouped.groups.map { name, places in
            (
                name: name,
                columns: places.map { index, column in
                    let prefix = name.map { "\($0)_" } ?? ""
                    let isBelow = column.name.hasPrefix(prefix) && column.name.count > prefix.count
                    return (index: index, label: isBelow ? String(column.name.dropFirst(prefix.count)) : column.name)
                }
            )
        }
        groups = all.filter { $0.name == nil } + all.filter { $0.name != nil }
    }
}
