import BodyFormats
import Feeds
import HTTP

/// A response with a test's text, and the body read from it.
struct BodyBench {
    var format: FeedFormat?
    var items: ItemsRule?
    var key: [Path] = []
    var columns: [ColumnDefinition] = []
    var type: String?
    var url = "https://example.org/blog/feed"

    func response(_ bytes: [UInt8]) throws -> Response {
        var headers = Headers()
        if let type { headers["Content-Type"] = type }
        return Response(status: 200, headers: headers, url: try WebURL(url), body: Body(bytes))
    }

    /// The body as JSON in one line; nil where it is left as it is.
    func json(_ bytes: [UInt8]) throws -> String? {
        let read = try BodyReader(format, items: items, columns: columns, key: key).read(try response(bytes))
        return try read.map { try JSONValue(parsing: $0.body.bytes).json }
    }

    func json(_ text: String) throws -> String? { try json(Array(text.utf8)) }

    /// The message of the error that the body is.
    func failure(_ bytes: [UInt8]) throws -> String? {
        let response = try response(bytes)
        do {
            _ = try BodyReader(format, items: items, columns: columns, key: key).read(response)
            return nil
        } catch {
            return error.kind == .undecodable ? error.message : "another kind"
        }
    }

    func failure(_ text: String) throws -> String? { try failure(Array(text.utf8)) }
}
