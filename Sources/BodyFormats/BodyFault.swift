internal import Feeds
internal import HTTP
internal import ResponseBody

/// Why a body cannot be read as its format.
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

    /// The error of a page; what the upstream sent is masked.
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
    private(set) var bytes: [UInt8] = []
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    mutating func write(_ text: StaticString) throws(BodyFault) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
        try check()
    }

    mutating func write(_ text: ArraySlice<UInt8>) throws(BodyFault) {
        bytes.append(contentsOf: text)
        try check()
    }

    mutating func write(string text: String) throws(BodyFault) {
        JSONText.append(text, to: &bytes)
        try check()
    }

    mutating func write(_ value: JSONValue) throws(BodyFault) {
        bytes.append(contentsOf: value.json.utf8)
        try check()
    }

    private func check() throws(BodyFault) {
        guard bytes.count <= limit else {
            throw BodyFault("it becomes more than \(limit) bytes of JSON", advice: "ask for smaller pages")
        }
    }
}
