internal import Concurrency
internal import FeedSync
internal import HTTP
internal import Reports

/// Shows and records every request of a command, as `--verbose` and `--trace` ask.
///
/// - Isolation: any thread.
final class Tracing: Sendable {
    private let console: Console
    private let verbosity: Int
    private let archive: HTTPArchive?

    /// The tracing options of the command line; nil if there are none.
    ///
    /// - Throws: `Failure` with exit code 74 if the file cannot be written.
    init?(_ invocation: Invocation, console: Console) throws(Failure) {
        verbosity = invocation.times(.verbose)
        archive = try invocation.options[.trace].map { path throws(Failure) in try HTTPArchive(path: path) }
        self.console = console
        if verbosity == 0, archive == nil { return nil }
    }

    /// Takes in something that happened on a feed.
    func follow(_ feed: String, _ trace: RequestTrace) {
        if verbosity > 0 {
            let lines = TraceText(feed: feed, hasHeaders: verbosity > 1, palette: console.errorPalette).lines(trace)
            console.trace(lines)
        }
        guard let archive, case .ended(let exchange) = trace else { return }
        if let failure = archive.add(exchange, of: feed) { console.fail(failure) }
    }
}

/// Requests and responses for people, in the signs that curl made usual: `>` goes out, `<` comes back.
struct TraceText: Sendable {
    let feed: String
    /// True if header fields are shown, too.
    let hasHeaders: Bool
    let palette: Palette

    /// The event, on one or more lines.
    func lines(_ trace: RequestTrace) -> [String] {
        switch trace {
        case .began(let request): [line(request.number, "> \(request.method) \(request.url)\(Self.condition(request))")]
        case .ended(let exchange): lines(exchange)
        case .retrying(let attempt, let wait, let isAskedFor, let reason):
            [line(nil, "attempt \(attempt) \(Self.pause(wait, isAskedFor)): \(reason)")]
        case .changingCredential(let reason):
            [line(nil, "again at once with another credential of `auth`: \(reason)")]
        case .paced(let wait): [line(nil, "next request in \(NumberFormat.duration(wait)), at the feed's rate")]
        case .page(let page): [line(nil, Self.words(page))]
        }
    }

    private func lines(_ exchange: TracedExchange) -> [String] {
        let number = exchange.request.number
        let timings = exchange.timings
        let place = exchange.address.map { " from \($0)" } ?? ""
        let sent = hasHeaders ? exchange.request.headers.map { palette.faint(header(number, ">", $0)) } : []
        let body = hasHeaders ? exchange.request.body.map { [palette.faint(line(number, "> \($0)"))] } ?? [] : []
        guard let answer = exchange.answer else {
            let reason = exchange.failure ?? "no response"
            return sent + body + [line(number, "< \(reason)\(place) (\(Self.words(timings)))")]
        }
        let size = NumberFormat.bytes(answer.headerByteCount + answer.bodyByteCount)
        let status = "< \(answer.version) \(StatusText.text(answer.status)), \(size)\(place) (\(Self.words(timings)))"
        let received = hasHeaders ? answer.headers.map { palette.faint(header(number, "<", $0)) } : []
        let failure = exchange.failure.map { [line(number, "< \($0)")] } ?? []
        return sent + body + [line(number, status)] + received + failure
    }

    private func line(_ number: UInt64?, _ text: String) -> String {
        "\(palette.name(feed))\(number.map { " [\($0)]" } ?? "") \(DisplayWidth.printable(text))"
    }

    private func header(_ number: UInt64, _ sign: String, _ field: NamedValue) -> String {
        "\(feed) [\(number)] \(sign) \(field.name): \(field.value)"
    }

    /// The validators that the request goes out with.
    private static func condition(_ request: TracedRequest) -> String {
        let names = ["If-None-Match", "If-Modified-Since"]
        let fields = names.compactMap { name in Headers(request.headers)[name].map { "\(name): \($0)" } }
        return fields.isEmpty ? "" : " (\(fields.joined(separator: ", ")))"
    }

    private static func pause(_ wait: Duration, _ isAskedFor: Bool) -> String {
        guard wait > .zero else { return "now" }
        return "in \(NumberFormat.duration(wait))\(isAskedFor ? ", as the server asks" : "")"
    }

    private static func words(_ page: TracedPage) -> String {
        let cursor = page.cursor.map { " (cursor \($0))" } ?? ""
        let items = NumberFormat.count(page.itemCount, "item") + (page.isUnmodified ? ", not modified" : "")
        let next = page.next.map { "; next page: \($0)" } ?? "; no next page"
        return "page \(NumberFormat.count(page.number))\(cursor): \(items)\(next)"
    }

    /// The phases with their times.
    static func words(_ timings: Exchange.Timings) -> String {
        let phases = [
            ("DNS", timings.name), ("connect", timings.connect), ("TLS", timings.tls), ("first byte", timings.wait),
        ]
        let parts = phases.compactMap { name, time in time.map { "\(name) \(NumberFormat.duration($0))" } }
        return (parts + ["total \(NumberFormat.duration(timings.total))"]).joined(separator: ", ")
    }
}
