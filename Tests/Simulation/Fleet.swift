internal import Feeds
internal import Fleet
internal import PostgreSQL
internal import SeededGenerator

/// Workers that share a store, on a simulated clock.
///
/// The claims are those of `Worker`, in a real PostgreSQL; when a feed is due next, the planner says. Hosts, requests
/// and the passing of time are the model's. Calls of the database are made one after the other and take no simulated
/// time.
final class Fleet {
    /// The events; a worker's life has a number, so that a dead worker's plans are dropped.
    enum Event {
        case starts(Int)
        case dies(Int)
        case pulse(Int, life: Int)
        case alarm(Int, life: Int)
        case filled(Int, life: Int, job: Int)
        case synced(Int, life: Int, job: Int)
    }

    /// A worker as a process: its claims and its jobs.
    struct Member {
        var worker: Worker?
        var life = 0
        var jobs: [Int: Job] = [:]
        var hasAlarm = false
    }

    /// A claimed group, and its feeds to sync.
    struct Job {
        let claim: Claim
        let host: Int
        let claimedAt: Int64
        var due: [Int] = []
        var syncs = 0
        var run = 0
        var startedAt: Int64 = 0
    }

    /// The owner of a host, by the model.
    struct Lease {
        var member = -1
        var fence: Int64 = 0
        var until = Int64.min
    }

    let options: Options
    let model: Model
    let database: Database
    let end: Int64
    private let layout: GroupLayout
    private let clock: SimulatedClock
    private let hostByName: [String: Int]
    var times: FeedTimes
    var now: Int64
    var members: [Member]
    var leases: [Lease]
    var lastMember: [Int]
    var windows: [(number: Int64, requests: Int64)]
    var queue = EventQueue<Event>()
    var figures = Figures()
    var lastRun: Int
    var lastJob = 0
    /// The time at which a group's rows are read for real again.
    var nextFill: Int64
    var stores: WorkingStores

    /// The duration of a claim, and `WorkCrew`'s pauses, in milliseconds.
    static let lease: Int64 = 10_000
    private static let pause: ClosedRange<Int64> = 200...5_000
    private static let pulse: Int64 = 3_000

    init(
        _ options: Options, _ model: Model, _ times: FeedTimes, _ database: Database, _ layout: GroupLayout,
        _ clock: SimulatedClock, now: Int64
    ) {
        self.options = options
        self.model = model
        self.times = times
        self.database = database
        self.layout = layout
        self.clock = clock
        self.now = now
        end = now + Int64(options.minutes) * 60_000
        hostByName = Dictionary(uniqueKeysWithValues: model.hosts.enumerated().map { ($1.name, $0) })
        members = Array(repeating: Member(), count: options.workers)
        leases = Array(repeating: Lease(), count: model.hosts.count)
        lastMember = Array(repeating: -1, count: model.hosts.count)
        windows = Array(repeating: (-1, 0), count: model.hosts.count)
        lastRun = options.feeds
        nextFill = now
        stores = WorkingStores(uri: database.uri, folder: options.folder, jobs: options.jobs, keep: .standard)
    }

    /// Lets the time pass.
    func run() async throws {
        var generator = SeededGenerator(options.seed ^ 0xDEAD)
        for member in members.indices {
            queue.add(.starts(member), at: now + Int64.random(in: 0..<3_000, using: &generator))
        }
        let deaths = options.deaths ?? max(options.workers / 2, 1)
        for _ in 0..<deaths * options.minutes / 60 {
            queue.add(
                .dies(Int.random(in: 0..<options.workers, using: &generator)),
                at: Int64.random(in: now + 5_000...end, using: &generator))
        }
        let before = database.processorTime
        while let (time, event) = queue.next(), time < end {
            now = time
            clock.set(now)
            try await handle(event)
        }
        now = end
        figures.processorTime = database.processorTime - before - figures.fillProcessorTime
        for member in members { for job in member.jobs.values { figures.jobTime += now - job.claimedAt } }
        countWaiting()
    }

