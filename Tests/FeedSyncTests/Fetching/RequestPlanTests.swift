import Foundation
import HTTP
import TemporaryFolder
import Testing

@testable import Upstream

private func plan(
    _ members: String, url: String = "https://api.example.com/v1/things", pagination: (any Paginator)? = nil,
    environment: [String: String] = ["TOKEN": "hunter2", "USER": "annabel"]
) throws -> RequestPlan {
    RequestPlan(
        try FetchBench.definition(url: url, members), pagination: pagination, environment: environment, folder: "",
        salt: "salt")
}

private func error(_ body: () throws(FeedSyncError) -> PreparedPage) -> FeedSyncError? {
    do throws(FeedSyncError) {
        _ = try body()
        return nil
    } catch { return error }
}

@Suite("A request plan") struct RequestPlanTests {
    @Test("A request plan finds a credential that is rotated in its file between two pages")
    func rotation() throws {
        let folder = try TemporaryFolder()
        let file = URL(filePath: folder.file("token"))
        let plan = try plan("auth: {bearer: '${file:\(file.path)}'}\npagination: page")
        for token in ["first-token", "second-token"] {
            try Data(token.utf8).write(to: file)
            let credentials = try plan.page(for: PageCursor("2")).request.credentials
            #expect(credentials == [.header(name: "Authorization", value: "Bearer \(token)")])
        }
    }

    @Test("A request plan makes the request of each page")
    func pages() throws {
        let plan = try plan("query: {size: 1.10, q: 'a b'}\nheaders: {Accept: text/x}\npagination: page\ntimeout: 5s")
        let first = try plan.page(for: nil)
        #expect(first.identity == "GET https://api.example.com/v1/things?size=1.10&q=a%20b&page=1")
        #expect(first.request.headers.fields == [NamedValue(name: "Accept", value: "text/x")])
        #expect(first.request.timeouts == Timeouts(connect: .seconds(5), total: .seconds(5), stall: .seconds(5)))
        #expect(first.credentialFingerprint == 0)
        let third = try plan.page(for: PageCursor("3"))
        #expect(third.request.url.text.hasSuffix("&page=3"))
        #expect(third.cursor == PageCursor("3"))
    }

    @Test("A feed with a longer time limit may be silent for longer, too")
    func patience() throws {
        let timeouts = try plan("timeout: 10m").page(for: nil).request.timeouts
        #expect(timeouts == Timeouts(connect: Timeouts().connect, total: .seconds(600), stall: .seconds(300)))
    }

    @Test(
        "A request plan keeps every credential apart from the URL and the headers",
        arguments: [
            ("auth: {bearer: '${TOKEN}'}", [.header(name: "Authorization", value: "Bearer hunter2")]),
            ("auth: {bearer: literal}", [.header(name: "Authorization", value: "Bearer literal")]),
            (
                "auth: {basic: {user: Aladdin, password: open sesame}}",
                [.header(name: "Authorization", value: "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")]
            ),
            ("auth: {header: {X-Key: 'k ${TOKEN}'}}", [.header(name: "X-Key", value: "k hunter2")]),
            ("auth: {query: {key: '${TOKEN}'}}", [.query(name: "key", value: "hunter2")]),
            ("headers: {X-Any: '${TOKEN}'}", [.header(name: "X-Any", value: "hunter2")]),
            ("headers: {Authorization: token hunter2}", [.header(name: "Authorization", value: "token hunter2")]),
            (
                "query: {any: [plain, '${TOKEN}']}",
                [.query(name: "any", value: "plain"), .query(name: "any", value: "hunter2")]
            ),
        ] as [(String, [Credential])])
    func credentials(members: String, credentials: [Credential]) throws {
        let page = try plan(members).page(for: nil)
        #expect(page.request.credentials == credentials)
        #expect(page.request.credentialOrigin == page.request.url.origin)
        #expect(page.request.headers.fields.isEmpty)
        #expect(page.identity == "GET https://api.example.com/v1/things")
        #expect(page.credentialFingerprint != 0)
        for case .header(_, let value) in credentials {
            let token = value.split(separator: " ", maxSplits: 1).last.map(String.init) ?? value
            #expect(page.secrets.occur(in: "<\(token)>"))
        }
    }

    @Test("A secret in the URL's path is named by its placeholder")
    func secretInPath() throws {
        let page = try plan("", url: "https://api.example.com/bot${TOKEN}/things").page(for: nil)
        #expect(page.request.url.text == "https://api.example.com/bothunter2/things")
        #expect(page.identity == "GET https://api.example.com/bot${secret:1}/things")
        #expect("\(page)" == page.identity)
    }

    @Test(
        "A reference in a URL is encoded for its component",
        arguments: [
            ("https://h.example/x?t=${T}", "p&q=1+2 %#", "https://h.example/x?t=p%26q%3D1%2B2%20%25%23"),
            ("https://h.example/x?t=${T}&u=${T}", "a/b", "https://h.example/x?t=a%2Fb&u=a%2Fb"),
            ("https://h.example?t=${T}", "a b", "https://h.example/?t=a%20b"),
            ("https://h.example/${T}/y", "a/b?c#d%e+f g", "https://h.example/a/b%3Fc%23d%25e+f%20g/y"),
            ("https://h.example/bot${T}/y", "12:Ab-_", "https://h.example/bot12:Ab-_/y"),
            ("https://h.example/x?a=1&t=${T}", "?/", "https://h.example/x?a=1&t=%3F%2F"),
            ("${T}/things", "https://h.example/v1", "https://h.example/v1/things"),
            ("${T}&more=1", "https://h.example/v1?a=1", "https://h.example/v1?a=1&more=1"),
            ("https://${T}/x", "h.example:8443", "https://h.example:8443/x"),
            ("https://api.${T}", "h.example/v1?a=b%20c", "https://api.h.example/v1?a=b%20c"),
        ])
    func referencesInURL(template: String, value: String, url: String) throws {
        let page = try plan("", url: "'\(template)'", environment: ["T": value]).page(for: nil)
        #expect(page.request.url.text == url)
    }

