import Foundation
import HTTPServer
import ScriptedServer
import Testing

@testable import Upstream

/// An upstream with POST requests, and the start of its items.
private typealias Start = @Sendable (_ body: [String: Any]) -> Int

private let upstreams: [(String, String, Start)] = [
    ("{pageNo: 1}", "{style: page, param: pageNo, first: 1}", { (($0["pageNo"] as? Int ?? 1) - 1) * 10 }),
    (
        "{paging: {start: 0}}", "{style: offset, param: paging.start}",
        { ($0["paging"] as? [String: Any])?["start"] as? Int ?? 0 }
    ),
    (
        "{query: x, variables: {after: null}}",
        "{style: cursor, param: variables.after, next: pageInfo.endCursor, more: pageInfo.hasNextPage}",
        { Int(($0["variables"] as? [String: Any])?["after"] as? String ?? "") ?? 0 }
    ),
]

@Suite("Discovery of a feed of POSTs")
struct PostDiscoveryTests {
    @Test("Discovery finds the member of a POST's body that selects the page", arguments: upstreams.indices)
    func styles(index: Int) async throws {
        let (body, style, start) = upstreams[index]
        let bench = try DiscoveryBench()
        bench.server.route("/things") { request in
            let sent = try? JSONSerialization.jsonObject(with: Data(request.body)) as? [String: Any]
            let start = start(sent ?? [:])
            let info =
                body.contains("query")
                ? #""pageInfo":{"endCursor":"\#(start + 10)","hasNextPage":\#(start < 25)},"# : ""
            return .json(#"{\#(info)"nodes":[\#(DiscoveryBench.items(start))]}"#)
        }
        let found = try await bench.discover("method: POST\nbody: \(body)")
        #expect(found.findings.pagination == style, "\(String(describing: found.paginationEvidence))")
        #expect(bench.server.requests.allSatisfy { $0.method == "POST" && $0.query.isEmpty })
    }

    /// A search whose answer has the cursor of the next page, an offset, in `paging.next.after`.
    private func search(takesCursorAt place: [String]) throws -> DiscoveryBench {
        let bench = try DiscoveryBench()
        bench.server.route("/things") { request in
            var value = try? JSONSerialization.jsonObject(with: Data(request.body))
            for name in place { value = (value as? [String: Any])?[name] }
            let start = (value as? String).flatMap { Int($0) } ?? 0
            let next = start < 25 ? #","paging":{"next":{"after":"\#(start + 10)"}}"# : ""
            return .json(#"{"total":35,"results":[\#(DiscoveryBench.items(start))]\#(next)}"#)
        }
        return bench
    }

    @Test("Discovery finds a cursor that goes back in the body, and not the last item's id in its place")
    func cursorInBody() async throws {
        let bench = try search(takesCursorAt: ["after"])
        let found = try await bench.discover("method: POST\nbody: {filterGroups: [], limit: 10}")
        #expect(found.findings.pagination == "{style: cursor, param: after, next: paging.next.after, total: total}")
    }

    @Test("Discovery says what to write for a cursor whose place in the body it does not find")
    func unknownPlace() async throws {
        let bench = try search(takesCursorAt: ["request", "position"])
        let found = try await bench.discover("method: POST\nbody: {filterGroups: [], limit: 10}")
        #expect(found.findings.pagination == nil)
        let words = "write `pagination: {style: cursor, param: PLACE, next: paging.next.after}`"
        #expect(
            found.paginationEvidence?.text.contains(words) == true, "\(String(describing: found.paginationEvidence))")
    }
}
