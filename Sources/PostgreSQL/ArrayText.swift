internal import Platform

/// An array's text, to be put in a script as a literal, element by element. Equal elements that follow each other are
/// kept once.
///
/// Source: https://www.postgresql.org/docs/15/arrays.html#ARRAYS-IO
package struct ArrayText: Sendable {
    /// The elements as in a literal, each with a comma in front; quotes are doubled. More than those has room in it: to
    /// make it longer for each element would cost more than the element.
    private var bytes: [UInt8] = []
    /// The number of bytes in the elements.
    package private(set) var byteCount = 0
    private var runs: [Run] = []
    /// True if an element is NULL.
    package private(set) var hasNull = false

    /// Equal elements that follow each other.
    private struct Run: Sendable {
        /// The end of the element in `bytes`.
        let end: Int
        var count: Int
    }

    /// An array without elements.
    package init() {}

    /// The number of runs of equal elements.
    package var runCount: Int { runs.count }

    /// Makes it empty; it keeps its memory.
    package mutating func removeAll() {
        byteCount = 0
        runs.removeAll(keepingCapacity: true)
        hasNull = false
    }

    /// Adds NULL.
    package mutating func appendNull() {
        hasNull = true
        add(atMost: 4) { bytes in
            bytes.copyBytes(from: "NULL".utf8)
            return 4
        }
    }

    /// Adds a number.
    package mutating func append(_ integer: Int64) {
        add(atMost: 20) { bytes in
            var start = 20
            var rest = integer.magnitude
            repeat {
                start -= 1
                bytes[start] = 48 + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            if integer < 0 {
                start -= 1
                bytes[start] = UInt8(ascii: "-")
            }
            let count = 20 - start
            for index in 0..<count { bytes[index] = bytes[start + index] }
            return count
        }
    }

    /// Adds a text in UTF-8 without NUL.
    package mutating func append(_ text: UnsafeRawBufferPointer) { append(text, TextTraits(text)) }

    /// Adds a text in UTF-8 without NUL.
    ///
    /// - Parameter traits: The text's.
    package mutating func append(_ text: UnsafeRawBufferPointer, _ traits: TextTraits) {
        add(atMost: text.count * (traits.isPlain ? 1 : 2) + 2) { bytes in
            var end = 0
            func add(_ byte: UInt8) {
                bytes[end] = byte
                end += 1
            }
            add(UInt8(ascii: "\""))
            if traits.isPlain {
                UnsafeMutableRawBufferPointer(rebasing: bytes[end...]).copyMemory(from: text)
                end += text.count
            } else {
                for byte in text {
                    switch byte {
                    case UInt8(ascii: "\""), UInt8(ascii: "\\"): add(UInt8(ascii: "\\"))
                    case UInt8(ascii: "'"): add(byte)
                    default: break
                    }
                    add(byte)
                }
            }
            add(UInt8(ascii: "\""))
            return end
        }
    }

    /// Adds a text without NUL.
    package mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    /// Adds an element that `write` puts into the room that it is lent.
    ///
    /// - Parameter write: Returns how many bytes it wrote.
    private mutating func add(atMost count: Int, _ write: (UnsafeMutableRawBufferPointer) -> Int) {
        let most = byteCount + count + 1
        if bytes.count < most {
            bytes.append(contentsOf: repeatElement(0, count: max(most - bytes.count, bytes.count)))
        }
        let start = byteCount
        byteCount = bytes.withUnsafeMutableBytes { bytes in
            bytes[start] = UInt8(ascii: ",")
            return start + 1 + write(UnsafeMutableRawBufferPointer(rebasing: bytes[(start + 1)...]))
        }
        end()
    }

    /// Ends an element: it is a run of its own, or one more of the last run.
    private mutating func end() {
        let start = runs.last?.end ?? 0
        let before = runs.count > 1 ? runs[runs.count - 2].end : 0
        let length = byteCount - start
        let isSame =
            start - before == length
            && bytes.withUnsafeBytes { bytes in
                bytes.baseAddress.map { memcmp($0 + before, $0 + start, length) == 0 } ?? false
            }
        guard isSame, !runs.isEmpty else { return runs.append(Run(end: byteCount, count: 1)) }
        byteCount -= length
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
            if start < byteCount { script += part(start..<byteCount) }
        }
    }

    /// Adds one element of each run to a script.
    func writeRuns(to script: inout [UInt8]) { script += bytes[..<byteCount].dropFirst() }

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
