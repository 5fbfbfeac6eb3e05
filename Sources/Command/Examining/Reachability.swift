internal import FeedSync
internal import Reports

/// The reachability of the feeds' hosts, and their clocks.
struct Reachability {
    let session: Session
    let configuration: Configuration

    func findings() async -> [Finding] {
        guard var options = try? session.engineOptions(folder: configuration.folder) else { return [] }
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
        // The status of the root says nothing of the feeds.
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
}
