import Concurrency
import HTTP
import HTTPServer
import ScriptedServer

@testable import Upstream

/// A server, a feed on it, and a fetcher that waits for nothing.
struct FetchBench {
    static let now: Int64 = 1_795_000_000
    static let environment = ["TOKEN": "s3cr3t/tök en+1"]

    let server: ScriptedServer
    let definition: FeedDefinition
    let clock = RecordingClock()
    let meter = RequestMeter()
    private let progress = Lock([FetchProgress]())

    /// A feed at `/things`, with the members given.
    init(_ members: String = "", retries: Int = 2, path: String = "/things") throws {
        server = try ScriptedServer()
        definition = try Self.definition(url: server.url + path, members + "\nretries: \(retries)")
    }

    static func definition(url: String, _ members: String = "") throws -> FeedDefinition {
        try FeedDefinition.parse(name: "things", yaml: "url: \(url)\nkey: id\ncolumns: {id: id}\n\(members)")
    }

    func plan(_ environment: [String: String] = Self.environment) -> RequestPlan {
        RequestPlan(definition, environment: environment, folder: "", salt: "salt")
    }

    func fetch(
        validators: Validators? = nil, environment: [String: String] = Self.environment
    ) async throws -> FetchedPage {
        let page = try plan(environment).page(for: nil)
        return try await fetcher.fetch(page, validators: validators)
    }

    /// The failure of a fetch that must not succeed.
    func failure(environment: [String: String] = Self.environment) async throws -> FeedSyncError {
        let page = try plan(environment).page(for: nil)
        let kind: FetchedPage.Kind
        do throws(FeedSyncError) {
            kind = try await fetcher.fetch(page).kind
        } catch {
            return error
        }
        throw Unexpected(kind: kind)
    }

    struct Unexpected: Error { let kind: FetchedPage.Kind }

    /// The progress of the fetches so far.
    var events: [FetchProgress] { progress.withLock { $0 } }

    var fetcher: Fetcher {
        Fetcher(
            client: Client(userAgent: "feedsync-tests"), rules: definition.responses,
            policy: RetryPolicy(retries: definition.retries), clock: clock, random: { 0.5 }, now: { Self.now },
            meter: meter, progress: { event in progress.withLock { $0.append(event) } })
    }
}

/// A paginator whose page cursor is the next page's URL.
struct URLStyle: Paginator {
    static let name = "url"
    let canonicalText = "url"
    let bodyPaths: [Path] = []
    let cursorParameters: [String] = []

    init() {}
    init(_ members: MappingDecoder) {}

    func request(for cursor: PageCursor?, base: PageRequest) throws(PagingError) -> PageRequest {
        cursor.map { PageRequest(url: $0.text) } ?? base
    }

    func predicted(after cursor: PageCursor?) -> PageCursor? { nil }
    func next(after page: PaginationInput) throws(PagingError) -> NextPage { .end() }
}
