internal import HTTP

/// Which of a feed's lists is next: in order, as far as their hosts have room. A host that waits holds up no other.
///
/// A list is looked at with one request first. Where that tells that it changed, it waits for its turn to be run, before all
/// others of its host. As many lists of a host are under way as its feed allows, and one more that is looked at: its request
/// waits in the client for the one before, so that the host need not wait for us. It is held back if that one's response
/// speaks against asking for more.
struct ListQueue<List: Sendable> {
    /// What a list is taken out for.
    enum Errand: Sendable { case look, run }

    /// A list whose turn it is.
    struct Turn: Sendable {
        let list: List
        let errand: Errand
        /// Is told how requests of the host end.
        let gate: CircuitBreaker
        /// Whether the host has as many requests as it may have, so that this one waits for its turn.
        let isAhead: Bool
        fileprivate let number: Int
    }

    private struct Entry {
        let list: List
        /// Its place among all that were added.
        let number: Int
        /// Whether it was looked at and waits to be run.
        var isOpen = false
    }

    private struct Host {
        /// In the order in which they were added.
        var waiting: [Entry] = []
        var running = 0
        var looks = 0
        var isClosed = false
        var gate = CircuitBreaker()
        /// The number of the list that is among those that may start.
        var startable: Int?

        var busy: Int { running + looks }
    }

    private var hosts: [Host] = []
    private var numbers: [String: Int] = [:]
    /// The first list of each host that has room, in order.
    private var startable: [(number: Int, host: Int)] = []
    private var waitingCount = 0
    private var addedCount = 0
    private let perHost: Int
    private let mayLookAhead: Bool
    /// Whether lists are looked at; else each is run.
    var mayLook = false {
        didSet {
            guard mayLook != oldValue else { return }
            for host in hosts.indices { follow(host) }
        }
    }
    /// How many are run and looked at.
    private(set) var runningCount = 0
    private(set) var lookCount = 0
    /// Those that were looked at and wait to be run.
    private var openCount = 0

    /// The most lists that wait: those behind them are looked at later.
    private static var mostWaiting: Int { 256 }
    /// The most that are run at a time, whatever their hosts.
    private static var mostRunning: Int { 16 }
    /// The most that are looked at at a time: the page that comes of each may be kept in memory.
    private static var mostLooks: Int { 64 }

    /// - Parameters:
    ///   - perHost: How many of one host's may be under way at a time.
    ///   - mayLookAhead: Whether one more may wait for its turn.
    init(perHost: Int, mayLookAhead: Bool) {
        self.perHost = max(perHost, 1)
        self.mayLookAhead = mayLookAhead
    }

    /// Whether another list can be added.
    var hasRoom: Bool { waitingCount < Self.mostWaiting }

    /// Adds a list; one of a host that was closed is left out.
    mutating func add(_ list: List, host: String) {
        addedCount += 1
        insert(Entry(list: list, number: addedCount), at: number(of: host))
    }

    /// Puts a list back that was looked at, where it was.
    ///
    /// - Parameter isOpen: Whether it waits to be run.
    mutating func putBack(_ turn: Turn, as list: List, isOpen: Bool, host: String) {
        insert(Entry(list: list, number: turn.number, isOpen: isOpen), at: number(of: host))
    }

    private mutating func insert(_ entry: Entry, at host: Int) {
        guard !hosts[host].isClosed else { return }
        let place = hosts[host].waiting.firstIndex { $0.number > entry.number } ?? hosts[host].waiting.endIndex
        hosts[host].waiting.insert(entry, at: place)
        waitingCount += 1
        if entry.isOpen { openCount += 1 }
        follow(host)
    }

    /// Takes the next one whose turn it is; nil if there is none now.
    mutating func next() -> Turn? {
        let mayRun = runningCount < Self.mostRunning && (!mayLook || openCount > 0)
        // A page that came is not to grow old before its list is run.
        let mayLook = mayLook && lookCount < Self.mostLooks && openCount < Self.mostRunning
        guard mayRun || mayLook else { return nil }
        var place = 0
        while place < startable.count {
            let host = startable[place].host
            // Its gate may have shut since.
            guard let first = hosts[host].waiting.first, let isAhead = isAhead(first, at: host) else {
                follow(host)
                continue
            }
            let errand = errand(of: first)
            if errand == .run ? mayRun : mayLook { return take(first, for: errand, at: host, isAhead: isAhead) }
            place += 1
        }
        return nil
    }

    private func errand(of entry: Entry) -> Errand { entry.isOpen || !mayLook ? .run : .look }

    /// Whether a list is ahead of its turn at its host; nil if it has to wait.
    private func isAhead(_ entry: Entry, at host: Int) -> Bool? {
        let busy = hosts[host].busy
        if busy < perHost { return false }
        let mayBe = mayLookAhead && errand(of: entry) == .look && busy == perHost && !hosts[host].gate.isShut
        return mayBe ? true : nil
    }

    private mutating func take(_ entry: Entry, for errand: Errand, at host: Int, isAhead: Bool) -> Turn {
        // What spoke against asking for more has been worked on.
        if hosts[host].busy == 0, hosts[host].gate.isShut { hosts[host].gate = CircuitBreaker() }
        hosts[host].waiting.removeFirst()
        waitingCount -= 1
        if entry.isOpen { openCount -= 1 }
        count(errand, 1, at: host)
        return Turn(
            list: entry.list, errand: errand, gate: hosts[host].gate, isAhead: isAhead, number: entry.number)
    }

    /// A list of that host has ended what it was taken out for.
    mutating func end(_ errand: Errand, at host: String) {
        let host = number(of: host)
        guard (errand == .run ? hosts[host].running : hosts[host].looks) > 0 else { return }
        count(errand, -1, at: host)
    }

    private mutating func count(_ errand: Errand, _ change: Int, at host: Int) {
        switch errand {
        case .look:
            hosts[host].looks += change
            lookCount += change
        case .run:
            hosts[host].running += change
            runningCount += change
        }
        follow(host)
    }

    /// Leaves out all further lists of a host.
    ///
    /// - Returns: Those that were looked at.
    mutating func close(_ host: String) -> [List] { close(number(of: host)) }

    /// Leaves out all further lists.
    ///
    /// - Returns: Those that were looked at.
    mutating func close() -> [List] { hosts.indices.flatMap { close($0) } }

    private mutating func close(_ host: Int) -> [List] {
        let open = hosts[host].waiting.filter(\.isOpen)
        openCount -= open.count
        waitingCount -= hosts[host].waiting.count
        hosts[host].waiting = []
        hosts[host].isClosed = true
        follow(host)
        return open.map(\.list)
    }

    /// Puts the first list of a host among those that may start, if it may.
    private mutating func follow(_ host: Int) {
        let first = hosts[host].waiting.first.flatMap { isAhead($0, at: host) == nil ? nil : $0.number }
        guard first != hosts[host].startable else { return }
        if let old = hosts[host].startable { startable.remove(at: place(of: old)) }
        if let first { startable.insert((first, host), at: place(of: first)) }
        hosts[host].startable = first
    }

    /// Where a number stands among those that may start, or would.
    private func place(of number: Int) -> Int {
        var (low, high) = (0, startable.count)
        while low < high {
            let middle = (low + high) / 2
            if startable[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private mutating func number(of host: String) -> Int {
        if let number = numbers[host] { return number }
        hosts.append(Host())
        numbers[host] = hosts.count - 1
        return hosts.count - 1
    }
}
