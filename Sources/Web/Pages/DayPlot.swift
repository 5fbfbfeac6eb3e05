internal import FeedSync
internal import Glibc
internal import Reports

/// A feed's items and changes by day, as a picture that any browser draws.
struct DayPlot {
    let days: [DayFigures]
    /// The present number of items.
    let itemCount: Int

    func write(to html: inout HTMLWriter) {
        let changes = days.map { $0.inserted &+ $0.updated &+ $0.removed }
        html.element("div", .class("plots")) { html in
            let (first, last) = (days.first?.day ?? "", days.last?.day ?? "")
            Plot(title: "Items", first: first, last: last, values: counts, isLine: true).write(to: &html)
            Plot(title: "Changes a day", first: first, last: last, values: changes).write(to: &html)
            Plot(title: "Requests a day", first: first, last: last, values: days.map(\.requests)).write(to: &html)
        }
    }

    /// The number of items at the end of each day, computed back from the present one.
    private var counts: [Int] {
        var count = itemCount
        var counts: [Int] = []
        for day in days.reversed() {
            counts.append(max(0, count))
            count = count &- day.inserted &+ day.removed
        }
        return counts.reversed()
    }
}

/// The requests to a host by hour, compared with its remaining quota.
struct QuotaPlot {
    let quota: QuotaRecord
    /// The requests of the last hours, the oldest first.
    let requests: [Int]

    /// The number of hours.
    static let hours = 24

    func write(to html: inout HTMLWriter) {
        let credential = quota.credential > 1 ? "credential \(quota.credential)" : ""
        let parts = [quota.resource, credential].filter { !$0.isEmpty }
        let limit = parts.isEmpty ? "" : " (\(parts.joined(separator: ", ")))"
        Plot(
            title: "Requests an hour, on a logarithmic scale: \(quota.origin)\(limit)", first: "a day ago",
            last: "the last hour", values: requests,
            limit: quota.remaining.map { (value: $0, text: "\(NumberFormat.count($0)) left") }
        ).write(to: &html)
    }
}

/// Numbers as a picture.
private struct Plot {
    let title: String
    /// The times of the first and the last number.
    let first: String
    let last: String
    let values: [Int]
    var isLine = false
    /// A number for comparison, on a logarithmic scale, because it may be a thousand times as large.
    var limit: (value: Int, text: String)?

    private static let (width, height) = (300, 60)

    func write(to html: inout HTMLWriter) {
        let most = max(values.max() ?? 0, limit?.value ?? 0, 1)
        let step = Double(Self.width) / Double(max(values.count, 1))
        let width = min(step * 0.7, 40)
        func top(_ value: Int) -> Double {
            let share =
                limit == nil ? Double(value) / Double(most) : log(1 + Double(max(value, 0))) / log(1 + Double(most))
            return Double(Self.height) * (1 - 0.9 * share)
        }
        var text = "\(title): \(NumberFormat.count(values.last ?? 0)) on \(last)"
        if let limit { text += ", \(limit.text)" } else { text += ", at most \(NumberFormat.count(most))" }
        html.element("figure") { html in
            html.element("figcaption") { html in
                html.text(title + " ")
                html.element("strong", text: NumberFormat.count(values.last ?? 0))
                if let limit { html.text(", \(limit.text)") }
            }
            html.element(
                "svg", .plain(.viewBox, "0 0 \(Self.width) \(Self.height)"), .plain(.role, "img"),
                .plain(.ariaLabel, text)
            ) { html in
                if isLine {
                    let points = values.enumerated().map { place, value in
                        "\(Self.digits((Double(place) + 0.5) * step)),\(Self.digits(top(value)))"
                    }
                    html.element("polyline", .plain(.points, points.joined(separator: " "))) { _ in }
                    for (place, value) in values.enumerated() where values.count == 1 {
                        html.element(
                            "rect", .plain(.x, Self.digits(Double(place) * step + step / 4)),
                            .plain(.y, Self.digits(top(value))), .plain(.width, Self.digits(step / 2)),
                            .plain(.height, "2")
                        ) { _ in }
                    }
                } else {
                    for (place, value) in values.enumerated() {
                        html.element(
                            "rect", .plain(.x, Self.digits((Double(place) + 0.5) * step - width / 2)),
                            .plain(.y, Self.digits(top(value))), .plain(.width, Self.digits(width)),
                            .plain(.height, Self.digits(Double(Self.height) - top(value)))
                        ) { _ in }
                    }
                }
                if let limit {
                    let height = Self.digits(top(limit.value))
                    html.element(
                        "line", .plain(.x1, "0"), .plain(.x2, String(Self.width)), .plain(.y1, height),
                        .plain(.y2, height)
                    ) { _ in }
                }
            }
            html.element("p", .class("axis")) { html in
                html.element("span", text: first)
                if last != first { html.element("span", text: last) }
            }
        }
    }

    private static func digits(_ number: Double) -> String {
        let tenths = Int(number * 10)
        return "\(tenths / 10).\(abs(tenths % 10))"
    }
}
