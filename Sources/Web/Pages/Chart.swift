internal import Platform
internal import Reports

/// Numbers as a picture with a scale, drawn by the server, and as a table for those who cannot see it.
struct Chart {
    /// A row of numbers, one for each label; nil where there is none.
    struct Series {
        enum Form { case line, up, down }

        let name: String
        let form: Form
        let values: [Double?]
    }

    let title: String
    /// The times or days of the numbers, as they are said.
    let labels: [String]
    let series: [Series]
    /// The places of the labels from left to right, from 0 to 1; nil for equal distances.
    var places: [Double]?
    /// The numbers of labels that are marked, and the reason.
    var marks: (places: Set<Int>, meaning: String)?
    /// A number for comparison, on a logarithmic scale, because it may be a thousand times as large.
    var limit: (value: Double, text: String)?

    private static let (width, height) = (320.0, 132.0)
    private static let (left, right, top, bottom) = (46.0, 314.0, 10.0, 106.0)

    private var numbers: [Double] {
        series.indices.flatMap { place in
            zip(series[place].values, below(place)).compactMap { value, below in
                value.map { series[place].form == .down ? -$0 : below + $0 }
            }
        } + (limit.map { [$0.value] } ?? [])
    }

    /// The heights at which the bars of a series begin: on those of the series before it that go up, too.
    private func below(_ place: Int) -> [Double] {
        series[place].values.indices.map { index in
            guard series[place].form == .up else { return 0 }
            return series[..<place].filter { $0.form == .up }.reduce(0) { $0 + max($1.values[index] ?? 0, 0) }
        }
    }

    /// True if there is something to draw.
    var isDrawable: Bool { !labels.isEmpty && !numbers.isEmpty && numbers.allSatisfy { abs($0) < 1e300 } }

    func write(to html: inout HTMLWriter) {
        guard isDrawable else { return }
        let isWithBars = limit != nil || series.contains { $0.form != .line }
        let scale = ChartScale(
            numbers.min() ?? 0, numbers.max() ?? 0, hasZero: isWithBars, isLogarithmic: limit != nil,
            isWhole: numbers.allSatisfy { $0 == $0.rounded() })
        html.element("figure", .class("chart")) { html in
            html.element("figcaption") { html in
                html.text(title)
                if !isWithBars, let last = series.first?.values.last ?? nil {
                    html.text(" ")
                    html.element("strong", text: NumberFormat.figure(last))
                }
                if let limit { html.text(", \(limit.text)") }
            }
            html.element(
                "svg", .plain(.viewBox, "0 0 \(Self.digits(Self.width)) \(Self.digits(Self.height))"),
                .plain(.role, "img")
            ) { html in
                html.element("title", text: title)
                html.element("desc", text: description)
                grid(scale, to: &html)
                for (place, series) in series.enumerated() {
                    if series.form == .line {
                        line(series, scale, to: &html)
                    } else {
                        bars(series, on: below(place), scale, to: &html)
                    }
                }
                if let limit { rule(y(limit.value, scale), class: "limit", to: &html) }
                for place in (marks?.places ?? []).sorted() where labels.indices.contains(place) {
                    html.element(
                        "circle", .class("mark"), .plain(.cx, Self.digits(x(place))),
                        .plain(.cy, Self.digits(Self.bottom + 4)),
                        .plain(.r, "2.5")
                    ) { $0.element("title", text: "\(labels[place]): \(marks?.meaning ?? "")") }
                }
            }
            table(to: &html)
        }
    }

    /// The picture in words.
    private var description: String {
        guard let first = labels.first, let last = labels.last else { return "" }
        let parts = series.map { series -> String in
            let values = series.values.compactMap(\.self)
            guard let low = values.min(), let high = values.max() else { return "\(series.name): nothing" }
            return "\(series.name): from \(NumberFormat.figure(low)) to \(NumberFormat.figure(high))"
        }
        let marked = marks.flatMap {
            $0.places.isEmpty ? nil : "\($0.meaning) on \(NumberFormat.count($0.places.count, "day"))"
        }
        return "\(first) to \(last). " + (parts + [marked, limit?.text].compactMap(\.self)).joined(separator: "; ")
            + "."
    }

    private func x(_ place: Int) -> Double {
        let width = Self.right - Self.left
        if let places, places.indices.contains(place) { return Self.left + 3 + places[place] * (width - 6) }
        return Self.left + (Double(place) + 0.5) * width / Double(max(labels.count, 1))
    }

    private func y(_ value: Double, _ scale: ChartScale) -> Double {
        Self.bottom - scale.share(of: value) * (Self.bottom - Self.top)
    }

    private func grid(_ scale: ChartScale, to html: inout HTMLWriter) {
        for (tick, text) in zip(scale.ticks, scale.texts) {
            let height = y(tick, scale)
            rule(height, class: tick == 0 ? "grid zero" : "grid", to: &html)
            html.element(
                "text", .plain(.x, Self.digits(Self.left - 5)), .plain(.y, Self.digits(height + 3.5)),
                .plain(.textAnchor, "end"), text: text)
        }
        let baseline = Self.digits(Self.height - 8)
        html.element("text", .plain(.x, Self.digits(Self.left)), .plain(.y, baseline), text: labels.first ?? "")
        guard let last = labels.last, labels.count > 1 else { return }
        html.element(
            "text", .plain(.x, Self.digits(Self.right)), .plain(.y, baseline), .plain(.textAnchor, "end"), text: last)
    }