    private func handle(_ event: Event) async throws {
        switch event {
        case .starts(let index): try await start(index)
        case .dies(let index): die(index)
        case .pulse(let index, let life) where life == members[index].life: try await pulse(index)
        case .alarm(let index, let life) where life == members[index].life:
            members[index].hasAlarm = false
            try await work(index)
        case .filled(let index, let life, let job) where life == members[index].life: try await begin(job, of: index)
        case .synced(let index, let life, let job) where life == members[index].life: try await endSync(job, of: index)
        case .pulse, .alarm, .filled, .synced: break
        }
    }

    private func start(_ index: Int) async throws {
        guard members[index].worker == nil else { return }
        let lost = members[index].jobs
        let worker = try Worker(uri: database.uri, name: "worker \(index)", groups: layout, takesOver: true)
        members[index] = Member(worker: worker, life: members[index].life + 1)
        // It was paused and not dead, and goes on with what it had in mind.
        for job in lost.values { try tryLate(job) }
        try await worker.live()
        queue.add(.pulse(index, life: members[index].life), at: now + Self.pulse)
        try await work(index)
    }

    private func die(_ index: Int) {
        guard members[index].worker != nil else { return }
        figures.deaths += 1
        for job in members[index].jobs.values { figures.jobTime += now - job.claimedAt }
        members[index].worker = nil
        members[index].life += 1
        queue.add(.starts(index), at: now + 30_000)
    }

    private func pulse(_ index: Int) async throws {
        guard let worker = members[index].worker else { return }
        try await measured(.live) { _ = try await worker.live() }
        for job in members[index].jobs.values where leases[job.host].member == index {
            leases[job.host].until = now + Self.lease
        }
        queue.add(.pulse(index, life: members[index].life), at: now + Self.pulse)
    }

    /// The action of `WorkCrew` after each job and each pause.
    func work(_ index: Int) async throws {
        let free = options.jobs - members[index].jobs.count
        guard let worker = members[index].worker, free > 0 else { return }
        let claims = try await measured(.claim) { try await worker.claim(limit: free) }
        for claim in claims { try await take(claim, index) }
        var pause = Self.pause.upperBound
        if claims.count < free {
            let time = try await measured(.due) { try await worker.timeUntilDue() }
            let milliseconds = time.components.seconds * 1000 + time.components.attoseconds / 1_000_000_000_000_000
            pause = min(max(milliseconds, Self.pause.lowerBound), Self.pause.upperBound)
        }
        if !members[index].hasAlarm {
            members[index].hasAlarm = true
            queue.add(.alarm(index, life: members[index].life), at: now + pause)
        }
    }

    private func take(_ claim: Claim, _ index: Int) async throws {
        guard let host = hostByName[claim.group.name] else { return figures.fault("\(claim.group.name) is no host") }
        let lease = leases[host]
        if lease.until >= now {
            figures.fault("\(claim.group.name) is claimed by worker \(index) while \(lease.member) has it")
        }
        if claim.fence <= lease.fence { figures.fault("the fence of \(claim.group.name) did not rise") }
        leases[host] = Lease(member: index, fence: claim.fence, until: now + Self.lease)
        figures.claims += 1
        if lastMember[host] == index { figures.returns += 1 }
        lastMember[host] = index
        lastJob += 1
        members[index].jobs[lastJob] = Job(claim: claim, host: host, claimedAt: now)
        queue.add(.filled(index, life: members[index].life, job: lastJob), at: now + Model.filling)
        if options.fills > 0, now >= nextFill {
            nextFill = now + Int64(options.minutes) * 60_000 / Int64(options.fills)
            try await fill(claim)
        }
    }

    /// Runs a call of the database, and takes note of how long it takes.
    func measured<Result>(_ call: Figures.Call, _ body: () async throws -> Result) async throws -> Result {
        let start = ContinuousClock.now
        let result = try await body()
        figures.calls[call, default: Figures.Calls()].add(start.duration(to: .now))
        return result
    }
}
