internal import Concurrency
package import Feeds
internal import Platform
internal import YAML

/// A low-code connector: a manifest in YAML whose streams become feeds.
///
/// Its expressions are translated, not run. A stream that cannot be said as a feed is left out, with the reason.
package struct Connector: Sendable {
    /// The files of a connector.
    package struct Files: Sendable {
        /// The manifest's name in messages.
        package let source: String
        package let manifest: [UInt8]
        /// The `spec`, where it is a file of its own.
        var specification: [UInt8]?
        /// Gives the text of a schema's file, by its name.
        package var schema: @Sendable (_ name: String) -> [UInt8]? = { _ in nil }

        package init(source: String, manifest: [UInt8]) { (self.source, self.manifest) = (source, manifest) }
    }

    /// A stream that became a feed.
    package struct Feed: Sendable {
        package let stream: String
        package var entry: FeedEntry
        /// Remarks on what is otherwise than in the connector.
        package let notes: [String]
        /// True if nobody asked for it, but one that was asked for goes through its rows.
        package let isParent: Bool
    }

    /// A stream that did not.
    package struct LeftOut: Sendable {
        package let stream: String
        package let fault: ConnectorFault
    }

    /// The streams of a connector, said as feeds as far as that is possible.
    package struct Translation: Sendable {
        package var feeds: [Feed] = []
        package internal(set) var leftOut: [LeftOut] = []
        /// The feeds that are there already.
        package internal(set) var known: [String] = []

        package init() {}
    }

    /// The limits of a manifest: the largest ones have some 30,000 lines.
    private static let limits = YAMLLimits(nodes: 2_000_000, depth: 64)

    private let source: String
    private let document: ManifestDocument
    private let specification: Node?
    private let schema: @Sendable (_ name: String) -> [UInt8]?

    /// Reads a connector.
    ///
    /// - Throws: `ConnectorError` if the text is not YAML or not a manifest.
    package init(_ files: Files) throws(ConnectorError) {
        source = files.source
        let root = try Self.node(files.manifest, files.source)
        guard let root, root["streams"]?.elements != nil || root["dynamic_streams"] != nil else {
            throw ConnectorError(
                ["\(files.source): this is not a low-code manifest: it has no `streams`"],
                advice: "give the manifest.yaml of a connector, or the folder that holds it")
        }
        guard root["streams"]?.elements?.isEmpty == false else {
            throw ConnectorError(
                ["\(files.source): its streams are only known while the connector runs"],
                advice: "add each of them with feedsync add NAME URL")
        }
        document = ManifestDocument(root: root)
        let own = try files.specification.flatMap { bytes throws(ConnectorError) in
            try Self.node(bytes, "\(files.source), spec")
        }
        specification = Self.specification(root["spec"]) ?? Self.specification(own)
        schema = files.schema
    }

    private static func node(_ bytes: [UInt8], _ source: String) throws(ConnectorError) -> Node? {
        do throws(YAMLError) {
            return try Node.parse(bytes, source: source, limits: limits)
        } catch {
            throw ConnectorError(["\(error)"], advice: "give the manifest.yaml of a connector")
        }
    }

    private static func specification(_ node: Node?) -> Node? {
        node?["connection_specification"] ?? node?["connectionSpecification"]
    }

    private func streams() throws(ConnectorFault) -> [(name: String?, component: Component)] {
        let evaluator = Evaluator(settings: ConnectorSettings())
        return try (document.root["streams"]?.elements ?? []).map { node throws(ConnectorFault) in
            let component = try Component(node, in: document)
            return (try? StreamTranslator.name(of: component, evaluator), component)
        }
    }

    /// Translates streams.
    ///
    /// - Parameters:
    ///   - chosen: The names of the streams; none for all.
    ///   - given: Values of settings, by their names.
    ///   - configured: The feeds that there are already; one of the same name and URL stays as it is.
    /// - Throws: `ConnectorError` for a stream or a setting that there is not, and for settings that are missing.
    package func translation(
        of chosen: [String], given: [(name: String, value: String)], besides configured: [FeedDefinition] = []
    ) throws(ConnectorError) -> Translation {
        let all: [(name: String?, component: Component)]
        do throws(ConnectorFault) { all = try streams() } catch {
            throw ConnectorError(["\(source):\(error.line ?? 1): \(error.problem)"])
        }
        for name in chosen where !all.contains(where: { $0.name == name }) {
            let names = all.compactMap(\.name)
            let hint = NearestWord.question(for: name, among: names)
            throw ConnectorError(
                ["\(source) has no stream \(name)\(hint)"], advice: "its streams are \(names.joined(separator: ", "))",
                isOfWords: true)
        }
        let wanted = all.filter { chosen.isEmpty || chosen.contains($0.name ?? "") }
        try checkSettings(of: wanted, given)
        let settings = try ConnectorSettings(specification, given: given)
        return Translator(document, settings, schema, besides: configured).translation(of: wanted)
    }

    /// - Throws: `ConnectorError` that names all settings that are missing.
    private func checkSettings(
        of streams: [(name: String?, component: Component)], _ given: [(name: String, value: String)]
    ) throws(ConnectorError) {
        var missing: [String] = []
        // One missing setting hides the next one of its stream.
        while missing.count < 100 {
            // Any time will do to find out.
            let assumed = missing.map { (name: $0, value: "2020-01-01T00:00:00Z") }
            let settings = try ConnectorSettings(specification, given: given + assumed)
            let result = Translator(document, settings, schema, besides: []).translation(of: streams)
            let further = Set(result.leftOut.filter { $0.fault.kind == .setting }.map(\.fault.problem))
            guard !further.isEmpty else { break }
            missing += further.sorted()
        }
        guard !missing.isEmpty else { return }
        let settings = try ConnectorSettings(specification, given: given)
        let words = missing.map { name in
            "--set \(name)=\(settings.example(of: name.split(separator: ".").map(String.init)) ?? "…")"
        }
        throw ConnectorError(
            ["the connector needs \(missing.joined(separator: ", "))"], advice: words.joined(separator: " "),
            isOfWords: true)
    }
}

