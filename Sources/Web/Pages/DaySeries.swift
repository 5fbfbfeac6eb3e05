internal import FeedSync
internal import Reports
internal import Time

/// A feed's figures of the last days, each day once, also those without a run.
struct DaySeries {
    let days: [DayCounts]
    /// The number of items at the end of each day.
    let counts: [Int]

    /// The most days, back from today.
    static let most = 30

    /// - Parameters:
    ///   - known: The days with a run.
    ///   - itemCount: The present number of items, from which those of the days are computed back.
    ///   - count: The most days.
    ///   - today: The present day, in days since 1970.
    init(
        _ known: [DayCounts], itemCount: Int, last count: Int = most, today: Int64 = WallClock.system.seconds / 86_400
    ) {
        var byDay: [Int64: DayCounts] = [:]
        for counts in known { if let day = CalendarDate(counts.day)?.daysSince1970 { byDay[day] = counts } }
        guard let first = byDay.keys.min(), first <= today else {
            (days, counts) = ([], [])
            return
        }
        days = (max(first, today - Int64(count) + 1)...today).map { day in
            byDay[day] ?? DayCounts(day: CalendarDate(daysSince1970: day).text)
        }
        var (left, counts) = (itemCount, [Int]())
        for day in days.reversed() {
            counts.append(max(0, left))
            left = left &- day.inserted &- day.returned &+ day.removed
        }
        self.counts = counts.reversed()
    }

    /// Writes the changes of each day as a bar, on a logarithmic scale, with marks for days on which a run failed.
    func writeBars(to html: inout HTMLWriter) {
        guard !days.isEmpty else { return }
        let changes = days.map {
            max(0, $0.inserted) &+ max(0, $0.updated) &+ max(0, $0.returned) &+ max(0, $0.removed)
        }
        let words =
            "Changes in \(NumberFormat.count(days.count, "day")): \(changes.map(NumberFormat.count).joined(separator: "; "))"
        let scale = ChartScale(0, Double(changes.max() ?? 0), hasZero: true, isLogarithmic: true)
        html.element("svg", .plain(.viewBox, "0 0 84 20"), .plain(.role, "img"), .plain(.ariaLabel, words)) { html in
            for (place, count) in changes.enumerated() {
                let x = "\((Self.barCount - days.count + place) * 6)"
                if count > 0 {
                    let height = max(2, Int(scale.share(of: Double(count)) * 17))
                    html.element(
                        "rect", .class("up"), .plain(.x, x), .plain(.y, "\(17 - height)"), .plain(.width, "4"),
                        .plain(.height, "\(height)")
                    ) {
                        $0.element(
                            "title", text: "\(DayName.short(days[place].day)): \(NumberFormat.count(count, "change"))")
                    }
                }
                html.element(
                    "rect", .class(days[place].failures > 0 ? "mark" : "base"), .plain(.x, x), .plain(.y, "18"),
                    .plain(.width, "4"), .plain(.height, "1.5")
                ) { _ in }
            }
        }
    }

    private static let barCount = 14

    /// Charts of the items and of the changes.
    var itemCharts: [Chart] {
        let labels = days.map { DayName.short($0.day) }
        let isBack = days.contains { $0.returned > 0 }
        let back = Chart.Series(name: "back", form: .up, values: days.map { Double($0.returned) })
        return [
            Chart(
                title: "Items", labels: labels,
                series: [.init(name: "items", form: .line, values: counts.map(Double.init))], marks: failures),
            Chart(
                title: isBack ? "New, back and removed a day" : "New and removed a day", labels: labels,
                series: [.init(name: "new", form: .up, values: days.map { Double($0.inserted) })]
                    + (isBack ? [back] : [])
                    + [.init(name: "removed", form: .down, values: days.map { Double($0.removed) })],
                marks: failures),
        ]
    }

    /// A chart of the requests.
    var requestChart: Chart {
        Chart(
            title: "Requests a day", labels: days.map { DayName.short($0.day) },
            series: [.init(name: "requests", form: .up, values: days.map { Double($0.requests) })], marks: failures)
    }

    private var failures: (places: Set<Int>, meaning: String) {
        (Set(days.indices.filter { days[$0].failures > 0 }), "a run failed")
    }
}

extension CalendarDate {
    /// A day as in 2026-11-21.
    init?(_ text: String) {
        let numbers = text.split(separator: "-", omittingEmptySubsequences: false).compactMap { Int64($0) }
        guard numbers.count == 3 else { return nil }
        self.init(year: numbers[0], month: numbers[1], day: numbers[2])
    }

    /// The day as in 2026-11-21.
    var text: String { String(Timestamp(seconds: daysSince1970 * 86_400, fraction: []).text.prefix(10)) }
}

/// Days as people say them.
enum DayName {
    private static let months = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
        "December",
    ]

    /// `Today`, `Yesterday`, or `21 November 2026`, of a day in UTC as in 2026-11-21.
    static func text(_ day: String, now: Int64 = WallClock.system.seconds) -> String {
        guard let date = CalendarDate(day) else { return day }
        switch now / 86_400 - date.daysSince1970 {
        case 0: return "Today"
        case 1: return "Yesterday"
        default: return "\(date.day) \(months[Int(date.month) - 1]) \(date.year)"
        }
    }

    /// `21 Nov`.
    static func short(_ day: String) -> String {
        CalendarDate(day).map { "\($0.day) \(months[Int($0.month) - 1].prefix(3))" } ?? day
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
        let labels = requests.indices.map { place in
            let ago = requests.count - 1 - place
            return ago == 0 ? "the last hour" : "\(ago) h ago"
        }
        Chart(
            title: "Requests an hour, on a logarithmic scale: \(quota.origin)\(limit)", labels: labels,
            series: [.init(name: "requests", form: .up, values: requests.map(Double.init))],
            limit: quota.remaining.map { (value: Double($0), text: "\(NumberFormat.count($0)) left") }
        ).write(to: &html)
    }
}
