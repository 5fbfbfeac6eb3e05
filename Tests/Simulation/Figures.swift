/// The observations of a run.
struct Figures {
    /// A kind of work that PostgreSQL does.
    enum Call: String, CaseIterable {
        case claim
        case due = "time until due"
        case live
        case fill = "read a group's rows"
        case commit
        case release
    }

    /// The number of calls of a kind, and their duration.
    struct Calls {
        var count = 0
        var seconds = 0.0
        var slowest = 0.0

        mutating func add(_ duration: Duration) {
            let seconds = Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18
            count += 1
            self.seconds += seconds
            slowest = max(slowest, seconds)
        }

        var mean: Double { count == 0 ? 0 : seconds / Double(count) }
    }

    /// Feeds by their hosts' limits.
    enum Kind: Int, CaseIterable {
        case ordinary, crowded, overloaded, disturbed

        var name: String {
            switch self {
            case .ordinary: "hosts with time to spare"
            case .crowded: "busy more than half of the time"
            case .overloaded: "more work than time"
            case .disturbed: "failed or blocked"
            }
        }
    }

    var calls: [Call: Calls] = [:]
    /// The delays of rounds, in milliseconds.
    var late: [Kind: [Int32]] = [:]
    var syncs = 0
    var claims = 0
    var emptyClaims = 0
    /// Claims of groups that the same worker had last.
    var returns = 0
    /// Jobs in use, summed up over milliseconds.
    var jobTime: Int64 = 0
    var deaths = 0
    /// Commits of workers that were believed dead and had lost their claims: they have to fail.
    var refused = 0
    var failed = 0
    var blocked = 0
    /// The server's processor time without reading groups' rows, and that of the groups that were read.
    var processorTime = 0.0
    var fillProcessorTime = 0.0
    /// The violations.
    var faults: [String] = []
    var faultCount = 0

    /// Takes note of something that must not be.
    mutating func fault(_ text: @autoclosure () -> String) {
        faultCount += 1
        if faults.count < 5 { faults.append(text()) }
    }

    /// The database's processor time with all groups read, not only some of them.
    var wholeProcessorTime: Double {
        let fills = calls[.fill]?.count ?? 0
        return processorTime + (fills == 0 ? 0 : fillProcessorTime / Double(fills) * Double(claims))
    }

    /// The time of a kind of call; that of groups' rows as if all had been read.
    func seconds(of call: Call) -> Double {
        guard let calls = calls[call] else { return 0 }
        return call == .fill ? calls.mean * Double(claims) : calls.seconds
    }

    /// The time of all calls.
    var seconds: Double { Call.allCases.reduce(0) { $0 + seconds(of: $1) } }
}

extension [Int32] {
    /// The value below which such a share of a sorted list lies, in seconds.
    func quantile(_ share: Double) -> Double {
        guard !isEmpty else { return 0 }
        return Double(self[Swift.min(Int(Double(count) * share), count - 1)]) / 1000
    }
}
