import Connectors
import Feeds

/// A small manifest, and the feeds that it becomes.
struct Manifest {
    let text: String
    var settings: [(name: String, value: String)] = []
    var schemas: [String: String] = [:]

    init(_ text: String) { self.text = text }

    /// A manifest of one stream, `things`; the pieces are in YAML, on one line each.
    ///
    /// - Parameters:
    ///   - stream: Members of the stream.
    ///   - retriever: Members of the retriever.
    ///   - requester: Members of the requester.
    init(stream: [String] = [], retriever: [String] = [], requester: [String] = [], others: String = "") {
        func lines(_ pieces: [String], _ indentation: String) -> String {
            pieces.map { "\n\(indentation)\($0)" }.joined()
        }
        text = """
            version: 6.0.0
            type: DeclarativeSource
            streams:
              - type: DeclarativeStream
                name: things
                primary_key: id\(lines(stream, "    "))
                retriever:
                  type: SimpleRetriever
                  record_selector: {type: RecordSelector, extractor: {type: DpathExtractor, field_path: [data]}}\(lines(retriever, "      "))
                  requester:
                    type: HttpRequester
                    url_base: https://api.example.com/v1/
                    path: /things\(lines(requester, "        "))
            spec:
              connection_specification:
                required: [api_key, start_date, account, mode]
                properties:
                  api_key: {type: string, airbyte_secret: true}
                  start_date: {type: string, examples: ["2024-01-01"]}
                  account: {type: string}
                  mode: {type: string, default: live}
                  size: {type: integer, default: 25}
                  region: {type: string}
                  credentials:
                    oneOf:
                      - properties: {kind: {const: key}, key: {type: string, airbyte_secret: true}}
                        required: [kind, key]
            \(others)
            """
    }

    /// The manifest with a value of a setting.
    func setting(_ name: String, _ value: String) -> Manifest {
        var manifest = self
        manifest.settings.append((name, value))
        return manifest
    }

    func translation(
        of streams: [String] = [], besides configured: [FeedDefinition] = []
    ) throws -> Connector.Translation {
        var files = Connector.Files(source: "manifest.yaml", manifest: Array(text.utf8))
        let schemas = schemas
        files.schema = { name in schemas[name].map { Array($0.utf8) } }
        return try Connector(files).translation(of: streams, given: settings, besides: configured)
    }

    /// The lines of the feeds, without indentation of the first level.
    func lines() throws -> String {
        let translation = try translation()
        let faults = translation.leftOut.map { "\($0.stream): \($0.fault.problem)" }
        return (translation.feeds.flatMap { $0.entry.lines.map { String($0.dropFirst(2)) } } + faults)
            .joined(separator: "\n")
    }

    /// A member of the only feed, as it is written; the reason where the stream is left out.
    func member(_ name: String) throws -> String? {
        let translation = try translation()
        if let leftOut = translation.leftOut.first { return "\(leftOut.fault.kind.rawValue): \(leftOut.fault.problem)" }
        let value = translation.feeds.last?.entry.members.first { $0.name == name }?.value
        return value.map { ConfigurationText.flow($0) }
    }
}