extension Connector.Files {
    /// The most bytes of a manifest.
    package static let mostBytes = 16 << 20

    /// Reads a manifest, or the folder of a connector: `manifest.yaml`, in it or in its `source_…`, with `spec.yaml` or
    /// `spec.json` and `schemas/` beside it.
    ///
    /// - Throws: `FileError`.
    package init(reading path: String) throws(FileError) {
        do throws(FileError) {
            self.init(source: path, manifest: try FileContents.read(path, limit: Self.mostBytes))
            add(beside: path.lastIndex(of: "/").map { String(path[...$0]) } ?? "")
        } catch {
            guard error.code == EISDIR else { throw error }
            let folder = path.hasSuffix("/") ? path : path + "/"
            let inside = Self.folders(in: folder).filter { $0.hasPrefix("source_") }.map { folder + $0 + "/" }
            let manifests = ([folder] + inside).flatMap { [$0 + "manifest.yaml", $0 + "manifest.yml"] }
            guard let manifest = manifests.first(where: { access($0, R_OK) == 0 }) else {
                throw FileError(problem: "has no manifest.yaml")
            }
            self.init(source: manifest, manifest: try FileContents.read(manifest, limit: Self.mostBytes))
            add(beside: manifest.lastIndex(of: "/").map { String(manifest[...$0]) } ?? "")
        }
    }

    private mutating func add(beside folder: String) {
        for name in ["spec.yaml", "spec.yml", "spec.json"] where specification == nil {
            specification = try? FileContents.read(folder + name, limit: Self.mostBytes)
        }
        schema = { name in
            guard !name.contains("/"), !name.hasPrefix(".") else { return nil }
            return try? FileContents.read(folder + "schemas/" + name, limit: Self.mostBytes)
        }
    }

    private static func folders(in folder: String) -> [String] {
        FolderNames.all(in: folder, most: 1_000).sorted()
    }
}
