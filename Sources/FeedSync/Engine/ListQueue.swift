internal import HTTP

/// The next of a feed's lists to request: in order, as far as their hosts have room. A host that waits does not delay
/// others.
///
/// A list is first checked with one request. If that shows a change, the list waits to be run, before all other lists
/// of its host. A host has as many lists under way as its feed allows, and one more check: its request waits in the
/// client for the previous one, so that the host need not wait for us. It is held back if the previous response speaks
/// against more requests.
struct ListQueue<List: Sendable> {
    /// The purpose of a list's turn.
    enum Errand: Sendable { case look, run }

    /// A list whose turn it is.
    struct Turn: Sendable {
        let list: List
        let errand: Errand
        /// Receives the results of the host's requests.
        let gate: CircuitBreaker
        /// True if the host has as many requests as allowed, so that this one waits for its turn.
        let isAhead: Bool
        fileprivate let number: Int
    }

    private struct Entry {
        let list: List
        /// The position among all lists that were added.
        let number: Int
        /// True if the list was checked and waits to be run.
        var isOpen = false
    }

    private struct Host {
        /// In the order of their addition.
        var waiting: [Entry] = []
        var running = 0
        var looks = 0
        var isClosed = false
        var gate = CircuitBreaker()
        /// The number of the host's list in `startable`.
        var startable: Int?

        var busy: Int { running + looks }
    }

    private var hosts: [Host] = []
    private var numbers: [String: Int] = [:]
    /// The first list of each host with room, in order.
    private var startable: [(number: Int, host: Int)] = []
    private var waitingCount = 0
    private var addedCount = 0
    private let perHost: Int
    private let mayLookAhead: Bool
    /// True if lists are checked first; otherwise each is run.
    var mayLook = false {
        didSet {
            guard mayLook != oldValue else { return }
            for host in hosts.indices { follow(host) }
        }
    }
    /// The number of lists that are being run.
    private(set) var runningCount = 0
    private(set) var lookCount = 0
    /// The number of lists that were checked and wait to be run.
    private var openCount = 0

    /// The maximum number of waiting lists. Further lists are added later.
    private static var mostWaiting: Int { 256 }
    /// The maximum number of lists that are run at a time, whatever their hosts.
    private static var mostRunning: Int { 16 }
    /// The maximum number of lists that are checked at a time, because the page of each may stay in memory.
    private static var mostLooks: Int { 64 }

    /// - Parameters:
    ///   - perHost: The maximum number of lists of one host that are under way at a time.
    ///   - mayLookAhead: True if one more list may wait for its turn.
    init(perHost: Int, mayLookAhead: Bool) {
        self.perHost = max(perHost, 1)
        self.mayLookAhead = mayLookAhead
    }

    /// True if another list can be added.
    var hasRoom: Bool { waitingCount < Self.mostWaiting }

    /// Adds a list, unless its host was closed.
    mutating func add(_ list: List, host: String) {
        addedCount += 1
        insert(Entry(list: list, number: addedCount), at: number(of: host))
    }

    /// Puts a list that was checked back in its place.
    ///
    /// - Parameter isOpen: True if the list waits to be run.
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

    /// Takes the next list whose turn it is; nil if no list may start now.
    mutating func next() -> Turn? {
        let mayRun = runningCount < Self.mostRunning && (!mayLook || openCount > 0)
        // A fetched page must not become stale before its list is run.
        let mayLook = mayLook && lookCount < Self.mostLooks && openCount < Self.mostRunning
        guard mayRun || mayLook else { return nil }
        var place = 0
        while place < startable.count {
            let host = startable[place].host
            // The gate of the host may have been shut since.
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

    /// True if a list would start before its turn at its host, false if it is its turn, nil if it has to wait.
    private func isAhead(_ entry: Entry, at host: Int) -> Bool? {
        let busy = hosts[host].busy
        if busy < perHost { return false }
        let mayBe = mayLookAhead && errand(of: entry) == .look && busy == perHost && !hosts[host].gate.isShut
        return mayBe ? true : nil
    }

    private mutating func take(_ entry: Entry, for errand: Errand, at host: Int, isAhead: Bool) -> Turn {
        // All requests that could speak against more have ended. A checked list's response is stored by its run: until
        // then, the next list would not know of it.
        if hosts[host].busy == 0, hosts[host].gate.isShut, !entry.isOpen { hosts[host].gate = CircuitBreaker() }
        hosts[host].waiting.removeFirst()
        waitingCount -= 1
        if entry.isOpen { openCount -= 1 }
        count(errand, 1, at: host)
        return Turn(
            list: entry.list, errand: errand, gate: hosts[host].gate, isAhead: isAhead, number: entry.number)
    }

    /// Records that a list of a host has finished its errand.
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

    /// Drops all waiting lists of a host, and all that are added later.
    ///
    /// - Returns: The dropped lists that had been checked.
    mutating func close(_ host: String) -> [List] { close(number(of: host)) }

    /// Drops all waiting lists, and all that are added later.
    ///
    /// - Returns: The dropped lists that had been checked.
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

    /// Updates the entry of a host in `startable`.
    private mutating func follow(_ host: Int) {
        let first = hosts[host].waiting.first.flatMap { isAhead($0, at: host) == nil ? nil : $0.number }
        guard first != hosts[host].startable else { return }
        if let old = hosts[host].startable { startable.remove(at: place(of: old)) }
        if let first { startable.insert((first, host), at: place(of: first)) }
        hosts[host].startable = first
    }

    /// The index of a number in `startable`, or the index to insert it at.
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
