import Testing

@testable import FeedSync

@Suite("Commands that meet on one feed")
struct CommandRulesTests {
    @Test(
        "A reload joins the reload in flight, a next page the next page in flight",
        arguments: [RequestCommand.reload, .nextPage])
    func joins(_ command: RequestCommand) {
        var rules = CommandRules()
        #expect(rules.send(command, 1) == [.start(command)])
        #expect(rules.send(command, 2) == [])
        #expect(rules.ended(failed: false) == [.answer([1, 2])])
        #expect(rules.isIdle)
    }

    @Test("A reload stops the next page in flight, and starts when it has ended", arguments: [true, false])
    func reloadWins(_ failed: Bool) {
        var rules = CommandRules()
        _ = rules.send(.allPages, 1)
        #expect(rules.send(.reload, 2) == [.stop])
        #expect(rules.send(.reload, 3) == [])
        #expect(rules.ended(failed: failed) == [.answer([1]), .start(.reload)])
        #expect(rules.ended(failed: false) == [.answer([2, 3])])
        #expect(rules.isIdle)
    }

    @Test("A next page runs after the reload in flight, once")
    func nextPageWaits() {
        var rules = CommandRules()
        _ = rules.send(.reload, 1)
        #expect(rules.send(.nextPage, 2) == [])
        #expect(rules.send(.nextPage, 3) == [])
        #expect(rules.ended(failed: false) == [.answer([1]), .start(.nextPage)])
        #expect(rules.ended(failed: false) == [.answer([2, 3])])
    }

    @Test("A next page is dropped with the reload's error if that fails")
    func nextPageIsDropped() {
        var rules = CommandRules()
        _ = rules.send(.reload, 1)
        _ = rules.send(.nextPage, 2)
        #expect(rules.ended(failed: true) == [.answer([1]), .drop([2])])
        #expect(rules.isIdle)
    }

    @Test("A next page that arrives while one is stopped for a reload runs after the reload")
    func nextPageAfterStopping() {
        var rules = CommandRules()
        _ = rules.send(.nextPage, 1)
        _ = rules.send(.reload, 2)
        #expect(rules.send(.nextPage, 3) == [])
        #expect(rules.ended(failed: true) == [.answer([1]), .start(.reload)])
        #expect(rules.ended(failed: false) == [.answer([2]), .start(.nextPage)])
        #expect(rules.ended(failed: false) == [.answer([3])])
    }

    @Test("A run that nobody waits for any more is stopped, one that somebody else waits for goes on")
    func cancelled() {
        var rules = CommandRules()
        _ = rules.send(.reload, 1)
        _ = rules.send(.reload, 2)
        #expect(rules.cancel(1) == [.cancel(1)])
        #expect(rules.cancel(2) == [.stop])
        #expect(rules.ended(failed: true) == [.answer([2])])
        #expect(rules.cancel(2) == [])
    }

    @Test("A command that waits its turn and is cancelled never runs")
    func cancelledInQueue() {
        var rules = CommandRules()
        _ = rules.send(.nextPage, 1)
        _ = rules.send(.reload, 2)
        _ = rules.send(.nextPage, 3)
        #expect(rules.cancel(2) == [.cancel(2)])
        #expect(rules.ended(failed: false) == [.answer([1]), .start(.nextPage)])
        #expect(rules.ended(failed: false) == [.answer([3])])
    }
}
