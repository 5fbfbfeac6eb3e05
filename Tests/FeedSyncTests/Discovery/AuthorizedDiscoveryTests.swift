import HTTPServer
import ScriptedServer
import Testing

@testable import Upstream

@Suite("Discovery behind a token endpoint")
struct AuthorizedDiscoveryTests {
    @Test("Discovery gets a new token after a refusal, and shows none")
    func renewed() async throws {
        let bench = try DiscoveryBench()
        let server = bench.server
        server.route("/token") { _ in
            .json(#"{"access_token":"t0ken-\#(server.requests(for: "/token").count)-end","token_type":"bearer"}"#)
        }
        server.route("/things") { request in
            // Each token is good for one request.
            let authorization = request.header("Authorization")
            let isFirst = server.requests(for: "/things").count { $0.header("Authorization") == authorization } == 1
            guard isFirst else { return .json(#"{"message":"\#(authorization ?? "") is used up"}"#, status: 401) }
            let page = request.parameter("page").flatMap { Int($0) } ?? 1
            return .json(#"{"items":[\#(DiscoveryBench.items(page * 10 - 10))]}"#)
        }
        let client = "client_id: '${command: echo cl1ent-one}', client_secret: '${command: echo s3cr3t-one}'"
        let found = try await bench.discover("auth: {oauth2: {token_url: '\(server.url)/token', \(client)}}")
        #expect(found.findings.pagination == "{style: page, param: page, first: 1}")
        #expect(found.cost.requestCount == server.requests.count)
        let told = "\(found.evidence) \(found.findings)"
        #expect(["t0ken-", "cl1ent", "s3cr3t"].allSatisfy { !told.contains($0) })
    }
}
