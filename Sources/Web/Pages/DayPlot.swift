internal import FeedSync
internal import Reports

/// A feed's items and changes by day, as a picture that any browser draws.
struct DayPlot {
    let days: [DayFigures]
    /// How many items there are now.
    let itemCount: Int

    private static let (width, height) = (300, 60)

    func write(to html: inout HTMLWriter) {
        let changes = days.map { $0.inserted &+ $0.updated &+ $0.removed }
        html.element("div", .class("plots")) { html in
            draw("Items", counts, isLine: true, to: &html)
            draw("Changes a day", changes, isLine: false, to: &html)
            draw("Requests a day", days.map(\.requests), isLine: false, to: &html)
        }
    }

    /// How many items there were at the end of each day: now, less what came later.
    private var counts: [Int] {
        var count = itemCount
        var counts: [Int] = []
        for day in days.reversed() {
            counts.append(max(0, count))
            count = count &- day.inserted &+ day.removed
        }
        return counts.reversed()
    }

    private func draw(_ title: String, _ values: [Int], isLine: Bool, to html: inout HTMLWriter) {
        let most = max(values.max() ?? 0, 1)
        let step = Double(Self.width) / Double(max(values.count, 1))
        func top(_ value: Int) -> Double { Double(Self.height) * (1 - 0.9 * Double(value) / Double(most)) }
        let text =
            "\(title): \(NumberFormat.count(values.last ?? 0)) on \(days.last?.day ?? ""), at most \(NumberFormat.count(most))"
        html.element("figure") { html in
            html.element("figcaption") { html in
                html.text(title + " ")
                html.element("strong", text: NumberFormat.count(values.last ?? 0))
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
                            "rect", .plain(.x, Self.digits(Double(place) * step + step * 0.15)),
                            .plain(.y, Self.digits(top(value))), .plain(.width, Self.digits(min(step * 0.7, 40))),
                            .plain(.height, Self.digits(Double(Self.height) - top(value)))
                        ) { _ in }
                    }
                }
            }
        }
    }

    private static func digits(_ number: Double) -> String {
        let tenths = Int(number * 10)
        return "\(tenths / 10).\(abs(tenths % 10))"
    }
}
