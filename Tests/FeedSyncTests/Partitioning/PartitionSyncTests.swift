import Concurrency
import HTTP
import HTTPServer
import ScriptedServer
import SeededGenerator
import Testing

@testable import FeedSync

@Suite("A feed that is partitioned")
struct PartitionSyncTests {
    static let partition =
        #"partition: {query: {q: "n:{from}..{to}"}, by: number, path: when, from: 0, to: 1000"#

    private func bench(
        _ upstream: CappedUpstream, mode: String = "all", verify: String = "auto",
        partition: String = "\(PartitionSyncTests.partition)}",
        paging: String = "pagination: {style: page, size_param: per_page, size: 10, total: total_count}"
    ) async throws -> EngineBench {
        let bench = try await EngineBench(
            members: "query: {q: things}\nsync: {mode: \(mode), verify: \(verify)}\n\(partition)", paging: paging,
            columns: "items: items\nkey: id\ncolumns: {id: id, name: name, when: when}")
        bench.server.route("/things") { upstream.answer($0) }
        return bench
    }

    private static func spread(_ count: Int, seed: UInt64 = 1) -> [CappedUpstream.Item] {
        var random = SeededGenerator(seed)
        return (1...count).map { .init(id: $0, value: Int.random(in: 0...1000, using: &random)) }
    }

    private func ids(_ bench: EngineBench) throws -> Set<Int> {
        Set(try bench.query("SELECT id FROM things WHERE _removed_at IS NULL").compactMap { Int($0) })
    }

    @Test(
        "A partitioned feed is complete where the upstream serves only a part of it: each partition is under the cap",
        arguments: ["", ", cap: 40"], ["new", "all"])
    func complete(cap: String, mode: String) async throws {
        let upstream = CappedUpstream(Self.spread(333))
        let bench = try await bench(upstream, mode: mode, partition: "\(Self.partition)\(cap)}")
        let summary = try await bench.engine.perform(.sync)
        #expect(summary.reason == nil)
        #expect(try ids(bench) == upstream.ids)
        #expect(try bench.feed("complete, no_more_data, item_count") == "1|1|333")
        #expect(grammarFault(try bench.log) == nil)
    }

    @Test(
        "A single value whose total is the most that the upstream serves is not verified: it may count no further",
        arguments: [9, 10, 12])
    func totalOfCap(count: Int) async throws {
        let upstream = CappedUpstream((1...count).map { .init(id: $0, value: 500) }, cap: 10)
        let bench = try await bench(upstream, partition: "\(Self.partition), cap: 10}")
        bench.server.route("/things") { request in
            var response = upstream.answer(request)
            let text = String(decoding: response.body, as: UTF8.self)
            response.body = Array(text.replacing("\"total_count\":12", with: "\"total_count\":10").utf8)
            return response
        }
        for _ in 1...2 {
            #expect(try await bench.sync().reason == nil)
            #expect(try bench.feed("complete, verified, item_count") == (count == 9 ? "1|1|9" : "1|0|10"))
        }
    }

    @Test(
        "A partition that shows one item twice in place of another is not verified, and no row goes",
        arguments: [true, false], [1, 2])
    func itemTwice(saysTotal: Bool, from sync: Int) async throws {
        let upstream = CappedUpstream((1...47).map { .init(id: $0, value: $0 * 20) })
        upstream.edit { $0.saysTotal = saysTotal }
        let bench = try await bench(upstream)
        let syncs = Lock(0)
        bench.server.route("/things") { request in
            var response = upstream.answer(request)
            if request.parameter("page") == "2", syncs.withLock({ $0 }) >= sync {
                let text = String(decoding: response.body, as: UTF8.self)
                // Item 40 comes on the first page, and here again.
                let (item, other) = (
                    #"{"id":30,"name":"item 30","when":600}"#, #"{"id":40,"name":"item 40","when":800}"#
                )
                response.body = Array(text.replacing(item, with: other).utf8)
                response.headers.removeAll { $0.name == "ETag" }
            }
            return response
        }
        for number in 1...3 {
            syncs.withLock { $0 = number }
            let summary = try await bench.sync()
            #expect(summary.reason == (number == sync ? .drift : nil))
            #expect(try bench.feed("verified") == (number < sync ? "1" : "0"))
            #expect(try ids(bench).count == (sync == 1 ? 46 : 47))
        }
    }

