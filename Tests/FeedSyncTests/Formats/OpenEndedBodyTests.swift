import Concurrency
import HTTPServer
import ScriptedServer
import Testing

@testable import FeedSync

@Suite("A body that ends with the connection")
struct OpenEndedBodyTests {
    /// An answer whose body ends with the connection, unless fields say where.
    private func response(_ body: String, _ fields: String = "", type: String) -> ServerResponse {
        let head = "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nConnection: close\r\n\(fields)\r\n"
        return ServerResponse(body: Array("\(head)\(body)".utf8), delivery: .verbatim)
    }

    @Test(
        "Rows behind the end of a text that may be cut off are not removed at once, and the list is not verified",
        arguments: [("csv", "text/csv"), ("ndjson", "application/x-ndjson")])
    func cut(format: String, type: String) async throws {
        let bench = try await EngineBench(
            paging: "pagination: none", columns: "format: \(format)\nkey: id\ncolumns: {id: id, name: name}")
        let count = Lock(8)
        bench.server.route("/things") { [self] _ in
            let ids = 1...count.withLock { $0 }
            let lines = ids.map { format == "csv" ? "\($0),x\n" : "{\"id\":\"\($0)\",\"name\":\"x\"}\n" }.joined()
            return response(format == "csv" ? "id,name\n\(lines)" : lines, type: type)
        }
        try await bench.sync()
        #expect(try bench.feed("item_count, complete, verified") == "8|1|0")
        count.withLock { $0 = 5 }
        #expect(try await bench.sync().figures.items.removed == 0)
        #expect(try bench.feed("item_count, complete") == "8|0")
        count.withLock { $0 = 8 }
        #expect(try await bench.sync().figures.items.removed == 0)
        #expect(try bench.feed("item_count, complete, verified") == "8|1|0")
        // The upstream has fewer, and stays so.
        count.withLock { $0 = 5 }
        for _ in 1...2 { try await bench.sync() }
        #expect(try bench.feed("item_count, complete, verified") == "5|1|0")
    }

    @Test(
        "A text that shows where it ends is whole, and so is one whose length was sent",
        arguments: [("json", #"[{"id":"1","name":"x"}]"#, ""), ("csv", "id,name\n1,x\n", "Content-Length: 12\r\n")])
    func whole(format: String, body: String, fields: String) async throws {
        let bench = try await EngineBench(
            paging: "pagination: none", columns: "format: \(format)\nkey: id\ncolumns: {id: id, name: name}")
        bench.server.route("/things") { [self] _ in
            response(body, fields, type: format == "csv" ? "text/csv" : "application/json")
        }
        try await bench.sync()
        #expect(try bench.feed("item_count, complete, verified") == "1|1|1")
    }

    @Test("A chunked body ends with its last chunk, and so does a table in it")
    func chunked() async throws {
        let bench = try await EngineBench(
            paging: "pagination: none", columns: "format: csv\nkey: id\ncolumns: {id: id, name: name}")
        bench.server.route("/things") { [self] _ in
            response("e\r\nid,name\n1,x\n2,\r\n1\r\ny\r\n0\r\n\r\n", "Transfer-Encoding: chunked\r\n", type: "text/csv")
        }
        try await bench.sync()
        #expect(try bench.feed("item_count, complete, verified") == "2|1|1")
    }

    @Test(
        "A last row that may be cut off within its last field is not stored",
        arguments: [("", "1|0"), ("Transfer-Encoding: identity\r\n", "1|0"), ("Content-Length: 15\r\n", "2|1")])
    func lastField(fields: String, expected: String) async throws {
        let bench = try await EngineBench(
            paging: "pagination: none", columns: "format: csv\nkey: id\ncolumns: {id: id, name: name}")
        bench.server.route("/things") { [self] _ in response("id,name\n1,x\n2,y", fields, type: "text/csv") }
        try await bench.sync()
        #expect(try bench.feed("item_count, complete") == expected)
    }

    @Test("A header that may be cut off is an empty list that is not verified, and an only row is an error")
    func header() async throws {
        let bench = try await EngineBench(
            paging: "pagination: none", columns: "format: csv\nkey: id\ncolumns: {id: id, name: name}")
        let body = Lock("id,na")
        bench.server.route("/things") { [self] _ in response(body.withLock { $0 }, type: "text/csv") }
        try await bench.sync()
        #expect(try bench.feed("item_count, complete, verified") == "0|1|0")
        body.withLock { $0 = "id,name\n1,x" }
        let error = await #expect(throws: FeedSyncError.self) { try await bench.sync() }
        #expect(
            error?.message.contains("in line 2: the only row is a line that has no end") == true,
            "\(error?.message ?? "")")
    }

    @Test("A response without a body is not cut off")
    func bodyless() async throws {
        let bench = try await EngineBench(
            paging: "pagination: none", columns: "format: csv\nkey: id\ncolumns: {id: id, name: name}")
        bench.server.route("/things") { _ in
            ServerResponse(body: Array("HTTP/1.1 204 No Content\r\n\r\n".utf8), delivery: .verbatim)
        }
        try await bench.sync()
        #expect(try bench.feed("item_count, complete, verified") == "0|1|1")
    }
}
