import BodyFormats
import Feeds
import HTTP
import JSON
import Pagination
import Platform
import ResponseBody
import Text
import Time

/// The input of libFuzzer; `FUZZ_TARGET` names the parser. No input may trap, and two ways to the same result must
/// agree.
@_cdecl("LLVMFuzzerTestOneInput")
public func test(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    target(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

private let target: @Sendable ([UInt8]) -> Void = {
    let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = targets[name] else { fatalError("FUZZ_TARGET is one of \(targets.keys.sorted())") }
    return target
}()

private let targets: [String: @Sendable ([UInt8]) -> Void] = [
    "json": json, "paths": paths, "links": links, "dates": dates, "waits": waits, "urls": urls, "codings": codings,
    "configuration": configuration, "bodies": bodies, "commands": commands, "pages": pages,
    "requests": requests, "contents": contents,
]

private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

/// A value survives being written and read again.
@Sendable private func json(_ bytes: [UInt8]) {
    guard let value = try? JSONValue(parsing: bytes) else { return }
    guard let again = try? JSONValue(parsing: value.json) else { fatalError("what was written cannot be read") }
    precondition(again == value)
    // The page decoder agrees about what JSON is; it leaves half surrogate pairs as they are written.
    precondition(
        BodyProbe.value(of: Body(bytes), at: Path([])) != nil || text(bytes).utf8.count != bytes.count || !isUTF8(bytes)
    )
}

private func isUTF8(_ bytes: [UInt8]) -> Bool { String(validating: bytes, as: UTF8.self) != nil }

/// A body with a content coding is the same if it comes at once or in two parts. The first byte chooses the coding
/// and the place of the cut. libzstd looks at the reserved bit of a frame's header only if the header comes at once: such a
/// body may be refused whole and read in two parts, or have no end then.
@Sendable private func contents(_ bytes: [UInt8]) {
    guard let first = bytes.first else { return }
    let codings = [["gzip"], ["deflate"], ["br"], ["zstd"], ["gzip, br"], ["zstd, deflate"]]
    let coding = codings[Int(first) % codings.count]
    let body = Array(bytes.dropFirst())
    let place = body.count * (Int(first) / codings.count) / 43
    let whole = content([body], coding)
    let parted = content([Array(body[..<place]), Array(body[place...])], coding)
    let mayBeRefused = coding.contains { $0.contains("zstd") }
    precondition(whole == parted || mayBeRefused && (whole == nil || parted == nil))
}

/// The decoded parts of a body; nil if they are not of the coding, have no end, or are more than 1 MB.
private func content(_ parts: [[UInt8]], _ coding: [String]) -> [UInt8]? {
    guard let decoder = try? ContentDecoder(coding, limit: 4 << 20) else { fatalError("\(coding) is not known") }
    var content: [UInt8] = []
    for part in parts {
        let isRead: Void? = part.withUnsafeBytes { part in
            try? decoder.decode(part) { block in
                content += block
                return content.count <= 1 << 20
            }
        }
        if isRead == nil { return nil }
    }
    return decoder.isAtEnd ? content : nil
}

@Sendable private func paths(_ bytes: [UInt8]) {
    guard let path = try? Path(text(bytes)) else { return }
    guard let again = try? Path(path.description) else { fatalError("\(path) cannot be read again") }
    precondition(again == path)
}

/// A parser that is slow and plain has a second opinion of links that are well-formed: `<target>; rel=word`, with
/// commas.
@Sendable private func links(_ bytes: [UInt8]) {
    let value = text(bytes)
    let header = LinkHeader([value])
    _ = header.target(of: "next")
    let plain = value.split(separator: ",", omittingEmptySubsequences: false).map(plainLink)
    guard plain.allSatisfy({ $0 != nil }) else { return }
    precondition(header.links.map(\.target) == plain.compactMap { $0?.target })
    precondition(header.links.map(\.relations) == plain.compactMap { $0.map { [$0.relation] } })
}

private func plainLink(_ text: Substring) -> (target: String, relation: String)? {
    let isWord: (Character) -> Bool = { $0.isASCII && ($0.isLowercase || $0.isNumber) }
    guard text.first == "<", let end = text.firstIndex(of: ">") else { return nil }
    let target = text[text.index(after: text.startIndex)..<end]
    let rest = text[text.index(after: end)...]
    guard !target.isEmpty, target.allSatisfy(isWord), rest.hasPrefix("; rel=") else { return nil }
    let relation = rest.dropFirst(6)
    guard !relation.isEmpty, relation.allSatisfy(isWord) else { return nil }
    return (String(target), String(relation))
}

/// A curl command can be written into a configuration without a change of its meaning.
@Sendable private func commands(_ bytes: [UInt8]) {
    guard let curl = try? CurlCommand(text(bytes)) else { return }
    var members: [FeedEntry.Member] = [.init("url", .text(curl.url))]
    if !curl.query.isEmpty { members.append(.init("query", .mapping(curl.query))) }
    let names = curl.headers.map(\.name)
    if !curl.headers.isEmpty, Set(names).count == names.count {
        members.append(.init("headers", .mapping(curl.headers)))
    }
    members += curl.others
    // A body of lists in lists has its own limit of depth, which the reader tells of.
    if let body = curl.body, bytes.count(where: { $0 == UInt8(ascii: "[") || $0 == UInt8(ascii: "{") }) < 64 {
        members.append(.init("body", body))
    }
    do throws(ConfigurationError) {
        _ = try ConfigurationEditor([], file: "f").adding(FeedEntry(name: "x", members: members))
    } catch {
        guard "\(error)".contains("is too long for the name of a member") else { fatalError("\(error)") }
    }
}

/// A time survives being written and read again.
@Sendable private func dates(_ bytes: [UInt8]) {
    let text = text(bytes)
    _ = HTTPDate.seconds(text)
    if let duration = DurationText.parse(text) {
        precondition(DurationText.parse(DurationText.text(duration)) == duration)
    }
    guard let time = Timestamp(text) else { return }
    precondition(Timestamp(time.text) == time)
    _ = time.earlier(by: .seconds(86_400))
}

private let place = try? WebURL("http://127.0.0.1/things")

@Sendable private func waits(_ bytes: [UInt8]) {
    guard let place else { fatalError("no libcurl") }
    let text = text(bytes)
    let names = [
        "Retry-After", "Date", "RateLimit", "RateLimit-Policy", "X-RateLimit-Remaining", "X-RateLimit-Reset",
        "RateLimit-Reset",
        "Cache-Control", "Age", "X-Poll-Interval",
    ]
    let values = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let fields = zip(names, values).map { NamedValue(name: $0, value: $1) }
    let response = Response(status: 429, headers: Headers(fields), url: place)
    for now in [0, 1_795_000_000, Int64.max, Int64.min] {
        if let wait = response.retryAfter(now: now) { precondition(wait <= .seconds(86_400)) }
        if let wait = response.rateLimit(now: now)?.resetAfter { precondition(wait <= .seconds(86_400)) }
    }
}

/// A joined URL stays http or https, and means the same when it is read again.
@Sendable private func urls(_ bytes: [UInt8]) {
    guard let place else { fatalError("no libcurl") }
    guard let url = try? place.resolving(text(bytes)) else { return }
    precondition(url.description.hasPrefix("http://") || url.description.hasPrefix("https://"))
    guard let again = try? WebURL(url.description) else { fatalError("\(url) cannot be read again") }
    precondition(again.origin == url.origin)
}

@Sendable private func codings(_ bytes: [UInt8]) {
    let text = text(bytes)
    precondition(PercentCoding.decoded(Substring(PercentCoding.encoded(text)).utf8, plus: "+") == text)
    precondition(PercentCoding.decoded(Substring(FormEncoding.encoded(text)).utf8, plus: " ") == text)
    for (name, value) in FormEncoding.parameters(in: Substring(text).utf8) { _ = name.count + value.count }
    // Masked texts hold no secret any more, and concealed ones come back.
    let words = text.split(separator: "\n", maxSplits: 1).map(String.init)
    guard words.count == 2, words[0].utf8.count >= 4 else { return }
    let secrets = Secrets([words[0]])
    precondition(!secrets.mask(words[1]).contains(words[0]) || words[0].allSatisfy { $0 == "*" })
    if !words[1].contains("%"), !words[1].contains("\\"), words[1].contains(words[0]) {
        _ = secrets.reveal(secrets.conceal(words[1]))
    }
}

@Sendable private func configuration(_ bytes: [UInt8]) {
    do throws(ConfigurationError) {
        _ = try Configuration.parse(bytes, file: "fuzz.yaml", environment: ["HOME": "/"], allowsCommands: true)
    } catch {
        precondition(!error.diagnostics.isEmpty)
        for diagnostic in error.diagnostics { _ = diagnostic.description }
    }
}

/// The first byte selects the format; the result is JSON.
@Sendable private func bodies(_ bytes: [UInt8]) {
    guard let place else { fatalError("no libcurl") }
    let formats: [FeedFormat?] = [.csv, .ndjson, .atom, .rss, nil]
    guard let first = bytes.first else { return }
    let response = Response(
        status: 200, headers: ["Content-Type": first & 8 == 0 ? "text/plain" : "text/csv; charset=iso-8859-1"],
        url: place,
        body: Body(Array(bytes.dropFirst())))
    guard let read = try? BodyReader(formats[Int(first & 7) % formats.count]).read(response) else { return }
    // Of JSON, only the encoding is changed.
    precondition(read.format == .json || (try? JSONValue(parsing: read.body.bytes)) != nil)
}
