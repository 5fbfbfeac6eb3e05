internal import Platform

/// A run in words and figures.
struct Report {
    let fleet: Fleet
    /// The duration of the simulation.
    let seconds: Double
    private var figures: Figures { fleet.figures }
    private var span: Double { Double(fleet.options.minutes) * 60 }

    init(_ fleet: Fleet, seconds: Double) {
        self.fleet = fleet
        self.seconds = seconds
    }

    func print() throws {
        let options = fleet.options
        let overloaded = fleet.model.hosts.filter { $0.load > 1 }
        line(
            "Simulated: \(options.minutes) min in \(text(seconds, 0)) s. Model \(fleet.model.digest), seed \(options.seed)."
        )
        line(
            "\(figures.syncs) syncs (\(text(Double(figures.syncs) / span)) a second), \(figures.failed) of them failed, "
                + "\(figures.blocked) were cut off by a quota. \(figures.deaths) workers died; \(figures.refused) late commits were refused."
        )
        line(
            "\(overloaded.count) hosts have more work than time (latency × requests > interval), with "
                + "\(overloaded.reduce(0) { $0 + $1.count }) feeds.")
        try printLateness()
        try printJobs()
        try printDatabase()
        line("")
        if figures.faultCount == 0 {
            line("Checks: no group was two workers' at once, no feed was early, none starved.")
        } else {
            line("\(figures.faultCount) FAULTS, such as:")
            for fault in figures.faults { line("  \(fault)") }
        }
    }

    private func printLateness() throws {
        var rows = [["how late syncs begin, in s", "syncs", "p50", "p95", "p99", "max"]]
        for kind in Figures.Kind.allCases {
            guard let late = figures.late[kind]?.sorted() else { continue }
            rows.append(
                [kind.name, "\(late.count)"] + [0.5, 0.95, 0.99, 1].map { text(late.quantile($0)) })
        }
        table(rows)
    }

    private func printJobs() throws {
        let all = fleet.options.workers * fleet.options.jobs
        let used = Double(figures.jobTime) / span / 1000
        table([
            ["workers", ""], ["jobs in use, of \(all)", text(used)],
            ["jobs that requests take, by arithmetic", text(fleet.wantedJobs)],
            ["claims", "\(figures.claims)"], ["– in which nothing was due", "\(figures.emptyClaims)"],
            ["– by the worker that had the group last", "\(figures.returns)"],
            ["syncs a claim", text(Double(figures.syncs) / Double(max(figures.claims, 1)))],
        ])
    }

    private func printDatabase() throws {
        var rows = [["PostgreSQL", "calls", "mean ms", "slowest ms", "s a simulated s"]]
        for call in Figures.Call.allCases {
            guard let calls = figures.calls[call] else { continue }
            let count = call == .fill ? "\(figures.claims) (\(calls.count) run)" : "\(calls.count)"
            rows.append(
                [
                    call.rawValue, count, text(calls.mean * 1000, 2), text(calls.slowest * 1000, 1),
                    text(figures.seconds(of: call) / span, 3),
                ])
        }
        rows.append(["all, one after the other", "", "", "", text(figures.seconds / span, 3)])
        rows.append(["processors in use by the server", "", "", "", text(figures.wholeProcessorTime / span, 3)])
        rows.append(["– without reading groups' rows", "", "", "", text(figures.processorTime / span, 3)])
        table(rows)
        let database = fleet.database
        table([
            ["_claim", ""], ["rows", "\(try database.number("SELECT count(*) FROM _claim"))"],
            [
                "dead rows",
                "\(try database.number("SELECT n_dead_tup FROM pg_stat_user_tables WHERE relname = '_claim'"))",
            ],
            ["table, MB", megabytes(try database.number("SELECT pg_relation_size('_claim')"))],
            ["index by due_at, MB", megabytes(try database.number("SELECT pg_relation_size('_claim_due')"))],
            [
                "autovacuums",
                "\(try database.number("SELECT autovacuum_count FROM pg_stat_user_tables WHERE relname = '_claim'"))",
            ],
            [
                "all tables of the store, MB",
                megabytes(try database.number("SELECT pg_database_size(current_database())")),
            ],
        ])
    }

    private func megabytes(_ bytes: Int) -> String { text(Double(bytes) / 1_000_000) }
}

/// A number with so many digits behind the point.
func text(_ number: Double, _ digits: Int = 1) -> String {
    let factor = (0..<digits).reduce(1.0) { product, _ in product * 10 }
    let whole = Int64((abs(number) * factor).rounded())
    let (front, back) = whole.quotientAndRemainder(dividingBy: Int64(factor))
    let sign = number < 0 && whole > 0 ? "-" : ""
    guard digits > 0 else { return "\(sign)\(front)" }
    return "\(sign)\(front)." + String(repeating: "0", count: digits - "\(back)".count) + "\(back)"
}

func line(_ text: String) {
    print(text)
    fflush(nil)
}

/// Prints rows in columns, the first to the left and the others to the right.
func table(_ rows: [[String]]) {
    line("")
    let widths = (0..<(rows.first?.count ?? 0)).map { column in rows.map { $0[column].count }.max() ?? 0 }
    for row in rows {
        let fields = zip(row, widths).enumerated().map { index, field in
            let space = String(repeating: " ", count: field.1 - field.0.count)
            return index == 0 ? field.0 + space : space + field.0
        }
        line(fields.joined(separator: "  "))
    }
}
