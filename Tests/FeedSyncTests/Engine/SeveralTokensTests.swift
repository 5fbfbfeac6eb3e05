import Concurrency
import HTTP
import HTTPServer
import ScriptedServer
import Testing

@testable import FeedSync
@testable import Upstream

/// An upstream that counts the requests of each token, and a feed that has several.
private struct TokensBench {
    /// The way in which the upstream speaks of its quota.
    enum Manner: Sendable, CaseIterable {
        /// By a count and a time of reset in every response.
        case counts
        /// By a 429 with the time to wait.
        case refuses
        /// By a 403 with a count of zero, as GitHub does.
        case forbids
    }

    let bench: EngineBench
    /// The requests left for each token.
    private let left: Lock<[String: Int]>
    /// The requests of each token that were refused.
    private let refusals: Lock<[String: Int]>
    static let reset = WallClock.system.seconds + 3_000

    init(
        _ left: [String: Int], _ manner: Manner = .counts, auth: String = "{bearer: ['${A}', '${B}']}",
        header: String = "Authorization", retries: Int = 0
    ) async throws {
        bench = try await EngineBench(members: "auth: \(auth)", retries: retries)
        self.left = Lock(left)
        refusals = Lock([:])
        let (lefts, refusals, upstream) = (self.left, self.refusals, bench.upstream)
        bench.server.route("/things") { request in
            let token = request.header(header)?.split(separator: " ").last.map(String.init) ?? ""
            let count = lefts.withLock { lefts in
                defer { lefts[token] = max((lefts[token] ?? 0) - 1, 0) }
                return lefts[token] ?? 0
            }
            let quota = [
                (name: "X-RateLimit-Limit", value: "100"),
                (name: "X-RateLimit-Remaining", value: "\(max(count - 1, 0))"),
                (name: "X-RateLimit-Reset", value: "\(Self.reset)"),
            ]
            guard count > 0 else {
                refusals.withLock { $0[token, default: 0] += 1 }
                return manner == .forbids
                    ? .status(403, headers: quota) : .status(429, headers: [("Retry-After", "3000")])
            }
            let page = upstream.answer(request)
            return manner == .counts
                ? ServerResponse(status: page.status, headers: page.headers + quota, body: page.body) : page
        }
    }

    static func options(_ names: [String] = ["A", "B"]) -> EngineOptions {
        var options = EngineBench.options
        options.environment = Dictionary(uniqueKeysWithValues: names.map { ($0, "t0ken-\($0)") })
        return options
    }

    /// An engine as another process would have it.
    func engine(_ names: [String] = ["A", "B"]) async throws -> SyncEngine {
        try await bench.another(options: Self.options(names))
    }

    func give(_ count: Int, to token: String) { left.withLock { $0[token] = count } }

    var refused: [String: Int] { refusals.withLock { $0 } }

    /// The tokens of the requests since the last call, in order.
    func tokens(_ header: String = "Authorization", since first: Int = 0) -> [String] {
        bench.server.requests.dropFirst(first).map {
            $0.header(header)?.replacing("Bearer ", with: "").replacing("t0ken-", with: "") ?? ""
        }
    }

    func expectNoTokenStored() throws {
        for table in try bench.query("SELECT name FROM sqlite_schema WHERE type = 'table'") {
            #expect(!(try bench.query("SELECT * FROM \"\(table)\"").joined().contains("t0ken")))
        }
    }
}

