import SeededGenerator
import Testing

@testable import FeedSync
@testable import HTTP

@Suite("The lists that are next") struct ListQueueTests {
    /// A queue of lists named after their hosts.
    private func queue(_ lists: [String] = [], perHost: Int = 1, ahead: Bool = true) -> ListQueue<String> {
        var queue = ListQueue<String>(perHost: perHost, mayLookAhead: ahead)
        for list in lists { queue.add(list, host: String(list.prefix(1))) }
        return queue
    }

    @Test("Lists come in order, as far as their hosts have room")
    func order() {
        var queue = queue(["a1", "a2", "a3", "b1"], perHost: 2)
        #expect([queue.next()?.list, queue.next()?.list, queue.next()?.list] == ["a1", "a2", "b1"])
        #expect(queue.next() == nil && queue.runningCount == 3)
        queue.end(.run, at: "a")
        #expect(queue.next()?.list == "a3" && queue.next() == nil)
    }

    @Test("One more list of a host is looked at: its request waits there for the one before")
    func ahead() {
        var queue = queue(["a1", "a2", "a3", "b1"])
        queue.mayLook = true
        let (first, second, third) = (queue.next(), queue.next(), queue.next())
        let turns = [first, second, third].compactMap(\.self)
        #expect(turns.map(\.list) == ["a1", "a2", "b1"])
        #expect(turns.map(\.isAhead) == [false, true, false])
        #expect(turns.map(\.errand) == [.look, .look, .look] && turns[0].gate === turns[1].gate)
        #expect(queue.next() == nil)
        queue.end(.look, at: "a")
        #expect(queue.next()?.list == "a3")
    }

    @Test("No list is checked ahead if rules give responses another meaning")
    func notAhead() {
        var queue = queue(["a1", "a2"], ahead: false)
        queue.mayLook = true
        #expect(queue.next()?.list == "a1" && queue.next() == nil)
    }

    @Test("A changed list is run before the others of its host, once that is free")
    func open() throws {
        var queue = queue(["a1", "a2", "a3"])
        queue.mayLook = true
        let (first, second) = (queue.next(), queue.next())
        queue.end(.look, at: "a")
        queue.putBack(try #require(second), as: "a2", isOpen: true, host: "a")
        #expect(queue.next() == nil)
        queue.putBack(try #require(first), as: "a1", isOpen: true, host: "a")
        queue.end(.look, at: "a")
        let turn = queue.next()
        #expect(turn?.list == "a1" && turn?.errand == .run && turn?.isAhead == false)
        queue.end(.run, at: "a")
        #expect(queue.next()?.list == "a2")
        let next = queue.next()
        #expect(next?.list == "a3" && next?.errand == .look && next?.isAhead == true)
    }

    @Test("A response that speaks against more requests holds up the host's next lists until all under way have ended")
    func shut() throws {
        var queue = queue(["a1", "a2", "a3"])
        queue.mayLook = true
        let started = queue.next()
        let first = try #require(started)
        let ahead = queue.next()
        first.gate.shut()
        queue.end(.look, at: "a")
        #expect(queue.next() == nil)
        queue.end(.look, at: "a")
        queue.putBack(try #require(ahead), as: "a2", isOpen: false, host: "a")
        let next = queue.next()
        let second = try #require(next)
        #expect(second.list == "a2" && !second.isAhead && !second.gate.isShut)
        #expect(queue.next()?.isAhead == true)
    }

    @Test("The next list is not checked before the run of one whose response speaks against more requests has ended")
    func shutByCheck() throws {
        var queue = queue(["a1", "a2"])
        queue.mayLook = true
        let started = queue.next()
        let first = try #require(started)
        let ahead = queue.next()
        first.gate.shut()
        queue.end(.look, at: "a")
        queue.putBack(try #require(ahead), as: "a2", isOpen: false, host: "a")
        queue.end(.look, at: "a")
        queue.putBack(first, as: "a1", isOpen: true, host: "a")
        let run = queue.next()
        #expect(run?.list == "a1" && run?.errand == .run && run?.gate.isShut == true)
        #expect(queue.next() == nil)
        queue.end(.run, at: "a")
        let next = queue.next()
        #expect(next?.list == "a2" && next?.gate.isShut == false)
    }

    @Test("A host that is closed has no further list")
    func closed() throws {
        var queue = queue(["a1", "a2", "b1"])
        let first = queue.next()
        #expect(queue.close("a") == [])
        queue.end(.run, at: "a")
        queue.add("a3", host: "a")
        queue.putBack(try #require(first), as: "a1", isOpen: true, host: "a")
        #expect(queue.next()?.list == "b1" && queue.next() == nil)
        queue.end(.run, at: "b")
        queue.end(.run, at: "b")
        #expect(queue.runningCount == 0)
    }

    @Test("No list is checked while too many changed lists wait")
    func backlog() throws {
        var queue = ListQueue<String>(perHost: 1, mayLookAhead: true)
        queue.mayLook = true
        for number in 0..<60 { queue.add("\(number)", host: "host \(number)") }
        var turns: [ListQueue<String>.Turn] = []
        while let turn = queue.next() { turns.append(turn) }
        #expect(turns.count == 60 && queue.lookCount == 60)
        for number in 100..<110 { queue.add("\(number)", host: "host \(number)") }
        for (number, turn) in turns.enumerated() {
            queue.end(.look, at: "host \(number)")
            queue.putBack(turn, as: turn.list, isOpen: true, host: "host \(number)")
        }
        var errands: [ListQueue<String>.Errand] = []
        while let turn = queue.next() { errands.append(turn.errand) }
        #expect(errands == Array(repeating: .run, count: 16))
        #expect(Set(queue.close()) == Set((16..<60).map { "\($0)" }) && queue.next() == nil)
    }

    @Test(
        "Each list is run or looked at until it is done, no host has more than it may, and none waits for ever"
    )
    func arbitrary() {
        typealias Queue = ListQueue<(number: Int, host: String)>
        let seed = UInt64.random(in: 0...(.max))
        var random = SeededGenerator(seed)
        var queue = Queue(perHost: 3, mayLookAhead: true)
        var (added, busy, done): (Int, [Queue.Turn], [Int]) = (0, [], [])
        while done.count < 500 || !busy.isEmpty {
            while added < 500, queue.hasRoom {
                let host = "host \(random.next() % 5)"
                queue.add((added, host), host: host)
                added += 1
            }
            if let turn = queue.next() {
                busy.append(turn)
                let ofHost = busy.filter { $0.list.host == turn.list.host }
                #expect(ofHost.count <= (turn.isAhead ? 4 : 3), "seed \(seed)")
                #expect(turn.errand == .look || !turn.isAhead, "seed \(seed)")
                #expect(busy.count { $0.errand == .run } <= 16, "seed \(seed)")
            } else {
                let turn = busy.remove(at: Int.random(in: busy.indices, using: &random))
                queue.mayLook = true
                queue.end(turn.errand, at: turn.list.host)
                switch turn.errand == .run ? 9 : random.next() % 10 {
                case 0: queue.putBack(turn, as: turn.list, isOpen: true, host: turn.list.host)
                case 1:
                    turn.gate.shut()
                    queue.putBack(turn, as: turn.list, isOpen: false, host: turn.list.host)
                default: done.append(turn.list.number)
                }
            }
            #expect(queue.runningCount + queue.lookCount == busy.count, "seed \(seed)")
        }
        #expect(done.sorted() == Array(0..<500), "seed \(seed)")
    }
}
