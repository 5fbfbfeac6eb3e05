/// The words with which an upstream says why it does not serve a page.
///
/// | meaning | examples |
/// | --- | --- |
/// | too many requests | `Rate limit exceeded`, `TooManyRequests`, `throttled`, `quota`, `5 calls per minute` |
/// | trouble that may pass | `query timed out`, `system busy`, `temporarily unavailable`, `try again` |
/// | a cap | `Only the first 1000 results`, `Result window is too large`, `pagination is limited`, `maximum offset` |
///
/// Case and punctuation are ignored, and `tooMany`, `too_many` and `too many` are one.
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
            let isPart = isUpper || isLower || (0x30...0x39).contains(byte)
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
    package var sayTooOften: Bool { have(Self.tooOften) }

    /// True if the upstream is in trouble that may pass, or was asked too often.
    package var sayTrouble: Bool { sayTooOften || have(Self.trouble) }

    /// True if there is more than the upstream serves.
    package var sayCap: Bool {
        have(Self.cap)
            || zip(words, words.dropFirst()).contains { word, next in
                ["first", "beyond"].contains(word) && next.utf8.allSatisfy { (0x30...0x39).contains($0) }
            }
    }

    private func have(_ phrases: [[String]]) -> Bool {
        phrases.contains { phrase in
            words.indices.contains { start in
                let end = start + phrase.count
                return end <= words.count && zip(words[start..<end], phrase).allSatisfy { Self.fits($0, $1) }
            }
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
        "rate limit*", "ratelimit*", "rate exceeded", "too many requests", "too many calls", "too many visits",
        "throttl*", "quota*", "request limit*", "requests limit*", "call limit*", "api limit*", "out of limit",
        "requests per", "calls per",
    ])
    private static let trouble = phrases([
        "timed out", "timeout", "busy", "unavailable", "overload*", "maintenance", "try again", "retry later",
        "internal error", "server error", "system error", "backend error", "unexpected error", "error occurred",
        "went wrong", "slow down",
    ])
    private static let cap = phrases([
        "the first", "limit*", "maxim*", "max", "window", "capped", "restricted", "can only", "too large", "too big",
        "too high", "too deep", "too far", "too many", "must be less", "less than or equal",
    ])
}