@Suite("Several tokens") struct SeveralTokensTests {
    @Test(
        "A run goes on with the next token when one is spent, and waits for none",
        arguments: TokensBench.Manner.allCases.map { manner in
            (manner, refused: manner == .counts ? 0 : 1)
        } as [(TokensBench.Manner, refused: Int)])
    private func nextToken(manner: TokensBench.Manner, refused: Int) async throws {
        let bench = try await TokensBench(["t0ken-A": 2, "t0ken-B": 90], manner)
        let summary = try await bench.engine().perform(.sync)
        #expect(summary.isAtEnd && summary.reason == nil)
        #expect(try bench.bench.names.count == 35)
        #expect(bench.tokens().prefix(2) == ["A", "A"])
        #expect(bench.tokens().last == "B")
        #expect((bench.refused["t0ken-A"] ?? 0) == refused && bench.refused["t0ken-B"] == nil)
        #expect(
            try bench.bench.query("SELECT count(DISTINCT credential) FROM _quota") == [manner == .counts ? "2" : "1"])
        try bench.expectNoTokenStored()
    }

    @Test("A feed is not held up by one spent token, and another process goes on with the next one at once")
    func otherProcess() async throws {
        let bench = try await TokensBench(["t0ken-A": 1, "t0ken-B": 90])
        try await bench.engine().perform(.reload)
        let first = bench.bench.server.requests.count
        #expect(
            try bench.bench.query(
                "SELECT count(*) FROM _quota JOIN _feed ON credential = quota_credential WHERE blocked_until IS NOT NULL"
            ) == ["0"])
        let summary = try await bench.engine().perform(.sync)
        #expect(summary.isAtEnd && summary.reason == nil)
        #expect(Set(bench.tokens(since: first)) == ["B"])
        #expect(bench.refused.isEmpty)
    }

    @Test("A run with no token left is limited until the first reset, and says so")
    func allSpent() async throws {
        let bench = try await TokensBench(["t0ken-A": 1, "t0ken-B": 1], .refuses, retries: 3)
        let error = try await bench.bench.failure(.allPages, bench.engine())
        #expect(error.kind == .limited && error.httpStatus == 429)
        #expect(
            error.message.hasPrefix(
                "the upstream answered 429 Too Many Requests, and every credential in `auth` is spent until 20"))
        // Stored items stay, and the next run requests nothing before that time.
        #expect(try bench.bench.names.count == 20)
        #expect(bench.refused == ["t0ken-A": 1, "t0ken-B": 1])
        let asked = bench.bench.server.requests.count
        #expect(try await bench.bench.failure(.allPages, bench.engine()).kind == .limited)
        #expect(bench.bench.server.requests.count == asked)
        try bench.expectNoTokenStored()
    }

    @Test("Page cursors and validators do not depend on the token")
    func validators() async throws {
        let bench = try await TokensBench(["t0ken-A": 4, "t0ken-B": 90])
        try await bench.engine().perform(.sync)
        let first = bench.bench.server.requests.count
        let summary = try await bench.engine().perform(.reload)
        #expect(summary.outcome == .unchanged)
        let targets = bench.bench.server.requests.map(\.target)
        #expect(bench.tokens(since: first) == ["B"], "\(first) before, of \(bench.tokens()), \(targets)")
        #expect(bench.bench.server.requests.last?.header("If-None-Match") != nil)
    }

    @Test("A header's values take turns as tokens do, beside headers that every request has")
    func headers() async throws {
        let auth = "{header: {X-Key: ['${A}', '${B}'], X-App: '${APP}'}}"
        let bench = try await TokensBench(["t0ken-A": 1, "t0ken-B": 90], auth: auth, header: "X-Key")
        #expect(try await bench.engine(["A", "B", "APP"]).perform(.sync).isAtEnd)
        #expect(Set(bench.tokens("X-Key")) == ["A", "B"])
        #expect(Set(bench.tokens("X-App")) == ["APP"])
    }

    @Test("A token that is refused without a time is left alone for the back-off, and the other one takes over")
    func withoutTime() async throws {
        let bench = try await TokensBench(["t0ken-A": 90, "t0ken-B": 90], retries: 1)
        bench.bench.upstream.fail(page: 2, with: .status(429))
        #expect(try await bench.engine().perform(.allPages).figures.pages == 4)
        #expect(Set(bench.tokens()) == ["A", "B"])
    }
}
