import Testing

@testable import FeedSync

@Suite("The rules of a run")
struct RunRulesTests {
    @Test("A page that was not as it was has the one behind it asked again, too: what was on it may be there now")
    func pushedDown() {
        var rules = RunRules(.sync, mode: .new, isShifting: true)
        #expect(rules.opened(ResumePoint(isLoaded: false)) == .fetch(.header, nil))
        let next = PageCursor("2")
        _ = rules.committed(.init(number: 1, isUnchanged: false, adjoins: false, next: next))
        let end = rules.committed(.init(number: 2, isUnchanged: false, adjoins: false))
        #expect(end == .check(1))
        #expect(rules.checked(1, .mended) == .check(1))
        #expect(rules.checked(1, .same) == .check(2))
        #expect(rules.checked(2, .same) == .end(.ok, .complete))
    }

    @Test(
        "So have those behind later pages that look the same: what moved up to them may have been pushed down with it")
    func pushedDownFurther() {
        var rules = RunRules(.sync, mode: .new, isShifting: true)
        _ = rules.opened(ResumePoint(isLoaded: false))
        for (number, next) in [(1, "2"), (2, "3")] {
            _ = rules.committed(
                .init(number: number, isUnchanged: false, adjoins: false, next: PageCursor(next)))
        }
        #expect(rules.committed(.init(number: 3, isUnchanged: false, adjoins: false)) == .check(1))
        #expect(rules.checked(1, .mended) == .check(2))
        #expect(rules.checked(2, .same) == .check(1))
        #expect(rules.checked(1, .same) == .check(2))
        #expect(rules.checked(2, .same) == .check(3))
        #expect(rules.checked(3, .same) == .end(.ok, .complete))
    }

    @Test(
        "What the last page pushed down, or cut loose, ends the crawl as drift; on another one it is looked for behind it",
        arguments: [RunRules.Check.pushedDown, .cutLoose])
    func pushedOut(result: RunRules.Check) {
        func checking() -> RunRules {
            var rules = RunRules(.sync, mode: .new, isShifting: true)
            _ = rules.opened(ResumePoint(isLoaded: false))
            _ = rules.committed(.init(number: 1, isUnchanged: false, adjoins: false, next: PageCursor("2")))
            _ = rules.committed(.init(number: 2, isUnchanged: false, adjoins: false))
            return rules
        }
        var first = checking()
        #expect(first.checked(1, result) == .check(1))
        #expect(first.checked(1, .same) == .check(2))
        #expect(first.isLast(2) && !first.isLast(1))
        #expect(first.checked(2, .same) == .end(.ok, .complete))
        var last = checking()
        _ = last.checked(1, .mended)
        _ = last.checked(1, .same)
        #expect(last.checked(2, result) == .end(.ok, .incomplete(.drift)))
    }
}
