import HTTPServer
import ScriptedServer
import Testing

@testable import FeedSync

@Suite("A credential that a definition spells out") struct LiteralSecretTests {
    static let members = [
        "query: {api_key: l1teral+s3cret}", "query: {sig: l1teral+s3cret}", "query: {jwt: l1teral+s3cret}",
        "query: {apiKey: [l1teral+s3cret, l1teral+s3cret2]}", "headers: {X-Auth-Token: l1teral+s3cret}",
        "method: POST\nbody: {accessToken: l1teral+s3cret}",
    ]

    /// The complete content of the store, as text.
    private func contents(of bench: EngineBench) throws -> String {
        try bench.query("SELECT name FROM sqlite_schema WHERE type = 'table'").flatMap { table in
            try bench.query("SELECT * FROM \"\(table)\"")
        }.joined(separator: "\n")
    }

    @Test("A literal credential is sent, and is nowhere in the store", arguments: members)
    func store(member: String) async throws {
        let bench = try await EngineBench(members: member)
        try await bench.reload()
        let contents = try contents(of: bench)
        #expect(contents.contains("/things"))
        #expect(!contents.contains("l1teral"), "\(contents)")
        let sent = bench.server.requests.map { "\($0.query)\($0.headers)\(String(decoding: $0.body, as: UTF8.self))" }
        #expect(sent.count == 1 && sent.allSatisfy { $0.contains("l1teral+s3cret") })
    }

    @Test("A literal credential in the query of the URL is nowhere in the store either")
    func url() async throws {
        let bench = try await EngineBench()
        let engine = try await bench.another(
            try EngineBench.definition(
                "url: \(bench.server.url)/things?access_token=l1teral%2Bs3cret\n\(EngineBench.columns)\n\(EngineBench.paging)"
            ))
        _ = try await engine.perform(.reload)
        let contents = try contents(of: bench)
        #expect(!contents.contains("l1teral"), "\(contents)")
        #expect(bench.server.requests.first?.parameter("access_token") == "l1teral+s3cret")
    }

    @Test("A literal credential is masked where the upstream echoes it", arguments: members)
    func echo(member: String) async throws {
        let bench = try await EngineBench(members: member)
        bench.server.route("/things") { request in
            let echo = "\(request.query)\(request.headers)\(String(decoding: request.body, as: UTF8.self))"
            return .json(#"{"message":\#(JSONText.string(String(echo.suffix(190))))}"#, status: 400)
        }
        let error = try await bench.failure(.reload)
        #expect(!"\(error) \(error.json)".contains("l1teral"), "\(error)")
    }
}
