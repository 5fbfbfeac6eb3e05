internal import Concurrency
internal import Feeds
internal import HTTP
internal import ResponseBody

/// The reason for which a body does not match its format.
struct BodyFault: Error {
    let problem: String
    /// The line from 1, and the column from 1.
    var line: Int?
    var column: Int?
    var advice: String?

    init(_ problem: String, line: Int? = nil, column: Int? = nil, advice: String? = nil) {
        self.problem = problem
        self.line = line
        self.column = column
        self.advice = advice
    }

    /// The error of a page, with the upstream's text masked.
    func error(of response: Response, as format: FeedFormat, secrets: Secrets) -> FeedSyncError {
        let place = line.map { " in line \($0)" + (column.map { ", column \($0)" } ?? "") } ?? ""
        return FeedSyncError(
            .undecodable,
            "the response cannot be read as \(format.words)\(place): \(secrets.mask(problem))",
            advice: advice
                ?? "run it again; if it stays so, tell the upstream, or correct `format` in the feed's definition")
    }
}

/// JSON text that is written piece by piece, and no further than its limit.
struct JSONOutput {
    /// The JSON written so far.
    private(set) var body = Body()
    private let limit: Int
    /// Kept from piece to piece, so that each does not need memory of its own.
    private var piece: [UInt8] = []

    init(limit: Int) {
        self.limit = limit
    }

    /// Drops what was written.
    mutating func startOver() { body = Body() }

    func write(_ text: StaticString) throws(BodyFault) {
        try check(text.withUTF8Buffer { body.append(UnsafeRawBufferPointer($0), limit: limit) }, text.utf8CodeUnitCount)
    }

    func write(_ text: ArraySlice<UInt8>) throws(BodyFault) {
        try check(text.withUnsafeBytes { body.append($0, limit: limit) }, text.count)
    }

    mutating func write(string text: String) throws(BodyFault) {
        guard text.utf8.count > Self.longest else {
            piece.removeAll(keepingCapacity: true)
            JSONText.append(text, to: &piece)
            return try write(piece[...])
        }
        // Escapes make a text up to six times as long, so it is written without a copy.
        try write("\"")
        var rest = text.unicodeScalars[...]
        while !rest.isEmpty {
            let part = rest.prefix(Self.longest)
            rest = rest[part.endIndex...]
            piece.removeAll(keepingCapacity: true)
            JSONText.append(String(part), to: &piece)
            try write(piece.dropFirst().dropLast())
        }
        try write("\"")
    }

    /// The most bytes of a text that are written at once.
    private static let longest = 64 << 10

    func write(_ value: JSONValue) throws(BodyFault) {
        var text = value.json
        try check(text.withUTF8 { body.append(UnsafeRawBufferPointer($0), limit: limit) }, text.utf8.count)
    }

    private func check(_ isWritten: Bool, _ count: Int) throws(BodyFault) {
        guard !isWritten else {
            // Looks once for each MiB whether anybody still wants it.
            let isNext = body.count >> 20 != (body.count - count) >> 20
            if isNext, WorkLimit.hasToEnd { throw BodyFault("the work was ended") }
            return
        }
        guard count <= limit - body.count else {
            throw BodyFault(
                "it becomes more than \(limit) bytes of JSON",
                advice: "ask for smaller pages, or give the feed a larger `max_memory`")
        }
        throw BodyFault("there is not enough memory for it", advice: PageMemory.advice)
    }
}
