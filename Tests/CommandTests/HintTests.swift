import Foundation
import ScriptedServer
import Testing

@Suite("The hints of a command after a slip")
struct HintTests {
    @Test(
        "A folder that is missing is named, with the command that makes it",
        arguments: [
            "sync things --store no/such.db", "reload things --store no/such.db",
            "add x jsonfeed url=http://x/ --config no/such.yaml",
            "backup no/such.db", "sync things --trace no/such.har",
        ])
    func folders(words: String) async throws {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...3)))
        #expect(try await place.run("reload things").code == 0)
        let count = place.server.requests.count
        let run = try await place.run(words)
        #expect(run.code == (words.contains("--trace") ? 74 : 73))
        #expect(
            run.errors.contains("cannot be written: the folder no does not exist\nTry: mkdir -p no\n"), "\(run.errors)")
        #expect(place.server.requests.count == count)
        #expect(!place.files.contains("no"))
    }

    @Test("A missing folder in `store` is reported, too")
    func configuredStore() async throws {
        let place = try Workplace()
        try place.write("feedsync.yaml", "store: data/x.db\n" + (try place.text(of: "feedsync.yaml")))
        let run = try await place.run("sync")
        #expect(run.code == 73)
        #expect(
            run.errors == "feedsync: data/x.db cannot be written: the folder data does not exist\nTry: mkdir -p data\n")
    }

    @Test(
        "A store that was named and is not there is an error with the one that was probably meant, and not an empty one",
        arguments: ["status", "show things", "feeds", "plan", "events", "changes", "explain things"])
    func stores(words: String) async throws {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...3)))
        #expect(try await place.run("reload things").code == 0)
        let typo = try await place.run("\(words) --store fedsync.db")
        #expect(typo.code == 73)
        #expect(typo.errors == "feedsync: no store at fedsync.db; did you mean feedsync.db?\n")
        let folder = try await place.run("\(words) --store no/feedsync.db")
        #expect(folder.code == 73)
        #expect(
            folder.errors.hasPrefix(
                "feedsync: no store at no/feedsync.db: the folder no does not exist\nTry: "))
        #expect(typo.output.isEmpty && folder.output.isEmpty)
    }

    @Test("The advice on a store that is not there is the command that creates it, with the options that name it")
    func creation() async throws {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...3)))
        let usual = try await place.run("backup copy.db")
        #expect(usual.code == 73 && usual.errors.hasSuffix("\nTry: feedsync sync  # creates it\n"), "\(usual.errors)")
        let named = try await place.shell("$FEEDSYNC sql 'SELECT 1' --config feedsync.yaml --store 'my own'")
        let advice = "feedsync sync --config feedsync.yaml --store 'my own'  # creates it"
        #expect(named.code == 73 && named.errors.hasSuffix("\nTry: \(advice)\n"), "\(named.errors)")
        let pasted = try await place.shell("feedsync() { $FEEDSYNC \"$@\"; }; \(advice)")
        #expect(pasted.code == 0 && place.files.contains("my own"), "\(pasted.errors)")
        let copied = try await place.run("store copy other postgres:///x")
        #expect(copied.errors.hasSuffix("\nTry: feedsync sync --store other  # creates it\n"), "\(copied.errors)")
    }

    @Test("A command that is advised keeps the options that name the configuration and the store, and can be pasted")
    func options() async throws {
        let place = try Workplace()
        let options = "--config feedsync.yaml --store 'my own'"
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...3)))
        #expect(try await place.shell("$FEEDSYNC sync \(options)").code == 0)
        for (words, advice) in [
            ("show things --sort x", "feedsync explain things \(options)  # lists the columns"),
            ("show none", "feedsync status \(options)  # lists them"),
            ("explain none", "feedsync feeds \(options)  # lists those of feedsync.yaml"),
            ("sql 'SELECT * FROM thing'", "feedsync sql 'SELECT * FROM things' \(options)"),
            ("show things --where x", "feedsync help show"),
        ] {
            let run = try await place.shell("$FEEDSYNC \(words) \(options)")
            #expect(run.code == 64 && run.errors.hasSuffix("\nTry: \(advice)\n"), "\(run.errors)")
            let pasted = try await place.shell("feedsync() { $FEEDSYNC \"$@\"; }; \(advice)")
            #expect(pasted.code == 0, "\(advice): \(pasted.errors)")
        }
        let missing = try await place.shell("$FEEDSYNC sync --store 'no folder/x.db'")
        #expect(missing.errors.hasSuffix("\nTry: mkdir -p 'no folder'\n"), "\(missing.errors)")
        let added = try await place.shell(
            "$FEEDSYNC add more jsonfeed url=http://127.0.0.1:1/ --config 'my feeds.yaml'")
        #expect(added.output.hasSuffix("Next: feedsync sync more --config 'my feeds.yaml'\n"), "\(added.errors)")
        let secret = try await place.run("explain none --store postgres://me:s3cr3t@127.0.0.1:1/x")
        #expect(secret.code == 64 && !secret.errors.contains("s3cr3t"), "\(secret.errors)")
    }

    @Test("A new store whose name is nearly that of another is made, with a note")
    func newStore() async throws {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...3)))
        #expect(try await place.run("reload things").errors.isEmpty)
        let run = try await place.run("reload things --store fedsync.db")
        #expect(run.code == 0)
        #expect(run.errors == "feedsync: note: fedsync.db is a new store; there is also feedsync.db\n")
        #expect(try await place.run("reload things --store fedsync.db").errors.isEmpty)
        #expect(try await place.run("reload things --store other.db").errors.isEmpty)
    }

    @Test("A configuration whose name is mistyped")
    func configuration() async throws {
        let place = try Workplace()
        let run = try await place.run("check --config fedsync.yaml")
        #expect(run.code == 78)
        #expect(run.errors.hasSuffix("\nTry: --config feedsync.yaml\n"), "\(run.errors)")
    }

    @Test(
        "The names that other programs have for a command lead to ours",
        arguments: [
            ("ls", "feeds"), ("pull", "sync"), ("init", "add"), ("run", "sync"), ("get", "show"), ("query", "sql"),
            ("mv", "rename"), ("diff", "changes"), ("logs", "events"),
        ])
    func commands(word: String, command: String) async throws {
        let run = try await Workplace().run(word)
        #expect(run.code == 64)
        #expect(
            run.errors
                == "feedsync: no such command: \(word); did you mean \(command)?\nTry: feedsync help \(command)\n")
    }
}
