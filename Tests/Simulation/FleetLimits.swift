/// The first resource to be exhausted by more feeds of the same kind, from a run's use of each.
struct FleetLimits {
    private let limits: [(name: String, feeds: Double)]

    init(_ fleet: Fleet, layoutBytes: Int) {
        let figures = fleet.figures
        let options = fleet.options
        let span = Double(options.minutes) * 60
        let feeds = Double(options.feeds)
        let jobs = Double(options.workers * options.jobs)
        // The calls of a worker through its one connection, one after the other.
        let own = [Figures.Call.claim, .due, .live, .release].reduce(0) { $0 + figures.seconds(of: $1) }
        var limits = [
            (
                "the \(options.cores) processors of the database",
                feeds * Double(options.cores) * span / figures.wholeProcessorTime
            ),
            ("the \(Int(jobs)) jobs of the fleet", feeds * jobs * span * 1000 / Double(max(figures.jobTime, 1))),
            ("a worker's own connection", feeds * Double(options.workers) * span / own),
            ("1 GB of memory for a worker's list of groups", feeds * 1e9 / Double(max(layoutBytes, 1))),
        ]
        let late = (figures.late[.ordinary] ?? []).sorted().quantile(0.95)
        if late > 60 { limits.append(("a minute's lateness (p95, hosts with time to spare)", feeds * 60 / late)) }
        self.limits = limits.sorted { $0.1 < $1.1 }.map { (name: $0.0, feeds: $0.1) }
    }

    /// Prints them, the first to break first.
    func print() {
        var rows = [["what is used up", "at so many feeds"]]
        rows += limits.map { [$0.name, "\(Int(min($0.feeds, 1e12)))"] }
        table(rows)
        if let first = limits.first { line("\nWhat breaks first: \(first.name).") }
    }
}
