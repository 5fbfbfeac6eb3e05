internal import FeedSync
internal import Reports

// What `doctor` finds out about hosts and feeds.
extension Session {
    func networkFindings(_ configuration: Configuration) async -> [Finding] {
        guard var options = try? engineOptions(folder: configuration.folder) else { return [] }
        // A command may ask for a password.
        options.commands = CommandSecrets(standingIn: Secrets.mask)
        let probes = await OriginProbe.probe(configuration.feeds, options: options)
        return probes.map(Self.finding) + clockFindings(probes)
    }

    private static func finding(_ probe: OriginProbe) -> Finding {
        let proxy = probe.hasOwnProxy ? " by its proxy" : ""
        if let error = probe.error {
            return Finding(
                .network, .problem, "\(probe.origin)\(proxy): \(error.message)", advice: error.advice)
        }
        guard let exchange = probe.exchange, let answer = exchange.answer else {
            return Finding(.network, .problem, "\(probe.origin)\(proxy): no response")
        }
        let words =
            "\(probe.origin)\(proxy): \(StatusText.text(answer.status))\(exchange.address.map { " from \($0)" } ?? "") "
            + "(\(TraceText.words(exchange.timings)))"
        switch answer.status {
        case 407: return Finding(.network, .problem, words, advice: "give the proxy's credentials in its URL")
        // It may know no HEAD.
        case 501: return Finding(.network, .ok, words)
        case 500...: return Finding(.network, .warning, words, advice: "run it again later")
        // Whether there is something at the root says nothing of the feeds.
        default: return Finding(.network, .ok, words)
        }
    }

    private func clockFindings(_ probes: [OriginProbe]) -> [Finding] {
        let leads = probes.compactMap(\.clockLead).map(\.components.seconds)
        // One host may be wrong.
        guard !leads.isEmpty else { return [] }
        let lead = leads.sorted()[leads.count / 2]
        let size = NumberFormat.time(seconds: Int64(clamping: lead.magnitude))
        guard lead.magnitude > 60 else { return [Finding(.clock, .ok, "as the hosts' clocks")] }
        return [
            Finding(
                .clock, .problem, "\(size) \(lead > 0 ? "ahead of" : "behind") the hosts' clocks",
                advice: "set the clock, for example with timedatectl set-ntp true")
        ]
    }

    func feedFindings(_ configuration: Configuration, _ store: Store) async -> [Finding] {
        do throws(Failure) {
            let feeds = try await knownFeeds(configuration, store, includesRemoved: false)
            let rows = try await states(of: feeds, in: store)
            let lastSync = try await reading { () async throws(FeedSyncError) in try await store.lastBegin(of: "sync") }
            let findings = rows.compactMap(Self.finding) + rows.compactMap(Self.hookFinding)
            let well = rows.count(where: \.isWell)
            let count = "\(NumberFormat.count(well)) of \(NumberFormat.count(rows.count, "feed")) fresh"
            let summary = rows.isEmpty ? [] : [Finding(.feed, .ok, count)]
            return [Self.schedule(rows, lastSync)] + summary + findings
        } catch {
            return Finding.problems(.store, error)
        }
    }

    private static func schedule(_ rows: [StateRow], _ lastSync: Timestamp?) -> Finding {
        let stale = rows.count { if case .stale = $0.stateAtRest { true } else { false } }
        let advice = "check that cron or systemd runs feedsync sync --due: crontab -l, systemctl list-timers"
        let last = lastSync.map { "sync last ran \(RelativeTime.ago($0.text))" } ?? "sync was never run"
        guard stale == 0 else {
            return Finding(
                .schedule, .problem,
                "\(last), and \(NumberFormat.count(stale, "feed")) \(stale == 1 ? "is" : "are") overdue",
                advice: advice)
        }
        return Finding(.schedule, lastSync == nil ? .warning : .ok, last, advice: lastSync == nil ? advice : nil)
    }

    private static func hookFinding(_ row: StateRow) -> Finding? {
        row.hookFailure.map {
            Finding(.feed, .problem, feed: row.feed.name, $0, advice: "feedsync sync \(row.feed.name)")
        }
    }

    /// The finding about a feed; nil if all is well.
    private static func finding(_ row: StateRow) -> Finding? {
        let name = row.feed.name
        let level: Finding.Level
        let advice: String
        switch row.stateAtRest {
        case .fresh, .new, .running: return nil
        case .failing:
            level = .problem
            advice = "feedsync sync \(name) -v; feedsync explain \(name) --response"
        case .limited:
            level = .warning
            advice = "wait, or use a token with a larger quota"
        case .stale:
            level = .problem
            advice = "feedsync sync \(name)"
        case .loading, .incomplete:
            level = .warning
            advice = "feedsync sync \(name)"
        }
        let words = [row.stateAtRest.word, row.whyAtRest].compactMap(\.self).joined(separator: ": ")
        return Finding(.feed, level, feed: name, words, advice: advice)
    }
}