    @Test(
        "The value of a reference in the URL is hidden in any notation of the upstream",
        arguments: [
            ("https://h.example/x?t=${T}", "s3cr/et two+", "s3cr/et two+"),
            ("https://h.example/x?t=${T}", "s3cr/et two+", "s3cr%2Fet%20two%2B"),
            ("https://h.example/x?t=${T}", "s3cr/et two+", "s3cr%2fet+two%2b"),
            ("${T}/x", "https://h.example/s3cr%2Fet", "https://h.example/s3cr/et"),
            ("${T}/x", "https://h.example/?k=s3cr+et", "https://h.example/?k=s3cr et"),
            ("https://${T}/x", "S3cret.Example", "s3cret.example"),
            ("${T}/x", "HTTPS://S3cret.Example/V1", "https://s3cret.example/V1"),
        ])
    func maskedFromURL(template: String, value: String, form: String) throws {
        let page = try plan("", url: "'\(template)'", environment: ["T": value]).page(for: nil)
        #expect(page.secrets.mask("<\(form)>") == "<***>")
        #expect(!page.identity.lowercased().contains("s3cr"))
    }

    @Test("References are resolved only when a page is prepared")
    func unset() throws {
        let plan = try plan("auth: {bearer: '${TOKEN}'}", environment: ["OTHER": "hunter2"])
        let error = try #require(error { () throws(FeedSyncError) in try plan.page(for: nil) })
        #expect(error.kind == .configuration)
        #expect(error.message == "feed:4:16: the environment variable `TOKEN` is not set")
        #expect(error.advice != nil)
        #expect(!"\(plan)".contains("hunter2"))
    }

    @Test("A URL that is invalid with its references resolved is refused")
    func badURL() throws {
        let plan = try plan("", url: "${TOKEN}", environment: ["TOKEN": "ftp://hunter2.example.com"])
        let error = try #require(error { () throws(FeedSyncError) in try plan.page(for: nil) })
        #expect(error.kind == .configuration)
        #expect(error.url == "${TOKEN}")
        #expect(!error.json.contains("hunter2"))
    }

    @Test("Concealed secrets are put back into the URL of a page")
    func revealed() throws {
        let plan = try plan("auth: {query: {key: '${TOKEN}'}}", pagination: URLStyle())
        let stored = Secrets(["hunter2"]).conceal("https://api.example.com/v1/things?key=hunter2&after=9")
        let page = try plan.page(for: PageCursor(stored))
        #expect(page.request.url.text == "https://api.example.com/v1/things?key=hunter2&after=9")
        #expect(page.identity == "GET https://api.example.com/v1/things?key=${secret:1}&after=9")
        #expect(page.cursor?.text == stored)
    }

    @Test(
        "A request stays at the origin for which it was written",
        arguments: [
            ("/v1/things?after=9", "https://api.example.com/v1/things?after=9"),
            ("?after=9", "https://api.example.com/v1/things?after=9"),
            ("https://API.example.com:443/next", "https://api.example.com/next"),
            ("http://api.example.com/next", "https://api.example.com/next"),
            ("https://cdn.example.com/next", "https://cdn.example.com/next"),
        ])
    func followed(cursor: String, url: String) throws {
        let plan = try plan(
            "auth: {bearer: '${TOKEN}'}\nallow_origins: ['https://cdn.example.com']", pagination: URLStyle())
        let page = try plan.page(for: PageCursor(cursor))
        #expect(page.request.url.text == url)
        #expect(page.request.credentialOrigin.description == "https://api.example.com")
    }

    @Test(
        "A page elsewhere is refused",
        arguments: [
            ("https://evil.example.com/next?t=${secret:1}", "https://evil.example.com/next?t=***"),
            ("https://api.example.com:8443/next", "https://api.example.com:8443/next"),
            ("http://api.example.com:8080/next", "http://api.example.com:8080/next"),
            ("https://cdn.example.com/hunter2/${secret:1}", "https://cdn.example.com/***/***"),
            ("file:///etc/passwd", "file:///etc/passwd"),
            ("https://u:hunter2@api.example.com/", "https://u:***@api.example.com/"),
        ])
    func foreign(cursor: String, url: String) throws {
        let plan = try plan(
            "auth: {bearer: '${TOKEN}'}\nallow_origins: ['https://cdn.example.com']", pagination: URLStyle())
        let error = try #require(error { () throws(FeedSyncError) in try plan.page(for: PageCursor(cursor)) })
        #expect(error.kind == .unfollowable)
        #expect(error.url == url)
        #expect(!"\(error) \(error.json) \(error.advice ?? "")".contains("hunter2"))
    }

    @Test("A page cursor that is none of the style's is reported")
    func wrongCursor() throws {
        let plan = try plan("auth: {bearer: '${TOKEN}'}\npagination: page")
        let error = try #require(error { () throws(FeedSyncError) in try plan.page(for: PageCursor("${secret:1}")) })
        #expect(error.kind == .unfollowable)
        #expect(error.message == "the page cursor `***` is not a page number from 1")
    }
}
