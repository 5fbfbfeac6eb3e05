internal import Text

/// The words with which an upstream says why it does not serve a page.
///
/// | meaning | examples |
/// | --- | --- |
/// | too many requests | `Rate limit exceeded`, `TooManyRequests`, `throttled`, `over quota`, `5 calls per minute` |
/// | trouble that may pass | `query timed out`, `system busy`, `temporarily unavailable`, `try again` |
/// | a part of the answer | `timeout`, `PARTIAL_SUCCESS`, `Results may be incomplete`, `store 3: partial response` |
/// | a cap | `Only the first 1000 results`, `Result window is too large`, `pagination is limited`, `maximum offset` |
///
/// Case and punctuation are ignored, and `tooMany`, `too_many` and `too many` are one. A phrase behind `no`, `not` or
/// `without` does not count.
package struct RefusalWords: Sendable {
    /// The most bytes of a text that are read.
    private static let most = 1_000

    private let words: [String]

    /// The words of a text.
    package init(_ text: String) {
        var words: [String] = []
        var word = ""
        var wasLower = false
        for byte in text.utf8.prefix(Self.most) {
            let isUpper = (0x41...0x5A).contains(byte)
            let isLower = (0x61...0x7A).contains(byte)
            let isPart = isUpper || isLower || byte.isASCIIDigit
            if !word.isEmpty, !isPart || isUpper && wasLower {
                words.append(word)
                word = ""
            }
            if isPart { word.unicodeScalars.append(Unicode.Scalar(isUpper ? byte | 0x20 : byte)) }
            wasLower = isLower
        }
        self.words = word.isEmpty ? words : words + [word]
    }

    /// True if the upstream was asked too often, as a 429 says.
    package var sayTooOften: Bool {
        // A limit may be mentioned without a complaint: `Unknown field rate_limit`, `Quota remaining: 5`.
        have(Self.tooOften)
            || Self.limits.contains { phrase in
                places(of: phrase).contains { place in
                    let near = words[max(0, place.lowerBound - 4)..<min(words.count, place.upperBound + 4)]
                    return near.contains { word in Self.complaints.contains { Self.fits(word, $0) } }
                }
            }
    }

    /// True if the upstream is in trouble that may pass, or was asked too often.
    package var sayTrouble: Bool { sayTooOften || have(Self.trouble) }

    /// True if there is more than the upstream serves.
    package var sayCap: Bool {
        have(Self.cap)
            || zip(words, words.dropFirst()).contains { word, next in
                ["first", "beyond"].contains(word) && next.utf8.allSatisfy(\.isASCIIDigit)
            }
    }

    /// True if the words are a status, all of them, by which the answer has only a part of what it should have.
    ///
    /// - Parameter isLast: True if no page follows: the next one may have what was cut off.
    func areOfPartialAnswer(isLast: Bool) -> Bool {
        let text = words.joined(separator: " ").replacing("timed out", with: "timeout")
            .replacing("deadline exceeded", with: "timeout")
        let words = text.split(separator: " ").map(String.init)
        guard (1...6).contains(words.count), words.allSatisfy({ Self.parts.contains($0) || Self.filling.contains($0) })
        else { return false }
        return words.contains { Self.parts.contains($0) && ($0 != "truncated" || isLast) }
    }

    /// True if a sentence among the words says that the answer has only a part of what it should have.
    ///
    /// - Parameter isLast: True if no page follows: the next one may have what was cut off.
    func sayPartial(isLast: Bool) -> Bool { have(Self.partial) || isLast && have(Self.cut) }

    /// The numbers among the words.
    var numbers: [Int] { words.compactMap(Int.init) }

    private func have(_ phrases: [[String]]) -> Bool { phrases.contains { !places(of: $0).isEmpty } }

    /// The places of a phrase in the words.
    private func places(of phrase: [String]) -> [Range<Int>] {
        words.indices.compactMap { start in
            let end = start + phrase.count
            guard end <= words.count, zip(words[start..<end], phrase).allSatisfy({ Self.fits($0, $1) }),
                start == 0 || !["no", "not", "without"].contains(words[start - 1])
            else { return nil }
            return start..<end
        }
    }

    /// A `*` stands for any ending.
    private static func fits(_ word: String, _ wanted: String) -> Bool {
        wanted.last == "*" ? word.hasPrefix(wanted.dropLast()) : word == wanted
    }

    private static func phrases(_ texts: [String]) -> [[String]] {
        texts.map { $0.split(separator: " ").map(String.init) }
    }

    private static let tooOften = phrases([
        "rate limited", "ratelimited", "rate exceeded", "too many requests", "too many calls", "too many visits",
        "throttled", "throttling", "throttle violation", "out of limit", "requests per", "calls per",
    ])
    private static let limits = phrases([
        "rate limit*", "ratelimit*", "request limit*", "requests limit*", "call limit*", "calls limit*", "api limit*",
        "quota*",
    ])
    private static let complaints = ["exceed*", "reach*", "hit", "over", "exhaust*", "out"]
    private static let trouble = phrases([
        "timed out", "request timeout", "query timeout", "gateway timeout", "timeout exceeded", "timeout expired",
        "busy", "unavailable", "overload*", "maintenance", "try again", "retry later",
        "internal error", "runtime error", "server error", "system error", "backend error", "unexpected error",
        "error occurred",
        "went wrong", "slow down",
    ])
    /// The statuses of a partial answer.
    private static let parts: Set<String> = [
        "partial", "partially", "incomplete", "truncated", "timeout", "timedout", "unreachable",
    ]
    /// The words that may stand beside them.
    private static let filling: Set<String> = [
        "content", "data", "result", "results", "response", "list", "success", "successful", "failure", "failed",
        "error", "errors", "complete", "completed", "search", "query", "request", "gateway", "upstream", "shard",
        "shards", "with", "and", "status",
    ]
    private static let answers = [
        "result*", "response*", "data", "list", "items", "records", "rows", "entries", "hits",
    ]
    private static let verbs = ["is", "are", "was", "were", "has been", "have been"]
    private static let partial =
        phrases(["timed out", "deadline exceeded", "are unreachable", "were unreachable", "could not be reached"])
        + phrases(["partial success", "partial failure*", "partial content"])
        + phrases(["partial", "incomplete"].flatMap { word in answers.map { "\(word) \($0)" } })
        + phrases(
            answers.flatMap { answer in
                (verbs + ["may be", "might be"]).flatMap { ["\(answer) \($0) partial", "\(answer) \($0) incomplete"] }
                    + verbs.map { "\(answer) \($0) omitted" }
            })
    private static let cut =
        phrases(answers.map { "truncated \($0)" })
        + phrases(answers.flatMap { answer in verbs.map { "\(answer) \($0) truncated" } })
    private static let cap = phrases([
        "the first", "limit*", "maxim*", "max", "window", "capped", "restricted", "can only", "too large", "too big",
        "too high", "too deep", "too far", "too many", "must be less", "less than or equal", "must be between",
    ])
}
