/// The credentials of one request, to be kept out of the store and of all output.
///
/// A secret is found as it is, percent-encoded once or twice, as JSON escapes it, in base64, in hexadecimal digits, and
/// in capitals or small letters alone. One of fewer than four bytes counts only as a separate word: masking every `1`
/// would only mangle the text.
package struct Secrets: Sendable {
    /// The replacement for a masked secret.
    package static let mask = "***"

    /// The first characters of a concealed secret.
    package static let placeholderPrefix = "${secret:"

    /// The bytes from which on a secret is one wherever it occurs.
    package static let certainLength = SecretMatch.certainLength

    /// The secrets, then the other forms of each.
    ///
    /// In order, so that a placeholder means the same in every process that resolves the same definition.
    private let values: [[UInt8]]
    /// The names of the values in placeholders.
    private let names: [String]
    /// The number of values that are secrets themselves, not encodings of one.
    private let count: Int
    /// The bytes with which a match can begin.
    private let mayBegin: [Bool]

    /// Secrets in the order in which placeholders number them; empty and repeated ones are passed over.
    package init(_ values: [String] = []) {
        var seen: Set<String> = []
        let secrets = values.filter { !$0.isEmpty && seen.insert($0).inserted }.map { Array($0.utf8) }
        let forms = secrets.enumerated().flatMap { index, secret in
            SecretForms.of(secret).map { (name: "\(index + 1):\($0.name)", bytes: $0.bytes) }
        }
        self.values = secrets + forms.map(\.bytes)
        names = (0..<secrets.count).map { "\($0 + 1)" } + forms.map(\.name)
        count = secrets.count
        var mayBegin = [Bool](repeating: false, count: 256)
        for first in self.values.compactMap(\.first) + SecretMatch.escapes { mayBegin[Int(first)] = true }
        self.mayBegin = mayBegin
    }

    /// These secrets, and others behind them.
    package func adding(_ others: [String]) -> Secrets {
        Secrets(values.prefix(count).map { String(decoding: $0, as: UTF8.self) } + others)
    }

    /// True if there is nothing to hide.
    package var isEmpty: Bool { values.isEmpty }

    /// The text with `***` in place of each secret, for people.
    package func mask(_ text: String) -> String {
        let bytes = Array(text.utf8)
        return isEmpty ? text : mask(bytes, in: 0..<bytes.count)
    }

    /// A part of a text, masked as it would be within the whole: nothing is left of a secret that reaches into the part
    /// or out of it, as long as the text has `reach` bytes more on either side.
    package func mask(_ text: [UInt8], in part: Range<Int>) -> String {
        var result: [UInt8] = []
        var position = max(0, part.lowerBound - reach)
        var maskedEnd = 0
        while position < min(part.upperBound, text.count) {
            if let match = match(in: text, at: position, shortestSecret: 1) {
                let end = position + match.length
                // Secrets that overlap are masked together, and where one is not seen, from where the next one is.
                if end > part.lowerBound, position >= maskedEnd || maskedEnd <= part.lowerBound {
                    result += Self.mask.utf8
                }
                maskedEnd = max(maskedEnd, end)
            } else if position >= max(maskedEnd, part.lowerBound) {
                result.append(text[position])
            }
            position += 1
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The most bytes that a secret takes, however it is written.
    package var reach: Int { (values.map(\.count).max() ?? 0) * SecretMatch.longestEscape }

    private func match(in text: [UInt8], at position: Int, shortestSecret: Int) -> SecretMatch? {
        guard mayBegin[Int(text[position])] else { return nil }
        return SecretMatch.longest(of: values, in: text, at: position, shortestSecret: shortestSecret)
    }

    /// True if the text contains a secret.
    package func occur(in text: String) -> Bool { mask(text) != text }

    /// The text with a placeholder such as `${secret:1}` in place of each secret, for a page cursor that is stored.
    ///
    /// Secrets of fewer than four bytes stay, or a page number might be taken for one. `reveal` gives the text back;
    /// where a secret was encoded in an unusual way, one that means the same in a URL. What is concealed already must
    /// not be concealed again.
    package func conceal(_ text: String) -> String { conceal(text, shortestSecret: SecretMatch.certainLength) }

    /// The text with a placeholder for every secret, even the shortest: a key that distinguishes URLs.
    package func key(for text: String) -> String { conceal(text, shortestSecret: 1) }

    /// The text that was concealed; placeholders of secrets that there are not stay as they are.
    package func reveal(_ text: String) -> String {
        guard !isEmpty, text.utf8.contains(UInt8(ascii: "$")) else { return text }
        let placeholders = self.placeholders
        let prefix = Array(Self.placeholderPrefix.utf8)
        var result: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.first {
            if rest.starts(with: prefix), let found = placeholders.first(where: { rest.starts(with: $0.text) }) {
                result += found.value
                rest = rest.dropFirst(found.text.count)
            } else {
                result.append(byte)
                rest = rest.dropFirst()
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// A number that distinguishes these secrets from others but does not reveal them: 32 bits of FNV-1a, 0 for none.
    ///
    /// - Parameter salt: Goes into the hash. Keep it with the number: numbers with different salts cannot be compared.
    package func fingerprint(salt: String) -> Int64 {
        guard !isEmpty else { return 0 }
        var hash = FNV1a()
        // A zero byte ends each text: "ab" and "c" must not equal "a" and "bc".
        for bytes in [Array(salt.utf8)] + values.prefix(count) { hash.add(bytes + [0]) }
        let number = Int64(hash.lowerHalf)
        return number == 0 ? 1 : number
    }

    private func conceal(_ text: String, shortestSecret: Int) -> String {
        guard !isEmpty else { return text }
        let bytes = Array(text.utf8)
        let prefix = Array(Self.placeholderPrefix.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var position = 0
        while position < bytes.count {
            // The longest that begins at a place goes first.
            if let match = match(in: bytes, at: position, shortestSecret: shortestSecret) {
                result += placeholder(for: match).utf8
                position += match.length
            } else if bytes[position...].starts(with: prefix) {
                result += Self.literalPrefix.utf8
                position += prefix.count
            } else {
                result.append(bytes[position])
                position += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// All possible placeholders with their values.
    private var placeholders: [(text: [UInt8], value: [UInt8])] {
        var all = [(text: Array(Self.literalPrefix.utf8), value: Array(Self.placeholderPrefix.utf8))]
        for (index, value) in values.enumerated() {
            all.append((Array(placeholder(index, isPercentEncoded: false).utf8), value))
            all.append((Array(placeholder(index, isPercentEncoded: true).utf8), PercentCoding.encoded(value)))
        }
        return all
    }

    private func placeholder(for match: SecretMatch) -> String {
        let twice = match.coding == .percentTwice ? names.firstIndex(of: "\(names[match.index]):twice") : nil
        return placeholder(
            twice ?? match.index, isPercentEncoded: match.coding == .percent || match.coding == .percentTwice)
    }

    private func placeholder(_ index: Int, isPercentEncoded: Bool) -> String {
        "\(Self.placeholderPrefix)\(names[index])\(isPercentEncoded ? ":percent" : "")}"
    }

    /// Stands for a placeholder's beginning that an upstream wrote itself, so that it cannot have a secret put in.
    private static let literalPrefix = "${secret:0}"
}

extension Secrets: SecretHolder {
    /// The number of secrets.
    package var description: String { "\(count) secrets" }
}

/// A type that holds secrets, and whose description has none.
package protocol SecretHolder: CustomStringConvertible, CustomReflectable {}

extension SecretHolder {
    /// A mirror without children, so that `dump` shows no secret.
    package var customMirror: Mirror { Mirror(self, children: EmptyCollection()) }
}
