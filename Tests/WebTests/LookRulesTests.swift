import Testing

@testable import Editing

@Suite("The rules for looking at a typed feed")
struct LookRulesTests {
    /// The typed texts, with their times in milliseconds, and the looks with theirs.
    private static let cases: [(typed: [(Int, String?)], looks: [String])] = [
        ([(0, nil), (100, nil)], []),
        // Nothing is requested while somebody types.
        ([(0, "a")], ["700 a"]),
        ([(0, "a"), (300, "ab"), (600, "abc")], ["1300 abc"]),
        ([(0, "a"), (800, "ab")], ["700 a", "cancelled", "1500 ab"]),
        // An examined text is not examined again, and a text that is no feed never is.
        ([(0, "a"), (701, "a"), (2000, "a")], ["700 a"]),
        ([(0, "a"), (300, nil)], []),
        ([(0, "a"), (300, nil), (400, "a")], ["1100 a"]),
        ([(0, "a"), (900, nil)], ["700 a", "cancelled"]),
        // A text that is back as it was before the look's end is examined anew.
        ([(0, "a"), (800, "ab"), (900, "a")], ["700 a", "cancelled", "1600 a"]),
        // The same feed again, as where only its name changes, does not put it off.
        ([(0, "a"), (300, "a"), (600, "a")], ["700 a"]),
    ]

    @Test("The latest feed is looked at once it has stood for 0.7 s", arguments: cases)
    func looks(typed: [(Int, String?)], looks: [String]) {
        var rules = LookRules<String>()
        var found: [String] = []
        var alarm: Int?
        func follow(_ effects: [LookRules<String>.Effect], at time: Int) {
            for effect in effects {
                switch effect {
                case .look(let feed): found.append("\(time) \(feed)")
                case .cancel: found.append("cancelled")
                case .wake(let pause): alarm = time + Int(pause / .milliseconds(1))
                }
            }
        }
        func wake(before time: Int) {
            while let due = alarm, due <= time {
                alarm = nil
                follow(rules.woke(at: .milliseconds(due)), at: due)
            }
        }
        for (time, feed) in typed {
            wake(before: time)
            follow(rules.typed(feed, at: .milliseconds(time)), at: time)
        }
        wake(before: .max)
        #expect(found == looks)
    }

    @Test("A look that is replaced is not wanted; one that failed may be made again, one that did not is kept")
    func ended() {
        var rules = LookRules<String>()
        func look(_ feed: String, at seconds: Int) -> [LookRules<String>.Effect] {
            _ = rules.typed(feed, at: .seconds(seconds))
            return rules.woke(at: .seconds(seconds) + LookRules<String>.rest)
        }
        #expect(look("a", at: 0) == [.look("a")])
        #expect(look("b", at: 1) == [.look("b")])
        #expect(rules.ended("a", failed: false) == false)
        #expect(rules.ended("b", failed: true) == true)
        #expect(look("b", at: 3) == [.look("b")])
        #expect(rules.ended("b", failed: false) == true)
        #expect(look("b", at: 5) == [])
    }
}
