import Testing

@testable import Crawling

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

    @Test("A run whose commands are all cancelled is stopped once, and nothing runs after it")
    func allCancelled() {
        var rules = CommandRules()
        #expect(rules.cancelAll() == [])
        _ = rules.send(.reload, 1)
        _ = rules.send(.nextPage, 2)
        #expect(rules.cancelAll() == [.cancel(2), .stop])
        #expect(rules.cancelAll() == [])
        #expect(rules.ended(failed: true) == [.answer([1])])
        #expect(rules.isIdle)
    }

    @Test(
        "A command that arrives while a cancelled run is being stopped does not join it, but runs after it",
        arguments: [RequestCommand.reload, .nextPage], [RequestCommand.reload, .nextPage])
    func arrivesWhileStopping(_ stopped: RequestCommand, _ arrived: RequestCommand) {
        var rules = CommandRules()
        _ = rules.send(stopped, 1)
        #expect(rules.cancel(1) == [.stop])
        #expect(rules.send(arrived, 2) == [])
        #expect(rules.cancel(1) == [])
        #expect(rules.ended(failed: true) == [.answer([1]), .start(arrived)])
        #expect(rules.ended(failed: false) == [.answer([2])])
    }

    @Test(
        "A reload that waits its turn and is cancelled never runs, and the next page that waits behind it does",
        arguments: [true, false])
    func reloadIsCancelled(_ failed: Bool) {
        var rules = CommandRules()
        _ = rules.send(.nextPage, 1)
        _ = rules.send(.reload, 2)
        _ = rules.send(.nextPage, 3)
        #expect(rules.cancel(2) == [.cancel(2)])
        #expect(rules.ended(failed: failed) == [.answer([1]), .start(.nextPage)])
        #expect(rules.ended(failed: false) == [.answer([3])])
    }

    @Test("A next page that waits is no victim of somebody who cancels the reload in flight")
    func reloadInFlightIsCancelled() {
        var rules = CommandRules()
        _ = rules.send(.reload, 1)
        _ = rules.send(.nextPage, 2)
        #expect(rules.cancel(1) == [.stop])
        #expect(rules.ended(failed: true) == [.answer([1]), .start(.nextPage)])
    }

    @Test(
        "Of the next pages that wait, the one of most pages is run for all",
        arguments: [
            ([.nextPage, .allPages], .allPages), ([.allPages, .nextPage], .allPages),
            ([.nextPages(2), .nextPages(5), .nextPages(3)], .nextPages(5)), ([.nextPage, .nextPages(1)], .nextPage),
        ] as [([RequestCommand], RequestCommand)])
    func mostPagesWin(_ waiting: [RequestCommand], _ run: RequestCommand) {
        var rules = CommandRules()
        _ = rules.send(.reload, 0)
        for (index, command) in waiting.enumerated() { #expect(rules.send(command, index + 1) == []) }
        #expect(rules.ended(failed: false) == [.answer([0]), .start(run)])
        #expect(rules.ended(failed: false) == [.answer(Array(1...waiting.count))])
    }

    @Test("Pages that only a cancelled command asked for are not requested")
    func mostPagesAreCancelled() {
        var rules = CommandRules()
        _ = rules.send(.reload, 1)
        _ = rules.send(.nextPage, 2)
        _ = rules.send(.allPages, 3)
        #expect(rules.cancel(3) == [.cancel(3)])
        #expect(rules.ended(failed: false) == [.answer([1]), .start(.nextPage)])
    }

    @Test(
        "A next page joins one in flight only if that one requests as many pages; else it runs after it",
        arguments: [
            (.allPages, .nextPage, true), (.allPages, .allPages, true), (.nextPages(3), .nextPages(3), true),
            (.nextPages(3), .nextPages(2), true), (.nextPage, .allPages, false), (.nextPage, .nextPages(2), false),
            (.nextPages(9), .allPages, false),
        ] as [(RequestCommand, RequestCommand, Bool)])
    func asksForMore(_ inFlight: RequestCommand, _ arrived: RequestCommand, _ joins: Bool) {
        var rules = CommandRules()
        _ = rules.send(inFlight, 1)
        #expect(rules.send(arrived, 2) == [])
        #expect(rules.ended(failed: false) == (joins ? [.answer([1, 2])] : [.answer([1]), .start(arrived)]))
    }

    @Test("A next page that waits for another is dropped with its error if that fails")
    func moreIsDropped() {
        var rules = CommandRules()
        _ = rules.send(.nextPage, 1)
        _ = rules.send(.allPages, 2)
        #expect(rules.ended(failed: true) == [.answer([1]), .drop([2])])
        #expect(rules.isIdle)
    }
}
