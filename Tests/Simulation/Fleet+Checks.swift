internal import Fleet

// Delays of feeds, and conditions that must always hold.
extension Fleet {
    /// Takes note of how late a round begins.
    func noteStart(of feed: Int, on host: Model.Host) {
        let soonest = times.lastRound(of: feed) + model.every[feed] / 10 * 9
        if now < soonest || now < times.blockedUntil[Int(model.hostOf[feed])] {
            figures.fault("\(model.name(of: feed)) is synced before it is due")
        }
        note(max(now - times.dueAt[feed], 0), feed, host)
    }

    /// Feeds that are due at the end, and wait.
    func countWaiting() {
        for feed in model.every.indices where times.dueAt[feed] < now && !isUnderWay(feed) {
            note(now - times.dueAt[feed], feed, model.hosts[Int(model.hostOf[feed])])
        }
    }

    private func isUnderWay(_ feed: Int) -> Bool {
        let lease = leases[Int(model.hostOf[feed])]
        guard lease.member >= 0 else { return false }
        return members[lease.member].jobs.values.contains { $0.claim.fence == lease.fence && $0.due.last == feed }
    }

    private func note(_ late: Int64, _ feed: Int, _ host: Model.Host) {
        let kind = kind(of: host)
        figures.late[kind, default: []].append(Int32(clamping: late))
        guard kind == .ordinary, !isSaturated else { return }
        let bound = 120_000 + Int64(Double(host.count) * Double(host.latency) * Model.meanPages / 5)
        if late > bound { figures.fault("\(model.name(of: feed)) waits for \(late / 1000) s: it starves") }
    }

    func kind(of host: Model.Host) -> Figures.Kind {
        if !host.failing.isEmpty || host.quota != nil { return .disturbed }
        return host.load > 1 ? .overloaded : host.load > 0.5 ? .crowded : .ordinary
    }

    /// True if the fleet has too few jobs for its work: then all feeds are late, and none starves.
    var isSaturated: Bool { wantedJobs > 0.9 * Double(options.workers * options.jobs) }

    /// The jobs that requests take on average, by arithmetic.
    var wantedJobs: Double { model.hosts.reduce(0) { $0 + min($1.load, 1) } }
}