    @Test("Partitions whose totals count no further than the upstream serves are halved, and come whole")
    func totalsUpToCap() async throws {
        let upstream = CappedUpstream((1...333).map { .init(id: $0, value: $0 * 3) })
        let bench = try await bench(upstream, partition: "\(Self.partition), cap: 40}")
        bench.server.route("/things") { request in
            var response = upstream.answer(request)
            var text = String(decoding: response.body, as: UTF8.self)
            for total in 41...333 { text = text.replacing("\"total_count\":\(total),", with: "\"total_count\":40,") }
            response.body = Array(text.utf8)
            return response
        }
        for _ in 1...2 {
            #expect(try await bench.sync().reason == nil)
            #expect(try ids(bench) == upstream.ids)
            #expect(try bench.feed("complete, verified") == "1|1")
        }
    }

    @Test("A partition that has more pages when its only one is asked for again is not complete until they are read")
    func outgrownSince() async throws {
        let bench = try await EngineBench(
            members: """
                query: {q: things}
                sync: {mode: since, param: since, from: at, full: never, verify: always}
                partition: {query: {q: "n:{from}..{to}"}, by: number, path: part, from: 0, to: 255, total: total}
                """, paging: "pagination: link", columns: "items: items\nkey: id\ncolumns: {id: id, at: at}")
        let count = Lock(0)
        bench.server.route("/things") { request in
            let number = count.withLock { count in
                count += 1
                return count
            }
            let page = { (total: Int, ids: [Int]) in
                let items = ids.map { #"{"id":\#($0),"at":\#($0),"part":\#(250 - $0)}"# }.joined(separator: ",")
                return #"{"total":\#(total),"items":[\#(items)]}"#
            }
            if number <= 2 { return .json(page(2, [1, 3])) }
            if number == 3 { return .json(page(1, [4])) }
            if request.parameter("page") == "2" { return .json(page(6, [7, 5])) }
            let link = (name: "Link", value: "</things?page=2&q=things%20n:0..255>; rel=\"next\"")
            return .json(page(6, [6, 9, 10, 4]), headers: [link])
        }
        try await bench.sync()
        #expect(try await bench.sync().reason == .drift)
        #expect(try await bench.sync().reason == nil)
        #expect(try ids(bench) == [1, 3, 4, 5, 6, 7, 9, 10])
    }

    @Test("A partition whose page left items out is not complete, though the partition leads on")
    func leftOut() async throws {
        let upstream = CappedUpstream(Self.spread(60))
        let bench = try await bench(upstream)
        let isLate = Lock(true)
        bench.server.route("/things") { request in
            var response = upstream.answer(request)
            let leadsOn = String(decoding: response.body, as: UTF8.self).contains(#""more":true"#)
            guard leadsOn, isLate.withLock({ $0 }) else { return response }
            response.body = Array(#"{"timed_out":true,"#.utf8) + response.body.dropFirst()
            response.headers = response.headers.filter { $0.name != "ETag" }
            return response
        }
        #expect(try await bench.sync().reason == .upstreamIncomplete)
        #expect(try bench.feed("complete") == "0")
        isLate.withLock { $0 = false }
        #expect(try await bench.sync().reason == nil)
        #expect(try bench.feed("complete, item_count") == "1|60")
    }

    @Test("A partition that says that it is truncated is complete in its halves")
    func truncated() async throws {
        let bench = try await EngineBench(
            members: """
                sync: {mode: all}
                partition: {query: {q: "n:{from}..{to}"}, by: number, path: when, from: 0, to: 1023, cap: 10}
                """, paging: "pagination: none", columns: "items: items\nkey: id\ncolumns: {id: id, when: when}")
        bench.server.route("/things") { request in
            let ends = (request.parameter("q") ?? "").dropFirst(2).split(separator: ".").compactMap { Int($0) }
            let met = (1...25).filter { ends.count == 2 && $0 * 40 >= ends[0] && $0 * 40 <= ends[1] }
            let items = met.prefix(10).map { #"{"id":\#($0),"when":\#($0 * 40)}"# }.joined(separator: ",")
            return .json(#"{"truncated":\#(met.count > 10),"items":[\#(items)]}"#)
        }
        #expect(try await bench.sync().reason == nil)
        #expect(try bench.feed("complete, item_count") == "1|25")
    }

    @Test("A partitioned feed with a cap that is given is complete although the upstream says no total")
    func withoutTotal() async throws {
        let upstream = CappedUpstream(Self.spread(333))
        upstream.edit { $0.saysTotal = false }
        let bench = try await bench(upstream, partition: "\(Self.partition), cap: 40}")
        // A partition that ends at an error proves little until another crawl ends alike.
        _ = try await bench.engine.perform(.sync)
        #expect(try await bench.engine.perform(.sync).reason == nil)
        #expect(try ids(bench) == upstream.ids)
    }

    @Test("A partitioned feed keeps what the query says, with the partition behind it")
    func keepsQuery() async throws {
        let upstream = CappedUpstream(Self.spread(20))
        let bench = try await bench(upstream)
        _ = try await bench.engine.perform(.sync)
        #expect(upstream.requests.first == "things n:0..1000 #1")
    }

    @Test("A partitioned feed comes newest partition first, whatever the partitions are")
    func order() async throws {
        let upstream = CappedUpstream(Self.spread(333))
        let bench = try await bench(upstream, partition: "\(Self.partition), cap: 40}")
        _ = try await bench.engine.perform(.sync)
        let values = try bench.query("SELECT \"when\" FROM things ORDER BY _generation DESC, _position").map {
            Int($0) ?? 0
        }
        #expect(values == values.sorted(by: >))
    }

    @Test("A sync of an unchanged partitioned feed in mode `all` is one 304 a page: the partitions stay the same")
    func unchanged() async throws {
        let upstream = CappedUpstream(Self.spread(333))
        let bench = try await bench(upstream, partition: "\(Self.partition), cap: 40}")
        _ = try await bench.engine.perform(.sync)
        let first = upstream.requests
        let rows = try bench.query("SELECT * FROM things")
        let summary = try await bench.engine.perform(.sync)
        #expect(summary.outcome == .unchanged && summary.reason == nil)
        let again = Array(upstream.requests.dropFirst(first.count))
        #expect(Set(again).isSubset(of: Set(first)) && again.count <= first.count)
        #expect(try bench.query("SELECT * FROM things") == rows)
    }

    @Test("A sync of a partitioned feed in mode `new` stops at a synced range, in its newest partition")
    func syncedRange() async throws {
        let upstream = CappedUpstream(Self.spread(333))
        let bench = try await bench(upstream, mode: "new", partition: "\(Self.partition), cap: 40}")
        _ = try await bench.engine.perform(.sync)
        let count = upstream.requests.count
        upstream.edit { $0.items.append(.init(id: 900, value: 1000)) }
        #expect(try await bench.engine.perform(.sync).reason == nil)
        #expect(upstream.requests.count - count <= 5)
        #expect(try ids(bench) == upstream.ids)
    }

    @Test("An interrupted sync continues in its partition", arguments: [4, 11, 20, 33])
    func resumption(request: Int) async throws {
        let upstream = CappedUpstream(Self.spread(333))
        let bench = try await bench(upstream)
        upstream.edit { $0.failing = (request, 1) }
        _ = try await bench.failure(.sync)
        let next = try bench.feed("next_page")
        let count = upstream.requests.count
        var reason = try await bench.engine.perform(.sync).reason
        if !next.isEmpty, let part = next.split(separator: ",").first {
            let asked = upstream.requests[count...].prefix(5)
            #expect(asked.contains { $0.hasPrefix("things n:\(part)") }, "behind the head: \(asked)")
        }
        if reason != nil { reason = try await bench.engine.perform(.sync).reason }
        #expect(reason == nil)
        #expect(try ids(bench) == upstream.ids)
    }

    @Test(
        "A partitioned feed on a budget is complete when the requests of a crawl are spent, two of each run left out",
        arguments: [3, 4, 6, 10], ["new", "all"])
    func budget(requests: Int, mode: String) async throws {
        for cap in ["", ", cap: 40"] {
            let upstream = CappedUpstream(Self.spread(333))
            let partition = "\(Self.partition)\(cap)}"
            let whole = try await bench(upstream, mode: mode, partition: partition)
            _ = try await whole.engine.perform(.sync)
            let pages = upstream.requests.count
            let bench = try await bench(upstream, mode: mode, partition: partition)
            var runs = 0
            while try bench.feed("complete") != "1", runs < 200 {
                runs += 1
                var options = EngineBench.options
                options.client = Client(userAgent: "feedsync-tests", budget: RequestBudget(requests: requests))
                _ = try? await bench.another(options: options).perform(.sync)
            }
            #expect(try ids(bench) == upstream.ids)
            // A run that ends while it divides a partition leaves the next one to find out how large it is.
            let most = pages * 3 / 2
            #expect(runs <= (most + requests - 3) / (requests - 2) + 1, "\(pages) requests, \(cap)")
        }
    }

    @Test(
        "A single value with more than the upstream serves is a cap; the rest comes all the same, and nothing is removed"
    )
    func singleValue() async throws {
        let crowd = (1000...1059).map { CappedUpstream.Item(id: $0, value: 500) }
        let upstream = CappedUpstream(Self.spread(200) + crowd)
        let bench = try await bench(upstream)
        let summary = try await bench.engine.perform(.sync)
        #expect(summary.reason == .cap)
        #expect(summary.expectedCount == 260)
        let stored = try ids(bench)
        #expect(stored.isSuperset(of: 1...200) && stored.count < 260)
        upstream.edit { $0.items.removeAll { $0.id == 7 } }
        #expect(try await bench.engine.perform(.sync).reason == .cap)
        #expect(try ids(bench).contains(7))
    }

    @Test("A learned cap is dropped once the upstream serves more")
    func wrongCap() async throws {
        let crowd = { (ids: ClosedRange<Int>) in ids.map { CappedUpstream.Item(id: $0, value: 500) } }
        let upstream = CappedUpstream(crowd(1...20))
        let bench = try await bench(upstream)
        // Two full pages, and a total that nothing comes up to.
        upstream.edit { $0.surplus = 5 }
        #expect(try await bench.sync().reason == .cap)
        upstream.edit { state in
            state.surplus = 0
            state.items = crowd(1...30)
        }
        #expect(try await bench.sync().reason == nil)
        #expect(try ids(bench) == upstream.ids)
    }

    @Test("A page that is as it was stored says nothing of a total that another page had said")
    func staleTotal() async throws {
        let upstream = CappedUpstream(Self.spread(25))
        let bench = try await bench(
            upstream, partition: "\(Self.partition), total: total_count}",
            paging: "pagination: {style: page, size_param: per_page, size: 10}")
        // The fourth page, which is empty, comes with fewer than have been met.
        upstream.edit { state in
            state.beforePage = { state, count in
                if count == 4 { state.items.removeAll { $0.id > 22 } }
            }
        }
        _ = try await bench.sync()
        _ = try await bench.sync()
        #expect(try await bench.sync().reason == nil)
        #expect(try ids(bench) == upstream.ids)
    }

    @Test(
        "A partition that outgrows the cap while it is asked again is halved by the next sync",
        arguments: ["", ", cap: 40"])
    func outgrown(cap: String) async throws {
        let upstream = CappedUpstream(Self.spread(41))
        let bench = try await bench(upstream, partition: "\(Self.partition)\(cap)}")
        // The cap is learned, if it is to be.
        _ = try await bench.sync()
        upstream.edit { $0.items.removeFirst(8) }
        _ = try await bench.sync()
        let before = upstream.requests.count
        upstream.edit { state in
            state.items.removeLast()
            // Behind the last page of the crawl; the first one is asked again then.
            state.beforePage = { state, count in
                if count == before + 5 { state.items += Self.spread(60).suffix(12) }
            }
        }
        _ = try await bench.sync()
        upstream.edit { $0.beforePage = nil }
        for _ in 0..<2 { _ = try await bench.sync() }
        #expect(try bench.feed("complete") == "1")
        #expect(try ids(bench) == upstream.ids)
    }

    @Test(
        "A part that grew to the cap while it was read is not complete, though its pages are at rest when asked again")
    func grownToCap() async throws {
        let upstream = CappedUpstream(Self.spread(35).map { .init(id: $0.id, value: max($0.value, 10)) })
        upstream.edit { state in
            state.saysTotal = false
            // Behind the last item: those that come first push the one that comes last out of what is served.
            state.beforePage = { state, count in
                guard count == 5 else { return }
                state.items += (101...105).map { .init(id: $0, value: 1000) } + [.init(id: 106, value: 1)]
            }
        }
        let bench = try await bench(
            upstream, mode: "new", verify: "always", partition: "\(Self.partition), cap: 40}",
            paging: "pagination: {style: page, size_param: per_page, size: 10}")
        #expect(try await bench.sync().reason == .drift)
        #expect(try await bench.sync().reason == nil)
        #expect(try ids(bench) == upstream.ids)
    }

    @Test(
        "A partition that goes on by now behind what was its last page is not complete, though that page is as it was")
    func grownBehindItsEnd() async throws {
        let upstream = CappedUpstream(
            (1...20).map { .init(id: $0, value: 600 + $0) } + (21...55).map { .init(id: $0, value: $0) })
        upstream.edit { state in
            // All have come; the first partition's pages are asked for once more.
            state.beforePage = { state, count in
                if count == 8 { state.items.append(.init(id: 101, value: 550)) }
            }
        }
        let bench = try await bench(upstream, verify: "always", partition: "\(Self.partition), cap: 40}")
        #expect(try await bench.sync().reason == .drift)
        #expect(upstream.requests[7] == "things n:512..1000 #1")
        #expect(try await bench.sync().reason == nil)
        #expect(try ids(bench) == upstream.ids)
    }

    @Test("A partition that goes on by now is not complete, also if a page before its last was rewritten meanwhile")
    func grownBehindItsEndAndBefore() async throws {
        let upstream = CappedUpstream((1...20).map { .init(id: $0, value: 600 + $0) })
        upstream.edit { state in
            // Both pages have come; the first is asked for once more, and the last item is on a third one by now.
            state.beforePage = { state, count in
                if count == 3 { state.items += [.init(id: 101, value: 700), .init(id: 102, value: 550)] }
            }
        }
        let bench = try await bench(upstream, verify: "always", partition: "\(Self.partition), cap: 40}")
        _ = try await bench.sync()
        #expect(try await bench.sync().reason == nil)
        #expect(try ids(bench) == upstream.ids)
    }

    @Test("A page of a partition that grew to the cap is asked for anew: its entity tag is not that of what is stored")
    func outgrownValidators() async throws {
        let upstream = CappedUpstream((1...39).map { .init(id: $0 + 100, value: 5) })
        upstream.edit { state in
            state.saysTotal = false
            // All have come; the first page is asked for once more.
            state.beforePage = { state, count in
                guard count == 5 else { return }
                state.items.removeLast()
                state.items += [.init(id: 1, value: 5), .init(id: 2, value: 5)]
            }
        }
        let bench = try await bench(
            upstream, mode: "new", verify: "always",
            partition: #"partition: {query: {q: "n:{from}..{to}"}, by: number, path: when, from: 5, to: 5, cap: 40}"#,
            paging: "pagination: {style: page, size_param: per_page, size: 10, more: more}")
        _ = try await bench.sync()
        #expect(upstream.requests[4] == "things n:5..5 #1")
        _ = try await bench.sync()
        #expect(try ids(bench).isSuperset(of: upstream.ids))
    }

    @Test("A half of a partition may begin with pages that the whole ended with")
    func samePages() async throws {
        let bench = try await bench(
            CappedUpstream([]), partition: "\(Self.partition), cap: 3}", paging: "pagination: page")
        let values: [(value: Int, item: String)] = [
            (500, "null"), (400, #"{"id":1,"when":400}"#), (300, "null"), (100, #"{"id":2,"when":100}"#),
        ]
        bench.server.route("/things") { request in
            let ends = (request.parameter("q") ?? "").split { !$0.isNumber }.compactMap { Int($0) }
            let page = request.parameter("page").flatMap { Int($0) } ?? 1
            let items = values.filter { ends.count == 2 && $0.value >= ends[0] && $0.value <= ends[1] }.map(\.item)
            return .json("{\"items\":[\(items.dropFirst(page - 1).prefix(1).joined())]}")
        }
        #expect(try await bench.sync().reason == nil)
        #expect(try ids(bench) == [1, 2])
    }

    @Test("A partitioned feed loses and returns rows as the upstream does, once every partition is complete")
    func removal() async throws {
        let upstream = CappedUpstream(Self.spread(333))
        let bench = try await bench(upstream)
        _ = try await bench.engine.perform(.sync)
        upstream.edit { $0.items.removeAll { $0.id % 50 == 0 } }
        #expect(try await bench.engine.perform(.sync).figures.items.removed == 6)
        #expect(try ids(bench) == upstream.ids)
    }

    @Test(
        "Partitions without totals lose a page of rows when two syncs find them short: one may be a mistake",
        arguments: [0, 250])
    func emptyPartitions(first: Int) async throws {
        let upstream = CappedUpstream((1...60).map { .init(id: $0, value: $0 * 16) })
        upstream.edit { $0.saysTotal = false }
        let bench = try await bench(upstream, partition: "\(Self.partition), cap: 40}")
        for _ in 1...2 { _ = try await bench.sync() }
        #expect(try bench.feed("item_count, complete") == "60|1")
        let all = upstream.state.withLock(\.items)
        for _ in 1...2 {
            upstream.edit { $0.items.removeAll { first...500 ~= $0.value } }
            #expect(try await bench.sync().reason == .cutOff)
            #expect(try ids(bench) == Set(1...60))
            upstream.edit { $0.items = all }
            #expect(try await bench.sync().reason == nil)
            #expect(try ids(bench) == upstream.ids)
        }
        upstream.edit { $0.items.removeAll { first...500 ~= $0.value } }
        for _ in 1...2 { _ = try await bench.sync() }
        #expect(try bench.feed("complete") == "1")
        #expect(try ids(bench) == upstream.ids)
    }

    @Test("Items that move to the newest partition while older ones are read are not removed")
    func movingItem() async throws {
        let upstream = CappedUpstream(Self.spread(333))
        let bench = try await bench(upstream, partition: "\(Self.partition), cap: 40}")
        _ = try await bench.engine.perform(.sync)
        let before = upstream.requests.count
        upstream.edit { state in
            state.beforePage = { state, count in
                guard count == before + 12,
                    let index = state.items.indices.min(by: { state.items[$0].value < state.items[$1].value })
                else { return }
                state.items[index].value = 1000
            }
        }
        _ = try await bench.engine.perform(.sync)
        #expect(try bench.query("SELECT count(*) FROM things WHERE _removed_at IS NOT NULL") == ["0"])
        #expect(try ids(bench) == upstream.ids)
    }

    @Test(
        "A partitioned feed survives totals that are beyond any sum, and is not complete", arguments: ["", ", cap: 40"])
    func enormousTotal(cap: String) async throws {
        let bench = try await bench(CappedUpstream([]), partition: "\(Self.partition)\(cap)}")
        bench.server.route("/things") { request in
            let items = request.parameter("q")?.hasSuffix("1000") == true ? #"{"id":1,"name":"a","when":1000}"# : ""
            return .json("{\"total_count\":\(Int.max),\"items\":[\(items)]}")
        }
        let summary = try await bench.engine.perform(.reload)
        #expect(summary.outcome != .failed)
        _ = try? await bench.engine.perform(.allPages)
        #expect(try bench.feed("complete") == "0")
    }

    @Test("An upstream that passes over the range is reported, and is not asked for ever")
    func ignoredRange() async throws {
        let upstream = CappedUpstream(Self.spread(333))
        upstream.edit { $0.passesOverRange = true }
        let bench = try await bench(upstream, partition: "\(Self.partition), cap: 40}")
        let error = try await bench.failure(.sync)
        #expect(error.kind == .unfollowable)
        #expect(error.message.contains("ignore what `partition` puts into the query parameter `q`"))
        #expect(upstream.requests.count < 20)
    }

    @Test("`more` and `reload` go by the same partitions")
    func moreAndReload() async throws {
        let upstream = CappedUpstream(Self.spread(333))
        let bench = try await bench(upstream, partition: "\(Self.partition), cap: 40}")
        try await bench.reload()
        #expect(try bench.feed("next_page").contains("..1000, 2"))
        try await bench.more(.allPages)
        #expect(try ids(bench) == upstream.ids)
        #expect(try bench.feed("complete") == "1")
    }

    @Test("A partitioned feed comes whole whatever it is made of", arguments: 1...20)
    func anyUpstream(seed: UInt64) async throws {
        var random = SeededGenerator(seed)
        let count = Int.random(in: 1...150, using: &random)
        // Crowded in places, but no single value beyond the cap.
        let width = Int.random(in: 5...1000, using: &random)
        var items: [CappedUpstream.Item] = []
        var crowd: [Int: Int] = [:]
        for id in 1...count {
            let value = min(1000, Int.random(in: 0...width, using: &random))
            guard crowd[value, default: 0] < 40 else { continue }
            crowd[value, default: 0] += 1
            items.append(.init(id: id, value: value))
        }
        let upstream = CappedUpstream(items)
        let knowsCap = Bool.random(using: &random)
        let bench = try await bench(
            upstream, mode: Bool.random(using: &random) ? "new" : "all",
            partition: "\(Self.partition)\(knowsCap ? ", cap: 40" : "")}")
        #expect(try await bench.engine.perform(.sync).reason == nil, "seed \(seed)")
        #expect(try ids(bench) == upstream.ids, "seed \(seed)")
    }
}
