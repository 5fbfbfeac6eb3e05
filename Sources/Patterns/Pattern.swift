internal import CPCRE2

/// A regular expression of Perl's syntax that replaces text, within limits that no input exceeds.
///
/// A match that would take more than 20,000 steps is given up, and a longer text is not tried at all, so that neither
/// an upstream's text nor the pattern can hold up a run.
///
/// Source: https://www.pcre.org/current/doc/html/pcre2api.html
package final class Pattern: @unchecked Sendable {
    // Sendable: what was compiled is only read.

    /// The longest text that is tried, in bytes.
    package static let longestText = 4096
    /// The longest pattern, and the longest replacement.
    package static let longestPattern = 1000

    private let pattern: cpcre2_pattern

    /// - Throws: `PatternError` for a pattern that is wrong, or without the library.
    package init(_ text: String) throws(PatternError) {
        if let missingLibrary {
            throw PatternError(
                problem: "libpcre2 cannot be loaded (Debian's package is libpcre2-8-0): \(missingLibrary)", offset: nil)
        }
        let bytes = Array(text.utf8)
        guard bytes.count <= Self.longestPattern else {
            throw PatternError(problem: "it has more than \(Self.longestPattern) bytes", offset: nil)
        }
        var compiled = cpcre2_pattern()
        var error: Int32 = 0
        var offset = 0
        guard cpcre2_compile(bytes, bytes.count, &compiled, &error, &offset) == 1 else {
            let before = String(decoding: bytes.prefix(offset), as: UTF8.self)
            throw PatternError(problem: Self.message(error), offset: before.unicodeScalars.count)
        }
        pattern = compiled
    }

    deinit { cpcre2_free(pattern) }

    /// The fault of a replacement, in which `$1` or `${1}` is a group; nil if it is right.
    package func fault(ofReplacement text: String) -> String? {
        guard text.utf8.count <= Self.longestPattern else { return "it has more than \(Self.longestPattern) bytes" }
        let groups = Int(cpcre2_group_count(pattern))
        var rest = Substring(text)
        while let dollar = rest.firstIndex(of: "$") {
            rest = rest[rest.index(after: dollar)...]
            if rest.first == "$" {
                rest.removeFirst()
                continue
            }
            let isBraced = rest.first == "{"
            let digits = rest.dropFirst(isBraced ? 1 : 0).prefix { $0.isASCII && $0.isNumber }
            guard let number = Int(digits), !isBraced || rest.dropFirst(1 + digits.count).first == "}" else {
                return "`$` is followed by the number of a group, as in $1 or ${1}; write $$ for a dollar"
            }
            guard number <= groups else { return "the pattern has no group \(number)" }
            rest = rest.dropFirst(digits.count + (isBraced ? 2 : 0))
        }
        return nil
    }

    /// A text with every match replaced.
    ///
    /// - Parameters:
    ///   - text: UTF-8.
    ///   - replacement: The text in the place of each match, without fault.
    /// - Returns: Nil for a text that is too long, takes too many steps, or would become more than four times as long.
    package func replacing(_ text: UnsafeRawBufferPointer, with replacement: [UInt8]) -> [UInt8]? {
        guard text.count <= Self.longestText else { return nil }
        let room = 4 * text.count + 4 * replacement.count + 1
        // An empty text has no address.
        let empty: [UInt8] = [0]
        var count: Int32 = 0
        let result = [UInt8](unsafeUninitializedCapacity: room) { buffer, filled in
            var length = room
            count = empty.withUnsafeBufferPointer { empty in
                cpcre2_replace(
                    pattern, text.bindMemory(to: UInt8.self).baseAddress ?? empty.baseAddress, text.count, replacement,
                    replacement.count, buffer.baseAddress, &length)
            }
            filled = count < 0 ? 0 : length
        }
        return count < 0 ? nil : result
    }

    private static func message(_ error: Int32) -> String {
        var text = [UInt8](repeating: 0, count: 200)
        cpcre2_message(error, &text, text.count)
        return String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
    }
}

/// A fault in a pattern.
package struct PatternError: Error, Sendable, Hashable {
    /// The fault, in words of the library.
    package let problem: String
    /// The number of Unicode scalars before the fault; nil if it is no place in the text.
    package let offset: Int?
}

/// The reason for which PCRE2 cannot be used; nil if it can. The first use opens the library.
private let missingLibrary = cpcre2_load().map { String(cString: $0) }
