import Foundation
import Testing

@Suite struct AddConnectorTests {
    private static let manifest = """
        version: 6.1.0
        type: DeclarativeSource
        streams:
          - type: DeclarativeStream
            name: things
            primary_key: id
            retriever:
              type: SimpleRetriever
              requester:
                type: HttpRequester
                url_base: "{{ config['base'] }}"
                path: things
                authenticator: {type: BearerAuthenticator, api_token: "{{ config['token'] }}"}
              record_selector: {extractor: {type: DpathExtractor, field_path: [items]}}
          - type: DeclarativeStream
            name: odd
            retriever: {class_name: source_x.components.Odd, requester: {url_base: "https://example.com"}}
        spec:
          connection_specification:
            required: [base, token]
            properties:
              base: {type: string, examples: ["https://api.example.com/v1"]}
              token: {type: string, airbyte_secret: true}

        """

    private static let lines = """
        feeds:
          things:
            url: https://example.com/things
            auth: {bearer: "${TOKEN}"}
            items: items
            key: id
            pagination: none

        """

    private func place() throws -> Workplace {
        let place = try Workplace.withoutConfiguration()
        try place.write("manifest.yaml", Self.manifest)
        return place
    }

    @Test(
        "--connector adds the streams of a manifest, names those that are left out, and leaves them as they are the next time"
    )
    func added() async throws {
        let place = try place()
        let run = try await place.run("add --connector manifest.yaml --set base=https://example.com")
        #expect(run.code == 0)
        #expect(
            run.output == """
                added 1 feed to feedsync.yaml; left out: 1
                Set: TOKEN
                Next: feedsync sync

                """)
        #expect(
            run.errors
                == "feedsync: odd: left out: `source_x.components.Odd` is code of the connector's own (line 17)\n")
        #expect(try place.text(of: "feedsync.yaml") == Self.lines)
        #expect(try await place.run("check").code == 0)
        let again = try await place.run("add --connector . things --set base=https://example.com --every 1h")
        #expect(again.output == "added 0 feeds to feedsync.yaml; already there: 1\nNext: feedsync sync\n")
        #expect(try place.text(of: "feedsync.yaml") == Self.lines)
    }

    @Test("--dry-run prints the lines, and JSON has the reasons with their kinds")
    func dry() async throws {
        let place = try place()
        let dry = try await place.run("add --connector manifest.yaml --set base=https://example.com --dry-run")
        #expect("feeds:\n" + dry.output == Self.lines)
        let json = try await place.run("add --connector manifest.yaml --set base=https://example.com --dry-run --json")
        #expect(json.output.contains(#""stream":"things","feed":"things""#), "\(json.output)")
        #expect(json.output.contains(#"{"stream":"odd","kind":"code","reason":"#), "\(json.output)")
        #expect(!place.files.contains("feedsync.yaml"))
    }

    @Test(
        "--connector says what is wrong with its words and its file",
        arguments: [
            ("--connector manifest.yaml", 64, "the connector needs base\nTry: --set base=https://api.example.com/v1"),
            ("--connector manifest.yaml thing", 64, "manifest.yaml has no stream thing; did you mean things?"),
            ("--connector manifest.yaml --set bse=1", 64, "the connector has no setting bse; did you mean base?"),
            ("--connector manifest.yaml --set base", 64, "--set must have the form NAME=VALUE"),
            ("--connector none.yaml", 64, "none.yaml cannot be read: No such file or directory"),
            ("--connector empty", 65, "empty has no manifest.yaml"),
            ("--connector other.yaml", 65, "other.yaml: this is not a low-code manifest: it has no `streams`"),
            (
                "--connector manifest.yaml odd", 65,
                "odd: left out: `source_x.components.Odd` is code of the connector's own"
            ),
            ("--connector ftp://example.com/manifest.yaml", 64, "ftp"),
            ("things https://example.com --set a=b", 64, "unknown member `a`"),
        ] as [(String, Int32, String)])
    func faults(words: String, code: Int32, message: String) async throws {
        let place = try place()
        try place.write("other.yaml", "openapi: 3.1.0\n")
        try FileManager.default.createDirectory(
            atPath: place.path("empty"), withIntermediateDirectories: false)
        let run = try await place.run("add \(words)")
        #expect(run.code == code, "\(run.errors)")
        #expect(run.errors.contains(message), "\(run.errors)")
        #expect(!place.files.contains("feedsync.yaml"))
    }
}
