import Foundation
import HTTPServer
import ScriptedServer
import Testing

@Suite struct ConfigurationTests {
    @Test("Every error in the file is reported with its position and the word that was meant")
    func diagnostics() async throws {
        let place = try Workplace()
        try place.write(
            "feedsync.yaml",
            """
            feeds:
              things:
                url: https://api.example.com/things
                key: id
                colums: {id: id}
                pagination: {style: pages}
            """)
        for words in ["check", "reload things", "status"] {
            let run = try await place.run(words)
            #expect(run.errors.contains("feedsync: feedsync.yaml:5:5: "))
            #expect(run.errors.contains("did you mean `columns`?"))
            #expect(run.errors.contains("feedsync: feedsync.yaml:6:"))
            #expect(run.errors.contains("did you mean `page`?"))
            #expect(run.output.isEmpty)
            #expect(run.code == 78)
        }
    }

    @Test("check lists the feeds, and warns about unset references")
    func check() async throws {
        let place = try Workplace(extra: #"auth: {bearer: "${THINGS_TOKEN}"}"#)
        let run = try await place.run("check")
        #expect(run.output == "ok  things  \(place.server.url)/things  page\n")
        #expect(
            run.errors
                == "feedsync: things: warning: feedsync.yaml:9:20: the environment variable `THINGS_TOKEN` is not set\n"
        )
        #expect(run.code == 0)
        #expect(try await place.run("check", environment: ["THINGS_TOKEN": "x"]).errors.isEmpty)
        #expect(place.server.requests.isEmpty)
        #expect(try await place.run("reload things").code == 78)
    }

    @Test("Without a configuration, a command says where it looked and how to start")
    func none() async throws {
        let place = try Workplace()
        place.remove("feedsync.yaml")
        let run = try await place.run("reload things")
        #expect(run.errors.hasPrefix("feedsync: no configuration: "))
        #expect(run.errors.contains("./feedsync.yaml or \(place.folder)/.config/feedsync/feedsync.yaml\n"))
        #expect(run.errors.contains("\n    feedsync add swift-repos github.search "))
        #expect(run.code == 78)
        #expect(try await place.run("reload things --config nowhere.yaml").code == 78)
    }

    @Test("The store is --store, else $FEEDSYNC_STORE, else the configuration's")
    func storePath() async throws {
        let place = try Workplace()
        place.server.enqueue("/things", [.json(#"{"items":[{"id":1}]}"#)])
        let environment = ["FEEDSYNC_STORE": "variable.db"]
        #expect(try await place.run("reload things --store option.db", environment: environment).code == 0)
        #expect(try place.query("SELECT id FROM things", of: "option.db") == ["1"])
        #expect(try await place.run("reload things", environment: environment).code == 0)
        #expect(try place.query("SELECT id FROM things", of: "variable.db") == ["1"])
        #expect(!place.files.contains("feedsync.db"))
    }

    @Test("A store in a database that there is none of is refused, and made into no folder")
    func wrongScheme() async throws {
        let place = try Workplace()
        let words = ["sync --store postgre://h/x", "status --store mysql://h/x", "store copy mysql://h/x y.db"]
        for words in words {
            let run = try await place.run(words)
            #expect(run.code == 64 && run.errors.contains("a store is a file or `postgres://…`, not "), "\(run.errors)")
        }
        let variable = try await place.run("status", environment: ["FEEDSYNC_STORE": "postgre://h/x"])
        #expect(variable.code == 64 && variable.errors.contains("did you mean postgres?"), "\(variable.errors)")
        try place.write("feedsync.yaml", "store: mysql://h/x\n" + place.text(of: "feedsync.yaml"))
        let check = try await place.run("check")
        #expect(check.code == 78 && check.errors.contains("feedsync.yaml:1:8: a store is a file or"), "\(check.errors)")
        #expect(place.files == ["feedsync.yaml"])
    }

    @Test("If the store is named, it can be read without a configuration")
    func storeAlone() async throws {
        let place = try Workplace()
        place.server.enqueue("/things", [.json(#"{"items":[{"id":1,"name":"one"}]}"#)])
        #expect(try await place.run("reload things").code == 0)
        place.remove("feedsync.yaml")
        #expect(try await place.run("show things --store feedsync.db --columns id,name").output == "id\tname\n1\tone\n")
    }

    @Test("presets NAME prints the preset's file", arguments: ["github.search", "qf56.anchors"])
    func presets(name: String) async throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/Feeds/Presets/\(name).yaml")
        let printed = try await Workplace().run("presets \(name)").output
        #expect(printed == (try String(contentsOf: file, encoding: .utf8)))
        let json = try await Workplace().run("presets \(name) --json").output
        let list = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [[String: Any]]
        let object = try #require(list?.first)
        #expect(object["yaml"] as? String == printed)
        #expect(Set(object.keys) == ["name", "description", "parameters", "yaml", "version"])
    }

    @Test("The examples in Docs/configuration.md are valid")
    func documented() async throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Docs/configuration.md")
        let blocks = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "```yaml\n").dropFirst().map
        {
            $0.components(separatedBy: "```")[0]
        }
        #expect(blocks.count > 2)
        let place = try Workplace()
        for block in blocks {
            // Examples of single members are put into a feed.
            let text = block.hasPrefix("    ") ? "feeds:\n  things:\n    url: https://a.example\n\(block)" : block
            try place.write("feedsync.yaml", text)
            let run = try await place.run("check")
            #expect(run.code == 0, "\(block)\(run.errors)")
        }
    }
}
