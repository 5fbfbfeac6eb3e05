internal import Concurrency
package import HTTPServer
internal import Platform

/// An upstream that is broken in every way that we know: `/NAME` is a list of three pages with the fault of that name.
///
/// `/` lists the kinds, and `/sound` is a list without a fault.
///
/// - Isolation: any thread.
package final class Hell: Sendable {
    private struct State {
        var calm: Set<String> = []
        var asked: [String: Int] = [:]
    }

    private let state = Lock(State())
    private static let kinds = Dictionary(uniqueKeysWithValues: HellKind.all.map { ($0.name, $0) })

    /// An upstream whose lists are all broken.
    package init() {}

    /// Serves the list of that name without its fault, or with it again.
    package func setCalm(_ name: String, _ isCalm: Bool) {
        state.withLock { state in
            if isCalm { state.calm.insert(name) } else { state.calm.remove(name) }
        }
    }

    /// Starts a server on a free port of 127.0.0.1.
    ///
    /// - Throws: `ServerError` if nothing can listen there.
    package func start() throws(ServerError) -> Server {
        try Server { self.answer($0) }
    }

    /// Answers one request.
    package func answer(_ request: ServerRequest) -> ServerResponse {
        let words = request.path.split(separator: "/")
        guard let name = words.first.map(String.init) else { return .html(Self.index) }
        let kind = Self.kinds[name]
        guard kind != nil || name == "sound" else { return .json(#"{"message":"no such kind"}"#, status: 404) }
        let (isCalm, asked) = state.withLock { state in
            defer { state.asked[name, default: 0] += 1 }
            return (state.calm.contains(name), state.asked[name, default: 0])
        }
        let page = HellPage(request, name: name, asked: asked)
        guard let kind, !isCalm else { return page.sound() }
        return kind.answer(page)
    }

    /// The page that lists the kinds.
    private static var index: String {
        let rows = HellKind.all.map { kind in
            "<tr><td><a href=\"/\(kind.name)\">\(kind.name)</a><td>\(kind.group)<td>\(kind.code)<td>\(kind.summary)"
        }
        return """
            <!DOCTYPE html><meta charset="utf-8"><title>feedsync demo --hell</title>
            <h1>Ways in which an upstream can be broken</h1>
            <table><tr><th>path<th>group<th>exit code<th>what is wrong
            \(rows.joined(separator: "\n"))
            </table>
            """
    }

    /// A configuration with a feed for each kind.
    ///
    /// - Parameter url: the server's.
    package static func configuration(url: String) -> String {
        let feeds = HellKind.all.map { feed($0, named: $0.name, at: url) }
        return "# An upstream that is broken in every way; see \(url)\nfeeds:\n" + feeds.joined()
    }

    /// The lines of a kind's feed.
    ///
    /// - Parameter url: the server's.
    package static func feed(_ kind: HellKind, named name: String, at url: String) -> String {
        """
          \(name):
            url: \(url)/\(kind.name)
            items: items
            key: id
            columns: {id: id, name: name}
            pagination: \(kind.pagination)
            sync: {mode: all}
            timeout: \(kind.isStalled ? "1s" : "30s")
            retries: 0

        """
    }
}
