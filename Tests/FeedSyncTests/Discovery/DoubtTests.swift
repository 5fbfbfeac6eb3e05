import Concurrency
import HTTPServer
import ScriptedServer
import Testing

@testable import Upstream

private func number(_ request: ServerRequest, _ name: String) -> Int? { request.parameter(name).flatMap { Int($0) } }

private func page(_ start: Int, _ members: String = "") -> ServerResponse {
    .json(#"{\#(members)"items":[\#(DiscoveryBench.items(start))]}"#)
}

@Suite("Structures that only look like those of a feed")
struct DoubtTests {
    @Test("An upstream that gives other items at every request heeds no parameter")
    func random() async throws {
        let bench = try DiscoveryBench()
        bench.server.route("/things") { _ in
            let items = (0..<10).map { _ in #"{"uuid":"\#(UInt64.random(in: 1 << 60 ... .max))x"}"# }
            return .json("[\(items.joined(separator: ","))]")
        }
        let found = try await bench.discover()
        #expect(found.findings.pagination == nil)
        #expect(found.paginationEvidence?.text.contains("the first page is different each time") == true)
    }

    @Test("A page that calls itself 1 where it is asked for as 0 loses no page", arguments: ["", #""total":35,"#])
    func countedFromElsewhere(total: String) async throws {
        let bench = try DiscoveryBench()
        bench.server.route("/things") { request in
            let page = number(request, "page") ?? 0
            return FeedSyncTests.page(page * 10, #""page":\#(page + 1),\#(total)"#)
        }
        let found = try await bench.discover()
        #expect(found.findings.pagination?.hasSuffix(", first: 0}") == true)
        #expect(bench.queries == ["", "page=2", "page=1", "page=0", "per_page=100&page=0"])
    }

    @Test(
        "Figures of something else end nothing and are not recorded",
        arguments: [
            #""quota":{"total":12},"#, #""book":{"pages":1},"#, #""book":{"pages":2},"#, #""user":{"total":10},"#,
        ])
    func figuresElsewhere(members: String) async throws {
        let bench = try DiscoveryBench()
        bench.server.route("/things") { page(((number($0, "page") ?? 1) - 1) * 10, members) }
        let found = try await bench.discover()
        #expect(found.findings.pagination == "{style: page, param: page, first: 1}")
    }

    @Test("A list that is empty where the items belong is not replaced by another one")
    func emptyItems() async throws {
        let bench = try DiscoveryBench()
        let options = (1...200).map { #"{"id":\#($0),"label":"x"}"# }.joined(separator: ",")
        bench.server.route("/things") { _ in .json(#"{"results":[],"options":[\#(options)]}"#) }
        let found = try await bench.discover()
        #expect(found.findings.items?.description == "results" && found.itemCount == 0)
    }

    @Test(
        "An empty second page is an answer: the parameter is heeded, and the list may grow by it",
        arguments: ["[]", #"{"start":20,"total":0}"#])
    func emptySecondPage(empty: String) async throws {
        let bench = try DiscoveryBench()
        let isEnvelope = empty.hasPrefix("{")
        bench.server.route("/things") { request in
            let items = (number(request, "page") ?? 1) > 1 ? "" : DiscoveryBench.items(0)
            if items.isEmpty { return .json(empty) }
            return .json(isEnvelope ? #"{"start":0,"items":[\#(items)]}"# : "[\(items)]")
        }
        let found = try await bench.discover()
        #expect(found.findings.pagination?.hasPrefix("{style: page, param: page") == true)
    }

    @Test(
        "A second page that is refused is an answer if the first one is found by its number", arguments: [0, 1],
        [400, 404, 422])
    func missingSecondPage(first: Int, status: Int) async throws {
        let bench = try DiscoveryBench()
        bench.server.route("/things") { request in
            (number(request, "page") ?? first) == first
                ? .json("[\(DiscoveryBench.items(0))]")
                : .json(#"{"message":"This \#(status == 404 ? "page" : "one") does not exist"}"#, status: status)
        }
        let found = try await bench.discover()
        #expect(found.findings.pagination?.hasPrefix("{style: page, param: page, first: \(first)") == true)
    }

    @Test("A second page that is not found once is not the end of pages that the upstream does not have")
    func missingOnce() async throws {
        let bench = try DiscoveryBench()
        let count = Lock(0)
        bench.server.route("/things") { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            return number == 2 ? .status(404) : .json("[\(DiscoveryBench.items(0))]")
        }
        #expect(try await bench.discover().findings.pagination == nil)
    }

    @Test("A host that finds nothing at an address with any parameter has no pages")
    func nothingFound() async throws {
        let bench = try DiscoveryBench()
        bench.server.route("/things") { request in
            request.query.isEmpty ? .json("[\(DiscoveryBench.items(0))]") : .status(404)
        }
        #expect(try await bench.discover().findings.pagination == nil)
    }

    @Test("A parameter that the user filters by is not overwritten")
    func filter() async throws {
        let bench = try DiscoveryBench()
        bench.server.route("/things") { _ in .json("[\(DiscoveryBench.items(0))]") }
        _ = try await bench.discover(path: "/things?page=home&after=2026-01-01")
        #expect(bench.queries.allSatisfy { $0.contains("page=home") && $0.contains("after=2026-01-01") })
    }

    @Test("New items on a page that is not the next one are remembered")
    func strayItems() async throws {
        let bench = try DiscoveryBench()
        bench.server.route("/things") { request in
            .json("[\(DiscoveryBench.items(number(request, "page") == nil ? 0 : 5))]")
        }
        #expect(try await bench.discover().findings.strayItemCount == 5)
    }

    @Test("Of two lists that are alike the first is taken, and the other is named")
    func twoLists() async throws {
        let bench = try DiscoveryBench()
        bench.server.route("/things") { _ in
            .json(#"{"alphas":[{"id":1},{"id":2}],"betas":[{"id":1},{"id":2}]}"#)
        }
        let items = try await bench.discover().evidence.first { $0.subject == .items }
        #expect(items?.found == "alphas" && items?.certainty == .likely)
        #expect(items?.text.hasSuffix("; `betas` could also be the items") == true)
    }

    @Test("A key that does not hold on the second page is not a key")
    func keyOfOnePage() async throws {
        let bench = try DiscoveryBench()
        bench.server.route("/things") { request in
            let page = number(request, "page") ?? 1
            let items = (page * 10 - 10..<min(page * 10, 35)).map {
                #"{"slug":"n\#($0 < 10 ? $0 : $0 % 13)","city":"c\#($0)","size":\#($0)}"#
            }
            return .json(#"{"page":\#(page),"total":35,"items":[\#(items.joined(separator: ","))]}"#)
        }
        let found = try await bench.discover()
        #expect(found.findings.key == ["slug", "city"] || found.findings.key == ["city", "size"])
        #expect(found.evidence.first { $0.subject == .key }?.text.contains("items of two pages") == true)
        #expect(found.findings.pagination == "{style: page, param: page, total: total, first: 1}")
    }

    @Test("An id holds though its item has changed meanwhile")
    func changedItems() async throws {
        let bench = try DiscoveryBench()
        bench.server.route("/things") { request in
            let isSecond = request.parameter("c") != nil
            return .json(
                isSecond
                    ? #"{"next":null,"items":[{"id":2,"score":9},{"id":3,"score":1}]}"#
                    : #"{"next":"?c=1","items":[{"id":1,"score":5},{"id":2,"score":4}]}"#)
        }
        let found = try await bench.discover()
        #expect(found.findings.key == ["id"] && found.findings.pagination == "{style: next_url, next: next}")
    }

    @Test(
        "An error with status 200 is not an item",
        arguments: [
            #"{"status":"error","message":"bad key","id":"req-1"}"#, #"{"success":false,"id":7}"#,
            #"{"ok":false,"id":7,"error":"not_authed"}"#,
        ])
    func errors(body: String) async throws {
        let bench = try DiscoveryBench()
        bench.server.route("/things") { _ in .json(body) }
        let error = await #expect(throws: FeedSyncError.self) { try await bench.discover() }
        #expect(error?.message.hasPrefix("the upstream answered 200 OK, with an error in the body") == true)
        #expect(error?.kind == .rejected)
    }

    @Test(
        "A link that may lead anywhere is followed before it is believed", arguments: [Discovery.Effort.signs, .search])
    func linkElsewhere(effort: Discovery.Effort) async throws {
        let bench = try DiscoveryBench()
        bench.server.route("/things") { _ in page(0, #""links":{"more":"/about"},"#) }
        bench.server.route("/about") { _ in .html("<p>About us</p>") }
        #expect(try await bench.found(effort).findings.pagination == nil)
    }

    @Test(
        "A way that is answered by a failure is given up, and tried again another day", arguments: [401, 403, 500, 503])
    func failing(status: Int) async throws {
        let bench = try DiscoveryBench()
        bench.server.route("/things") { $0.query.isEmpty ? page(0) : .status(status) }
        for effort in [Discovery.Effort.search, .verify] {
            let found = try await bench.found(effort)
            #expect(found.findings.pagination == nil && found.findings.key == ["id"])
            #expect(found.findings.triedElementCount == nil && found.findings.failedSearchCount == 1)
        }
    }

    @Test("At run time a host that wants no more requests keeps nobody from its first page")
    func limitedMeanwhile() async throws {
        let bench = try DiscoveryBench()
        bench.server.route("/things") { $0.query.isEmpty ? page(0) : .status(429) }
        let found = try await bench.found(.search)
        #expect(found.findings.key == ["id"] && found.findings.triedElementCount == nil && found.cost.requestCount == 1)
    }

    @Test("A way that did not work is tried again only when the page suggests others")
    func triedOnce() async throws {
        let bench = try await EngineBench(paging: "", columns: "")
        let members = Lock(#""total":35,"page":1,"#)
        bench.server.route("/things") { _ in FeedSyncTests.page(0, members.withLock { $0 }) }
        func requests(_ bench: EngineBench) async throws -> Int {
            let before = bench.server.requests.count
            try await bench.sync()
            return bench.server.requests.count - before
        }
        var counts: [Int] = []
        for _ in 1...3 { counts.append(try await requests(bench)) }
        #expect(counts == [1 + Discovery.mostTrials, 1, 1])
        members.withLock { $0 = #""total":35,"page":1,"next_cursor":"abc","# }
        for _ in 1...3 { counts.append(try await requests(bench)) }
        #expect(counts[3] > 1 && counts[4...] == [1, 1])
    }

    @Test("A page that has grown is searched again", arguments: [1, 5])
    func grown(first: Int) async throws {
        let bench = try await EngineBench(PagedFeed.items(1...first), paging: "", columns: "")
        bench.upstream.total = .absent
        try await bench.reload()
        bench.upstream.items = PagedFeed.items(1...25)
        try await bench.reload()
        try await bench.more(.allPages)
        #expect(try bench.query("SELECT count(*) FROM things") == ["25"])
    }
}
