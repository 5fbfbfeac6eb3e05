import Testing

@testable import FeedSync

@Suite("The search of typed text")
struct SearchRulesTests {
    /// Texts with the milliseconds at which they were typed, and the requests with theirs.
    private static let cases: [(typed: [(Int, String)], requests: [String])] = [
        ([(0, "s"), (100, "sw")], []),
        ([(0, "swi")], ["0 swi"]),
        // Characters count, not bytes.
        ([(0, "äö")], []),
        ([(0, "äöü")], ["0 äöü"]),
        // The first at once, the latest of the others when half a second is over.
        ([(0, "swi"), (100, "swif"), (200, "swift")], ["0 swi", "500 swift"]),
        ([(0, "swi"), (500, "swif"), (999, "swift")], ["0 swi", "500 swif", "1000 swift"]),
        ([(0, "swi"), (800, "swif")], ["0 swi", "800 swif"]),
        // The same text is requested once.
        ([(0, "swi"), (600, "swi")], ["0 swi"]),
        ([(0, "swi"), (100, "swif"), (200, "swi")], ["0 swi"]),
        // A waiting search is dropped when the text becomes too short.
        ([(0, "swi"), (100, "swif"), (200, "sw")], ["0 swi"]),
        ([(0, "swi"), (100, "swif"), (200, "sw"), (300, "swim")], ["0 swi", "500 swim"]),
        // A request that was cancelled by it is made again, no earlier than half a second after.
        ([(0, "swi"), (100, "sw"), (200, "swi")], ["0 swi", "500 swi"]),
        ([(0, "swi"), (100, ""), (800, "swi")], ["0 swi", "800 swi"]),
    ]

    @Test("The latest text wins, at most once in half a second", arguments: cases)
    func requests(typed: [(Int, String)], requests: [String]) {
        var rules = SearchRules()
        var found: [String] = []
        var alarm: Int?
        func follow(_ effects: [SearchRules.Effect], at time: Int) {
            for effect in effects {
                switch effect {
                case .request(let text): found.append("\(time) \(text)")
                case .wake(let pause): alarm = time + Int(pause / .milliseconds(1))
                case .cancel: break
                }
            }
        }
        func wake(before time: Int) {
            guard let due = alarm, due <= time else { return }
            alarm = nil
            follow(rules.woke(at: .milliseconds(due)), at: due)
        }
        for (time, text) in typed {
            wake(before: time)
            follow(rules.typed(text, at: .milliseconds(time)), at: time)
        }
        wake(before: .max)
        #expect(found == requests)
    }

    @Test("The length and the pause are those of the search")
    func limits() {
        var rules = SearchRules(least: 2, interval: .seconds(2))
        #expect(rules.typed("中", at: .zero) == [])
        #expect(rules.typed("中文", at: .zero) == [.request("中文")])
        #expect(rules.typed("中文字", at: .seconds(1)) == [.wake(after: .seconds(1))])
        #expect(rules.woke(at: .seconds(2)) == [.request("中文字")])
        var none = SearchRules(least: 0, interval: .seconds(-1))
        #expect(none.typed("", at: .zero) == [])
        #expect(none.typed("a", at: .zero) == [.request("a")])
        #expect(none.typed("ab", at: .zero) == [.request("ab")])
    }

    @Test("Spaces around a text do not count")
    func spaces() {
        var rules = SearchRules()
        #expect(rules.typed(" swift", at: .zero) == [.request("swift")])
        #expect(rules.typed("swift ", at: .seconds(1)) == [])
        #expect(rules.typed("s  ", at: .seconds(2)) == [.cancel])
    }

    @Test("The results of an older text are not wanted; a text that failed may be searched for again")
    func ended() {
        var rules = SearchRules()
        #expect(rules.typed("swi", at: .zero) == [.request("swi")])
        #expect(rules.typed("swift", at: .seconds(1)) == [.request("swift")])
        #expect(rules.ended("swi", failed: false) == false)
        #expect(rules.ended("swift", failed: true) == true)
        #expect(rules.typed("swift", at: .seconds(2)) == [.request("swift")])
    }

    @Test("A text that is too short cancels the request, whose results are not wanted", arguments: ["", "sw"])
    func short(text: String) {
        var rules = SearchRules()
        #expect(rules.typed("swi", at: .zero) == [.request("swi")])
        #expect(rules.typed(text, at: .milliseconds(100)) == [.cancel])
        #expect(rules.ended("swi", failed: false) == false)
        // There is nothing left to cancel.
        #expect(rules.typed(text, at: .milliseconds(200)) == [])
    }

    @Test("Search results are kept while the text is too short: they are not requested again")
    func found() {
        var rules = SearchRules()
        #expect(rules.typed("swi", at: .zero) == [.request("swi")])
        #expect(rules.ended("swi", failed: false) == true)
        #expect(rules.typed("sw", at: .seconds(1)) == [])
        #expect(rules.typed("swi", at: .seconds(2)) == [])
    }
}
