import Foundation
import ScriptedServer
import Testing

@Suite("show --format and -o")
struct OutputFileTests {
    private func place() async throws -> Workplace {
        let place = try Workplace()
        place.server.route("/things", to: PagedFeed(PagedFeed.items(1...3)))
        _ = try await place.run("sync")
        return place
    }

    @Test("--format prints what its short form prints", arguments: ["csv", "tsv", "json", "ndjson", "markdown"])
    func formats(_ format: String) async throws {
        let place = try await place()
        for command in ["show things --columns id,name", "sql SELECT(1)as\u{A0}n"] {
            let short = try await place.run("\(command) --\(format)")
            let long = try await place.run("\(command) --format \(format)")
            #expect(long.code == 0 && !long.output.isEmpty, "\(long.errors)")
            #expect(long.output == short.output)
            #expect(try await place.run("\(command) --format \(format) --\(format)").output == short.output)
        }
    }

    @Test("-o writes in the format of the file's ending, unless another one is named")
    func endings() async throws {
        let place = try await place()
        for (name, format) in [("a.csv", "csv"), ("a.jsonl", "ndjson"), ("a.md", "markdown"), ("a", "tsv")] {
            let run = try await place.run("show things -o \(name)")
            #expect(run.code == 0 && run.output.isEmpty, "\(run.errors)")
            #expect(try place.text(of: name) == (try await place.run("show things --format \(format)").output))
        }
        // A format that was named is no mistake.
        #expect(try await place.run("show things -o a.xml --csv").code == 0)
        _ = try await place.run("show things -o a.csv --json")
        #expect(try place.text(of: "a.csv").hasPrefix("[\n"))
        #expect(try await place.run("show things -o - --csv").output.hasPrefix("id,name"))
        // A terminal's choice of columns is not that of a file.
        _ = try await place.terminal("show things -o b.csv")
        #expect(try place.text(of: "b.csv").hasPrefix("id,name,_section"))
    }

    @Test("A file is replaced when all is written, and a failure leaves what was there")
    func replacing() async throws {
        let place = try await place()
        try place.write("a.csv", "old")
        #expect(chmod(place.path("a.csv"), 0o640) == 0)
        for words in ["show things --where nme=1 -o a.csv", "show nothing -o a.csv", "show things --sort x -o a.csv"] {
            #expect(try await place.run(words).code == 64)
            #expect(try place.text(of: "a.csv") == "old")
        }
        let files = place.files
        #expect(try await place.run("show things -o a.csv").code == 0)
        #expect(place.files == files && !files.contains { $0.hasSuffix(".new") }, "\(place.files)")
        var status = stat()
        #expect(stat(place.path("a.csv"), &status) == 0 && status.st_mode & 0o777 == 0o640)
        #expect(try place.text(of: "a.csv").hasPrefix("id,name"))
        let full = try await place.run("show things -o /dev/full")
        #expect(full.code == 74 && full.errors.contains("cannot write /dev/full: No space left"), "\(full.errors)")
        let nowhere = try await place.run("show things -o no/a.csv")
        #expect(nowhere.code == 74 && nowhere.errors.contains("cannot write no/a.csv"), "\(nowhere.errors)")
    }

    @Test("Links stay, and what a shell opened is written on")
    func links() async throws {
        let place = try await place()
        try FileManager.default.createSymbolicLink(atPath: place.path("link.csv"), withDestinationPath: "new.csv")
        for _ in 1...2 {
            #expect(try await place.run("show things -o link.csv --columns id").code == 0)
            #expect(try place.text(of: "new.csv") == "id\n1\n2\n3\n")
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: place.path("link.csv")) == "new.csv")
        }
        try place.write("log.txt", "before\n")
        for (file, redirection) in [("/dev/stdout", ">>"), ("/dev/fd/1", ">>"), ("/dev/fd/3", "3>>")] {
            let run = try await place.shell(
                "$FEEDSYNC show things --csv --columns id -o \(file) \(redirection) log.txt")
            #expect(run.code == 0, "\(run.errors)")
        }
        let rows = "id\n1\n2\n3\n"
        #expect(try place.text(of: "log.txt") == "before\n\(rows)\(rows)\(rows)")
        #expect(try await place.shell("$FEEDSYNC show things --csv --columns id -o /dev/stdout | cat").output == rows)
    }

    @Test("Formats that there are not, or that contradict one another, are refused")
    func wrong() async throws {
        let place = try await place()
        for (words, message) in [
            ("--format xml", "no such format: xml"), ("--format cvs", "did you mean csv?"),
            ("-o a.xlsx", "no such format: xlsx"), ("-o a.json.gz", "no such format: gz"),
            ("--format parquet", "Parquet is written by DuckDB"), ("-o a.parquet", "Parquet is written by DuckDB"),
            ("--format csv --json", "--json and --format csv cannot be used together"),
            ("--csv --tsv", "--tsv and --csv cannot be used together"),
        ] {
            let run = try await place.run("show things \(words)")
            #expect(run.code == 64 && run.errors.contains(message), "\(words): \(run.errors)")
            #expect(!place.files.contains { $0.hasPrefix("a.") })
        }
    }
}
