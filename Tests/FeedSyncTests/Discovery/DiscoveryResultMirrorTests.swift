import Foundation
import HTTPServer
import ScriptedServer
import TemporaryFolder
import Testing

@testable import FeedSync
@testable import StoreFile
@testable import Upstream

@Suite("A feed of which only the URL is known")
struct DiscoveredMirrorTests {
    @Test(
        "A feed of a bare URL is mirrored by the discovered settings",
        arguments: [
            (#"[{"id":1,"owner":{"login":"a"}},null,{"id":2,"owner":null}]"#, "id owner_login", 2),
            (#"{"query":{"pages":{"12":{"title":"a"},"15":{"title":"b"}}}}"#, "key title", 2),
            (#"{"data":{"id":7,"tags":["a"]}}"#, "id tags", 1),
            (#"{"id":7,"labels":[{"id":1},{"id":2}]}"#, "id labels", 1),
            (#"{"results":[{"hits":[{"objectID":"1"},{"objectID":"2"}]}]}"#, "objectID", 2),
            (#"[{"page":1},[{"a.b":"x","select":1,"":2},{"a.b":"y","select":1,"":3}]]"#, "a.b select _2", 2),
            (#"{"edges":[{"node":{"id":"a","n":{"m":{"k":1}}}},{"node":{"id":"b"}}]}"#, "node_id node_n_m", 2),
            (#"[{"o":"a","n":"x"},{"o":"b","n":"x"},{"o":"b","n":"y"}]"#, "o n", 3),
        ] as [(String, String, Int)])
    func mirror(body: String, columns: String, count: Int) async throws {
        let bench = try DiscoveryBench()
        // Requests for anything but the first page find nothing.
        bench.server.route("/things") { $0.query.isEmpty ? .json(body) : .status(404) }
        let found = try await bench.discover()
        #expect(found.definition.columns.map(\.name).joined(separator: " ") == columns)
        let folder = try TemporaryFolder()
        let store = try await Store(path: folder.file("store.db"))
        let engine = try await SyncEngine(feed: found.definition, store: store, options: EngineBench.options)
        let summary = try await engine.perform(.reload)
        #expect(summary.figures.items.inserted == count)
    }

    @Test("The second page of a bare URL is fetched by the discovered pagination")
    func pages() async throws {
        let bench = try DiscoveryBench()
        bench.server.route("/things") { request in
            let start = (Int(request.parameter("page") ?? "0") ?? 0) * 10
            return .json(#"{"data":{"list":[\#(DiscoveryBench.items(start))],"pageCount":4}}"#)
        }
        let found = try await bench.discover()
        let folder = try TemporaryFolder()
        let store = try await Store(path: folder.file("store.db"))
        let engine = try await SyncEngine(feed: found.definition, store: store, options: EngineBench.options)
        let summary = try await engine.perform(.allPages)
        #expect(summary.figures.items.inserted == 35)
    }

    @Test(
        "A response that was one item is not kept as one when it has a list of items",
        arguments: [
            (#"{"kind":"list","id":"x"}"#, #"{"kind":"list","id":"x","items":[{"id":1},{"id":2}]}"#, "items"),
            (#"{"request_id":"1"}"#, #"{"request_id":"2","things":[{"id":1},{"id":2}]}"#, "things"),
            (#"{"data":{"request_id":"1"}}"#, #"{"data":{"request_id":"2","rows":[{"id":1},{"id":2}]}}"#, "data.rows"),
            (#"{"id":7}"#, #"{"id":7,"labels":[{"id":1},{"id":2}]}"#, nil),
            (#"{"id":7}"#, #"{"id":7,"data":{"a":[1,2]}}"#, nil),
        ] as [(String, String, String?)])
    func listInItem(before: String, now: String, place: String?) async throws {
        let bench = try DiscoveryBench()
        bench.server.route("/some") { _ in .json(before) }
        let folder = try TemporaryFolder()
        let store = try await Store(path: folder.file("store.db"))
        let engine = try await SyncEngine(
            feed: try bench.definition(path: "/some"), store: store, options: EngineBench.options)
        #expect(try await engine.perform(.reload).figures.items.inserted == 1)
        bench.server.route("/some") { _ in .json(now) }
        guard let place else {
            #expect(try await engine.perform(.reload).figures.items.updated == 1)
            return
        }
        let error = await #expect(throws: FeedSyncError.self) { try await engine.perform(.reload) }
        #expect(error?.message == "the response was one item so far, and now `\(place)` is a list of items")
        #expect(error?.advice?.contains("set `items: \(place)`") == true)
    }

    @Test(
        "A list that is empty at first is taken as it comes with items",
        arguments: [
            ("[]", #"{"11":{"n":"a"},"12":{"n":"b"}}"#), ("[]", #"[{"id":11},{"id":12}]"#),
            (#"{"data":[]}"#, #"{"data":{"11":{"n":"a"},"12":{"n":"b"}}}"#),
            (#"{"data":[]}"#, #"{"data":[{"id":11},{"id":12}]}"#),
            (#"{"data":[]}"#, #"{"data":{"list":[{"id":1},{"id":2}]}}"#),
        ])
    func emptyAtFirst(before: String, now: String) async throws {
        let bench = try DiscoveryBench()
        bench.server.route("/some") { _ in .json(before) }
        let folder = try TemporaryFolder()
        let store = try await Store(path: folder.file("store.db"))
        let engine = try await SyncEngine(
            feed: try bench.definition(path: "/some"), store: store, options: EngineBench.options)
        for _ in 1...2 { #expect(try await engine.perform(.sync).reason == nil) }
        bench.server.route("/some") { _ in .json(now) }
        #expect(try await engine.perform(.sync).figures.items.inserted == 2)
    }
}
