/// Which of a feed's lists is next: in order, as far as their hosts have room. A host that waits holds up no other.
struct ListQueue<List> {
    private var waiting: [(list: List, host: String)] = []
    private var running: [String: Int] = [:]
    private var closed: Set<String> = []
    private let perHost: Int
    private(set) var runningCount = 0

    /// The most lists that wait: those behind them are looked at later.
    private static var mostWaiting: Int { 64 }

    /// - Parameter perHost: How many of one host's may run at a time.
    init(perHost: Int) { self.perHost = max(perHost, 1) }

    /// Whether another list can be added.
    var hasRoom: Bool { waiting.count < Self.mostWaiting }

    /// Adds a list; one of a host that was closed is left out.
    mutating func add(_ list: List, host: String) {
        if !closed.contains(host) { waiting.append((list, host)) }
    }

    /// Takes the next one that may run; nil if there is none now.
    mutating func next() -> List? {
        guard let index = waiting.firstIndex(where: { running[$0.host, default: 0] < perHost }) else { return nil }
        let (list, host) = waiting.remove(at: index)
        running[host, default: 0] += 1
        runningCount += 1
        return list
    }

    /// A list of that host has ended.
    mutating func end(at host: String) {
        guard let count = running[host], count > 0 else { return }
        running[host] = count - 1
        runningCount -= 1
    }

    /// Leaves out all further lists of a host.
    mutating func close(_ host: String) {
        closed.insert(host)
        waiting.removeAll { $0.host == host }
    }
}
