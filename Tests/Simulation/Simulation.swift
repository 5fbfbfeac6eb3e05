internal import Fleet
internal import Platform
internal import Time

/// A fleet of workers on a simulated clock.
@main
enum Simulation {
    static func main() async {
        guard let options = Options(Array(CommandLine.arguments.dropFirst())) else {
            line(Options.usage)
            exit(64)
        }
        var isRight = true
        do {
            for (index, step) in options.steps.enumerated() {
                if index > 0 { line("") }
                isRight = try await run(step, database: "step_\(index)") && isRight
            }
        } catch {
            line("simulate: \(error)")
            exit(1)
        }
        exit(isRight ? 0 : 1)
    }

    /// - Returns: True if all was as it has to be.
    private static func run(_ options: Options, database name: String) async throws -> Bool {
        let model = Model(options)
        line(
            "\(options.feeds) feeds on \(model.hosts.count) hosts, \(options.workers) workers with \(options.jobs) jobs"
        )
        guard Model(options).digest == model.digest else {
            line("FAULT: the same seed makes another model")
            return false
        }
        guard let clock = SimulatedClock(path: "\(options.folder)/clock") else {
            line("simulate: there is no clock in \(options.folder)")
            return false
        }
        let now = WallClock.system.milliseconds
        clock.set(now)
        let times = FeedTimes(model, now: now, seed: options.seed)
        let database = try await Database(name, folder: options.folder)
        let start = ContinuousClock.now
        try database.fill(model, times)
        line("The store is made in \(text(seconds(since: start), 0)) s.")

        let before = ProcessFigures.memory
        let layoutStart = ContinuousClock.now
        let layout = GroupLayout(model.groups)
        let layoutBytes = ProcessFigures.memory - before
        line(
            "A worker's list of groups takes \(text(Double(layoutBytes) / 1e6)) MB and \(text(seconds(since: layoutStart))) s; "
                + "the first worker takes \(text(try await join(layout, database))) s to join, the second \(text(try await join(layout, database)))."
        )

        let runStart = ContinuousClock.now
        let fleet = Fleet(options, model, times, database, layout, clock, now: now)
        try await fleet.run()
        try Report(fleet, seconds: seconds(since: runStart)).print()
        FleetLimits(fleet, layoutBytes: layoutBytes).print()
        return fleet.figures.faultCount == 0
    }

    /// The time until a new worker is one of the fleet.
    private static func join(_ layout: GroupLayout, _ database: Database) async throws -> Double {
        let start = ContinuousClock.now
        let worker = try Worker(uri: database.uri, name: "first", groups: layout, takesOver: true)
        try await worker.live()
        await worker.end()
        return seconds(since: start)
    }

    private static func seconds(since start: ContinuousClock.Instant) -> Double {
        let components = start.duration(to: .now).components
        return Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