    private func rule(_ height: Double, class name: String, to html: inout HTMLWriter) {
        html.element(
            "line", .class(name), .plain(.x1, Self.digits(Self.left)), .plain(.x2, Self.digits(Self.right)),
            .plain(.y1, Self.digits(height)), .plain(.y2, Self.digits(height))
        ) { _ in }
    }

    private func bars(_ series: Series, on below: [Double], _ scale: ChartScale, to html: inout HTMLWriter) {
        let step = (Self.right - Self.left) / Double(max(labels.count, 1))
        let width = min(step * 0.7, 24)
        for (place, value) in series.values.enumerated() {
            guard let value, value > 0 else { continue }
            let zero = y(below[place], scale)
            let end = y(series.form == .down ? -value : below[place] + value, scale)
            let isOnOther = below[place] > 0
            html.element(
                "rect", .class(series.form == .down ? "down" : isOnOther ? "up upper" : "up"),
                .plain(.x, Self.digits(x(place) - width / 2)),
                .plain(.y, Self.digits(min(zero, end))), .plain(.width, Self.digits(width)),
                // A single one among thousands is seen, too.
                .plain(.height, Self.digits(max(abs(zero - end), 1)))
            ) { $0.element("title", text: "\(labels[place]): \(NumberFormat.figure(value)) \(series.name)") }
        }
    }

    private func line(_ series: Series, _ scale: ChartScale, to html: inout HTMLWriter) {
        let points = series.values.enumerated().compactMap { place, value in
            value.map { (place: place, text: "\(Self.digits(x(place))),\(Self.digits(y($0, scale)))", value: $0) }
        }
        html.element("polyline", .plain(.points, points.map(\.text).joined(separator: " "))) { _ in }
        for point in points {
            html.element(
                "circle", .plain(.cx, Self.digits(x(point.place))), .plain(.cy, Self.digits(y(point.value, scale))),
                .plain(.r, points.count > 40 ? "1.2" : "2.2")
            ) { $0.element("title", text: "\(labels[point.place]): \(NumberFormat.figure(point.value))") }
        }
    }

    private func table(to html: inout HTMLWriter) {
        html.element("details", .class("figures-table")) { html in
            html.element("summary", text: "As figures")
            html.element("table") { html in
                html.element("thead") { html in
                    html.element("tr") { html in
                        html.element("th", .plain(.scope, "col"), text: "When")
                        for series in series { html.element("th", .plain(.scope, "col"), text: series.name) }
                    }
                }
                html.element("tbody") { html in
                    for place in labels.indices.reversed() {
                        html.element("tr") { html in
                            html.element("th", .plain(.scope, "row"), text: labels[place])
                            for series in series {
                                html.element("td", text: series.values[place].map(NumberFormat.figure) ?? "")
                            }
                        }
                    }
                }
            }
        }
    }

    private static func digits(_ number: Double) -> String {
        let tenths = Int((number * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
    }
}

/// The scale of a chart: round numbers around what is drawn.
struct ChartScale: Hashable {
    let low: Double
    let high: Double
    /// The distance of two ticks.
    let step: Double
    let isLogarithmic: Bool

    /// - Parameters:
    ///   - hasZero: True for bars, which begin at zero.
    ///   - isWhole: True for things that are counted, of which there is no half.
    init(_ least: Double, _ most: Double, hasZero: Bool, isLogarithmic: Bool = false, isWhole: Bool = false) {
        self.isLogarithmic = isLogarithmic
        var (least, most) = (hasZero ? min(least, 0) : least, hasZero ? max(most, 0) : most)
        if least == most { (least, most) = least == 0 || hasZero ? (least, least + 1) : (least - 1, most + 1) }
        let raw = (most - least) / 3
        let power = pow(10, floor(log10(raw)))
        let round = [1.0, 2, 5, 10].map { $0 * power }.first { $0 >= raw * 0.999 } ?? raw
        let step = isWhole ? max(round, 1) : round
        self.step = step
        (low, high) = (floor(least / step) * step, ceil(most / step) * step)
    }

    /// True if it goes below zero because something went away, and not because there are negative numbers.
    var isBothWays: Bool { low < 0 && high > 0 }

    var ticks: [Double] {
        guard !isLogarithmic else {
            var ticks = [0.0]
            var tick = 1.0
            while tick <= high, ticks.count < 20 {
                ticks.append(tick)
                tick *= high > 1_000 ? 100 : 10
            }
            // The figures of two ticks do not touch.
            return ticks.filter { $0 == 0 || share(of: $0) > 0.11 }
        }
        let count = min(max(Int(((high - low) / step).rounded()), 1), 12)
        return (0...count).map { low + Double($0) * step }
    }

    /// The figures of the ticks: short ones, unless two would be the same.
    var texts: [String] {
        let numbers = ticks.map { abs($0) < step / 1e6 ? 0 : isBothWays ? abs($0) : $0 }
        let short = numbers.map(NumberFormat.short)
        return Set(short).count < Set(numbers).count ? numbers.map(NumberFormat.figure) : short
    }

    /// The place of a number, from 0 at the bottom to 1 at the top.
    func share(of value: Double) -> Double {
        guard high > low else { return 0 }
        return isLogarithmic ? log(1 + max(value, 0)) / log(1 + high) : (value - low) / (high - low)
    }
}
