import Foundation
import HTTPServer
import ScriptedServer
import Testing

@Suite struct ExplainTests {
    private func place() throws -> Workplace {
        let place = try Workplace()
        try place.write(
            "feedsync.yaml",
            """
            defaults: {timeout: 5s}
            feeds:
              repo:
                preset: github.repo
                url: \(place.server.url)/repos/{owner}/{repo}?token=abcdefgh
                with: {owner: apple, repo: swift}
                headers: {Accept: null}
                query: {q: "${WORD}"}
                auth: {bearer: s3cr3tvalue}
                columns: null
              things:
                url: \(place.server.url)/things
                auth: {header: {X-Key: "${THINGS_KEY}"}}
                key: id
                columns: {id: id}
                items: items
                pagination: {style: page, total: total_count}

            """)
        return place
    }

    @Test("explain shows the complete definition, and says what is unset")
    func definition() async throws {
        let place = try place()
        let run = try await place.run("explain repo")
        #expect(
            run.output == #"""
                  # preset github.repo
                  repo:
                    url: \#(place.server.url)/repos/apple/swift?token=***
                    query: {q: "${WORD}"}
                    headers: {X-GitHub-Api-Version: "2022-11-28"}
                    auth: {bearer: "***"}
                    key: id
                    model: repository
                    columns:
                      id: id
                    pagination: {style: none}
                    sync: {mode: auto}
                    timeout: 5s
                    retries: 5
                    raw: false
                    show:
                      title: full_name
                      text: description
                      link: html_url
                      picture: avatar_url
                      time: pushed_at
                      figures: [stars, forks, language]

                Next request
                  none: feedsync.yaml:8:16: the environment variable `WORD` is not set

                Store
                  none yet

                """#)
        #expect(run.errors.isEmpty)
        #expect(run.code == 0)
        #expect(place.server.requests.isEmpty)
        #expect(place.files == ["feedsync.yaml"])
    }

    @Test("explain shows the next request, with its conditions, and what the store knows")
    func known() async throws {
        let place = try place()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...25)))
        let environment = ["THINGS_KEY": "s3cr3tvalue"]
        #expect(try await place.run("reload things", environment: environment).code == 0)
        let first = try await place.run("explain things", environment: environment).output
        #expect(first.contains("\n    auth: {header: {X-Key: \"${THINGS_KEY}\"}}\n"))
        #expect(
            first.contains(
                """
                Next request
                  GET \(place.server.url)/things?page=2
                  X-Key: ***
                  (by more, whether or not it has changed)

                Store
                  file        feedsync.db
                  feed        endHeader, 10 items, generation 1
                  next page   2
                  last crawl  1 page, can be continued
                  pages kept  1, 1 with validators
                  last run    reload, ok, \

                """.dropLast()))
        #expect(try await place.run("more things --all", environment: environment).code == 0)
        let last = try await place.run("explain things", environment: environment).output
        #expect(last.contains("\n  GET \(place.server.url)/things?page=1\n  X-Key: ***\n  If-None-Match: \""))
        #expect(last.contains("\n  (by reload, only if it has changed)\n"))
        #expect(last.contains("\n  next page   none; the end was reached\n  last crawl  3 pages, complete\n"))
        #expect(!last.contains("s3cr3tvalue"))
    }

    @Test("Discovered settings are marked, and used in the next request")
    func found() async throws {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...25)))
        try place.write("feedsync.yaml", "feeds:\n  things:\n    url: \(place.server.url)/things\n")
        #expect(try await place.run("explain things").output.contains("\n    pagination: auto  # not found yet\n"))
        #expect(try await place.run("reload things").code == 0)
        let run = try await place.run("explain things")
        #expect(run.output.contains("\n    items: items  # found\n    key: id  # found\n    columns:\n"))
        #expect(run.output.contains("\n      name: {path: name, type: text}  # found\n    pagination: {style: page, "))
        #expect(run.output.contains("\n  GET \(place.server.url)/things?page=2\n"))
        let json = try await place.run("explain things --json").output
        #expect(json.contains(#""found":["items","key","columns","pagination"]"#))
    }

    @Test("explain --json is one document")
    func json() async throws {
        let place = try place()
        let text = try await place.run("explain things --json", environment: ["THINGS_KEY": "s3cr3tvalue"]).output
        let list = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]]
        let object = try #require(list?.first)
        #expect(
            Set(object.keys) == [
                "feed", "preset", "definition", "found", "warnings", "request", "lists", "store", "version",
            ])
        #expect((object["request"] as? [String: Any])?["url"] as? String == "\(place.server.url)/things?page=1")
        #expect((object["definition"] as? [String: Any])?["timeout"] as? String == "5s")
        #expect(object["store"] is NSNull)
        #expect(!text.contains("s3cr3tvalue"))
    }

    @Test("No command shows a credential that is spelled out in a definition")
    func literals() async throws {
        let place = try Workplace()
        try place.write(
            "feedsync.yaml",
            """
            feeds:
              things:
                url: \(place.server.url)/things?access_token=l1teral1
                query: {api_key: l1teral2, sig: l1teral3, jwt: l1teral4, q: open}
                headers: {X-Auth-Token: l1teral5}
                key: id
                columns: {id: id}
                items: items
                pagination: page

            """)
        place.server.route("/things") { request in .json(#"{"message":"\#(request.query)"}"#, status: 403) }
        var shown = ""
        for command in [
            "reload", "explain things", "explain things --json", "check", "check --online", "status", "status --json",
            "events --json", "plan",
        ] {
            let run = try await place.run(command)
            shown += "\(command):\n\(run.output)\(run.errors)\n"
        }
        #expect(!shown.contains("l1teral"), "\(shown)")
        #expect(shown.contains("q: open") && shown.contains("q=open") && shown.contains("sig=***"), "\(shown)")
    }

    @Test("explain needs a feed that exists")
    func unknown() async throws {
        let run = try await place().run("explain thigns")
        #expect(run.errors.hasPrefix("feedsync: no such feed: thigns; did you mean things?\n"))
        #expect(run.code == 64)
    }

    @Test("explain does not run commands: their output is shown as ***")
    func commands() async throws {
        let place = try Workplace(extra: #"auth: {bearer: "${command: touch ran; echo s3cr3t}"}"#)
        let run = try await place.run("explain things --config feedsync.yaml")
        #expect(
            run.output.contains(
                """
                Next request
                  GET \(place.server.url)/things?per_page=100&page=1
                  Authorization: ***
                  (by reload, its command was not run; its output is shown as ***)

                """))
        #expect(run.code == 0)
        #expect(!place.files.contains("ran"))
    }
}
