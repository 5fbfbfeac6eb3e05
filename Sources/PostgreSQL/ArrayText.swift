internal import Glibc

/// An array's text, to be put in a script as a literal, element by element. Equal elements that follow each other are kept once.
///
/// Source: https://www.postgresql.org/docs/15/arrays.html#ARRAYS-IO
public struct ArrayText: Sendable {
    /// The elements as in a literal, each with a comma in front; quotes are doubled.
    private var bytes: [UInt8] = []
    private var runs: [Run] = []
    /// Whether NULL is among the elements.
    public private(set) var hasNull = false

    /// Equal elements that follow each other.
    private struct Run: Sendable {
        /// Where the element ends in `bytes`.
        let end: Int
        var count: Int
    }

    /// An array without elements.
    public init() {}

    /// About how many bytes it is in a script.
    public var byteCount: Int { bytes.count }

    /// How many runs of equal elements it has.
    public var runCount: Int { runs.count }

    /// Makes it empty; it keeps its memory.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        runs.removeAll(keepingCapacity: true)
        hasNull = false
    }

    /// Adds NULL.
    public mutating func appendNull() {
        hasNull = true
        begin()
        bytes += "NULL".utf8
        end()
    }

    /// Adds a number.
    public mutating func append(_ integer: Int64) {
        begin()
        var digits: (UInt64, UInt64, UInt64) = (0, 0, 0)
        withUnsafeMutableBytes(of: &digits) { digits in
            var start = digits.count
            var rest = integer.magnitude
            repeat {
                start -= 1
                digits[start] = 48 + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            if integer < 0 {
                start -= 1
                digits[start] = UInt8(ascii: "-")
            }
            bytes.append(contentsOf: digits[start...])
        }
        end()
    }

    /// Adds a text in UTF-8 without NUL.
    public mutating func append(_ text: UnsafeRawBufferPointer) {
        begin()
        bytes.append(UInt8(ascii: "\""))
        if Self.isPlain(text) {
            bytes += text
        } else {
            for byte in text {
                switch byte {
                case UInt8(ascii: "\""), UInt8(ascii: "\\"): bytes.append(UInt8(ascii: "\\"))
                case UInt8(ascii: "'"): bytes.append(UInt8(ascii: "'"))
                default: break
                }
                bytes.append(byte)
            }
        }
        bytes.append(UInt8(ascii: "\""))
        end()
    }

    /// Adds a text without NUL.
    public mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    /// No branch in the loop, so that many bytes are looked at at a time.
    private static func isPlain(_ text: UnsafeRawBufferPointer) -> Bool {
        var count = 0
        for byte in text {
            count &+= byte == UInt8(ascii: "\"") ? 1 : 0
            count &+= byte == UInt8(ascii: "\\") ? 1 : 0
            count &+= byte == UInt8(ascii: "'") ? 1 : 0
        }
        return count == 0
    }

    private mutating func begin() { bytes.append(UInt8(ascii: ",")) }

    /// Ends an element: it is a run of its own, or one more of the last run.
    private mutating func end() {
        let start = runs.last?.end ?? 0
        let before = runs.count > 1 ? runs[runs.count - 2].end : 0
        let length = bytes.count - start
        let isSame =
            start - before == length
            && bytes.withUnsafeBytes { bytes in
                bytes.baseAddress.map { memcmp($0 + before, $0 + start, length) == 0 } ?? false
            }
        guard isSame, !runs.isEmpty else { return runs.append(Run(end: bytes.count, count: 1)) }
        bytes.removeLast(length)
        runs[runs.count - 1].count += 1
    }

    /// Adds the elements to a script, without the comma in front of the first.
    func write(to script: inout [UInt8]) {
        guard !runs.isEmpty else { return }
        bytes.withUnsafeBytes { bytes in
            func part(_ range: Range<Int>) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[range]) }
            var start = 1
            var element = 0
            for run in runs {
                if run.count > 1 {
                    script += part(start..<run.end)
                    for _ in 1..<run.count { script += part(element..<run.end) }
                    start = run.end
                }
                element = run.end
            }
            if start < bytes.count { script += part(start..<bytes.count) }
        }
    }

    /// Adds one element of each run to a script.
    func writeRuns(to script: inout [UInt8]) { script += bytes.dropFirst() }

    /// Adds for each element the number of its run to a script, from 1.
    func writeRunNumbers(to script: inout [UInt8]) {
        var numbers = ArrayText()
        for (index, run) in runs.enumerated() {
            numbers.append(Int64(index + 1))
            numbers.runs[index].count = run.count
        }
        numbers.write(to: &script)
    }
}
