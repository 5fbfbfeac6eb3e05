import Foundation
import HTTPServer
import ScriptedServer
import Testing

@testable import FeedSync
@testable import Feeds

extension Preset {
    /// Every preset that ships.
    static var all: [Preset] {
        get throws { try names.compactMap { try named($0) } }
    }
}

/// The answers of a preset's upstream, page by page: the folder `examples/NAME`.
///
/// Its `example.json` has the source of the answers, the feed's values for the preset, and for each page the request
/// and the response's headers; the bodies are beside it, and for bodies in other formats than JSON their items as JSON.
struct PresetExample: Sendable {
    /// One answer.
    struct Page: Sendable {
        /// The path and query that fetch it, as they go over the wire.
        let target: String
        /// The status.
        let status: Int
        /// The headers that paging or caching may read.
        let headers: [String: String]
        /// The body.
        let body: String
        /// Its items as JSON, where the body is not; else the body.
        let items: String
    }

    /// The preset's name.
    let name: String
    /// The source of the answers.
    let source: String
    /// The preset's parameters.
    let parameters: [String: String]
    /// Further members of the feed, as YAML, which the preset leaves open.
    let members: String
    /// The start of the preset's own URL, as `https://host`; the server's once it is served.
    let origin: String
    /// The answers in the order in which a crawl asks for them; the last one says that it is the last.
    let pages: [Page]

    /// Every example, by name.
    static var all: [PresetExample] {
        get throws { try names.map(PresetExample.init) }
    }

    /// The folders there are.
    static var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() }
    }

    private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "examples")

    /// Reads a preset's example.
    init(_ name: String) throws {
        let folder = Self.folder.appending(path: name)
        let file = try JSONDecoder().decode(
            ExampleFile.self, from: try Data(contentsOf: folder.appending(path: "example.json")))
        self.name = name
        source = file.source
        parameters = file.with ?? [:]
        members = file.members ?? ""
        origin = file.origin
        pages = try file.pages.map { page in
            Page(
                target: page.request, status: page.status ?? 200, headers: page.headers ?? [:],
                body: try String(contentsOf: folder.appending(path: page.body), encoding: .utf8),
                items: try String(contentsOf: folder.appending(path: page.items ?? page.body), encoding: .utf8))
        }
    }

    private init(_ other: PresetExample, at origin: String) {
        func moved(_ text: String) -> String { text.replacing(other.origin, with: origin) }
        name = other.name
        source = other.source
        parameters = other.parameters
        members = other.members
        self.origin = origin
        pages = other.pages.map {
            Page(
                target: $0.target, status: $0.status, headers: $0.headers.mapValues(moved), body: moved($0.body),
                items: moved($0.items))
        }
    }

    /// Has a server answer as the example does, its links leading to that server.
    ///
    /// Parameters that are the same for all pages of a path are not looked at, so that a client that does not know the
    /// preset is answered too. What the example knows nothing of is a 404.
    ///
    /// - Returns: the example as it is served.
    func serve(on server: ScriptedServer) -> PresetExample {
        let served = PresetExample(self, at: server.url)
        for path in Set(pages.map { ServerRequest(target: $0.target).path }) {
            server.route(path) { served.answer($0) }
        }
        return served
    }

    /// The feed that starts from the preset; `url` takes the place of the preset's own.
    func definition(url: String? = nil) throws -> FeedDefinition {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let with = String(decoding: try encoder.encode(parameters), as: UTF8.self)
        let lines = ["preset: \(name)", parameters.isEmpty ? "" : "with: \(with)", url.map { "url: \"\($0)\"" } ?? ""]
        return try FeedDefinition.parse(
            name: "things", yaml: (lines + [members]).joined(separator: "\n"), file: name)
    }

    /// The elements of all pages, or the pages themselves where each is an item.
    func items(at path: Path?) throws -> [ExpectedValue] {
        try pages.flatMap { page in
            switch try ExpectedValue(page.items).value(at: path ?? Path([])) {
            case .array(let elements): return elements
            case .object(let members): return [.object(members)]
            default: throw MissingItems(page: page.target)
            }
        }
    }

    private func answer(_ request: ServerRequest) -> ServerResponse {
        let candidates = pages.map { (page: $0, wanted: ServerRequest(target: $0.target)) }
            .filter { $0.wanted.rawPath == request.rawPath }
        let telling = Set(candidates.flatMap { $0.wanted.query.map(\.name) }).filter { name in
            Set(candidates.map { $0.wanted.parameter(name) }).count > 1
        }
        let match =
            candidates.first { candidate in
                telling.allSatisfy { candidate.wanted.parameter($0) == request.parameter($0) }
            } ?? candidates.first.flatMap { first in telling.contains { request.parameter($0) != nil } ? nil : first }
        guard let page = match?.page else { return .json(#"{"message":"Not Found"}"#, status: 404) }
        let type = page.headers["Content-Type"] == nil ? ["Content-Type": "application/json; charset=utf-8"] : [:]
        let headers = page.headers.merging(type) { own, _ in own }
        return ServerResponse(
            status: page.status,
            headers: headers.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) },
            body: Array(page.body.utf8))
    }
}

extension PresetExample: CustomTestStringConvertible {
    var testDescription: String { name }
}

/// A page of an example has no items where the definition says they are.
private struct MissingItems: Error {
    let page: String
}

/// `example.json`
private struct ExampleFile: Decodable {
    struct Page: Decodable {
        let request: String
        let body: String
        let items: String?
        let status: Int?
        let headers: [String: String]?
    }

    let source: String
    let with: [String: String]?
    let members: String?
    let origin: String
    let pages: [Page]
}
