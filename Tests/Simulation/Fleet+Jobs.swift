internal import Crawling
internal import Feeds
internal import Fleet
internal import PostgreSQL

// The steps of a job.
extension Fleet {
    /// Reads a group's rows into a file, as a worker does with each group that it has claimed, and lets go of the file.
    ///
    /// What counts is the server's processor time: the rest is the worker's, which makes the file.
    func fill(_ claim: Claim) async throws {
        let before = database.processorTime
        _ = try await stores.begin(claim)
        if let failure = await stores.end(claim) { figures.fault("\(claim.group.name): \(failure.error.message)") }
        let time = database.processorTime - before
        figures.calls[.fill, default: Figures.Calls()].add(.seconds(time))
        figures.fillProcessorTime += time
    }

    /// Finds the due feeds of the group, and starts with them.
    func begin(_ number: Int, of index: Int) async throws {
        guard var job = members[index].jobs[number] else { return }
        let host = model.hosts[job.host]
        var due: [(feed: Int, dueAt: Int64)] = []
        for feed in host.feeds where times.mayBeDue(feed, at: now) {
            let plan = times.plan(feed)
            if plan.isDue(at: now) { due.append((feed, plan.dueAt ?? .min)) }
        }
        job.due = due.sorted { $0.dueAt < $1.dueAt }.map(\.feed)
        job.due.reverse()
        members[index].jobs[number] = job
        try await beginSync(number, of: index)
    }

    private func beginSync(_ number: Int, of index: Int) async throws {
        guard var job = members[index].jobs[number] else { return }
        guard let feed = job.due.last, let commits = commits(&job, feed) else {
            return try await finish(number, of: index)
        }
        let host = model.hosts[job.host]
        job.startedAt = now
        job.syncs += 1
        members[index].jobs[number] = job
        noteStart(of: feed, on: host)
        for sql in commits.beginning(at: now, dueAt: times.dueAt[feed]) { try await commit(sql, job) }
        let isFailing = host.failing.contains(now - (end - Int64(options.minutes) * 60_000))
        let pages = model.pages(of: feed, round: now)
        queue.add(
            .synced(index, life: members[index].life, job: number),
            at: now + (isFailing ? Model.timeout : pages * host.latency))
    }

    func endSync(_ number: Int, of index: Int) async throws {
        guard var job = members[index].jobs[number], let feed = job.due.popLast() else { return }
        let host = model.hosts[job.host]
        let isFailing = host.failing.contains(job.startedAt - (end - Int64(options.minutes) * 60_000))
        let pages = model.pages(of: feed, round: job.startedAt)
        let blockedUntil = isFailing ? nil : spend(pages, on: job.host)
        if let blockedUntil {
            figures.blocked += 1
            times.block(feed, until: blockedUntil)
            // The host's other feeds are not due before, either.
            job.due = []
        } else {
            if isFailing { figures.failed += 1 }
            times.end(feed, startedAt: job.startedAt, at: now, hasFailed: isFailing)
        }
        let outcome = blockedUntil != nil ? "limited" : isFailing ? "failed" : "unchanged"
        let commits = SyncCommits(
            claim: job.claim, feed: model.name(of: feed), url: "\(host.name)/\(feed)", crawl: feed + 1, run: job.run)
        for sql in commits.end(
            startedAt: job.startedAt, at: now, dueAt: times.dueAt[feed], outcome: outcome, pages: pages)
        {
            try await commit(sql, job)
        }
        figures.syncs += 1
        members[index].jobs[number] = job
        try await beginSync(number, of: index)
    }

    /// Lets go of the group, and looks for another.
    private func finish(_ number: Int, of index: Int) async throws {
        guard let job = members[index].jobs.removeValue(forKey: number), let worker = members[index].worker else {
            return
        }
        if job.syncs == 0 { figures.emptyClaims += 1 }
        figures.jobTime += now - job.claimedAt
        try await measured(.release) { await worker.release(job.claim, rests: job.syncs == 0) }
        if leases[job.host].fence == job.claim.fence { leases[job.host].until = .min }
        try await work(index)
    }

    private func commits(_ job: inout Job, _ feed: Int) -> SyncCommits? {
        lastRun += 1
        job.run = lastRun
        return SyncCommits(
            claim: job.claim, feed: model.name(of: feed), url: "\(model.hosts[job.host].name)/\(feed)", crawl: feed + 1,
            run: lastRun)
    }

    private func commit(_ sql: String, _ job: Job) async throws {
        do {
            try await measured(.commit) { try database.connection.execute(sql) }
            leases[job.host].until = now + Self.lease
        } catch {
            figures.fault("\(job.claim.group.name): a commit was refused: \(error)")
            if database.connection.isInTransaction { try database.connection.execute("ROLLBACK") }
        }
    }

    /// A commit of a worker that was believed dead: it has to fail if another has claimed the group since.
    func tryLate(_ job: Job) throws {
        let isOurs = leases[job.host].fence == job.claim.fence
        do {
            try database.connection.execute("BEGIN;\n" + [job.claim].guarded + "COMMIT")
            if isOurs {
                leases[job.host].until = now + Self.lease
            } else {
                figures.fault("\(job.claim.group.name): a worker wrote that had lost its claim")
            }
        } catch {
            if database.connection.isInTransaction { try database.connection.execute("ROLLBACK") }
            if isOurs { figures.fault("\(job.claim.group.name): a claim that nobody took was refused") }
            figures.refused += 1
        }
    }

    /// Counts a sync's requests; until when the host wants no more, if it allows no more.
    private func spend(_ requests: Int64, on host: Int) -> Int64? {
        guard let quota = model.hosts[host].quota else { return nil }
        let window = now / Model.window
        if windows[host].number != window { windows[host] = (window, 0) }
        windows[host].requests += requests
        return windows[host].requests > quota ? (window + 1) * Model.window : nil
    }
}
