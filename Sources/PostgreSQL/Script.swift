internal import Platform

/// Statements without parameters, one behind the other.
package struct Script: Sendable {
    private var bytes: [UInt8] = []

    /// A script of these statements.
    package init(_ sql: String = "") { bytes += sql.utf8 }

    /// The number of bytes.
    package var count: Int { bytes.count }

    /// Adds a part of a statement, or several of them.
    package static func += (script: inout Script, sql: String) { script.bytes += sql.utf8 }

    /// Makes it empty; it keeps its memory.
    package mutating func removeAll() { bytes.removeAll(keepingCapacity: true) }

    /// The elements of an array that are written.
    package enum ArrayPart: Sendable {
        /// Its elements.
        case elements
        /// One element of each run of equal ones.
        case runs
        /// For each element the number of its run, from 1.
        case runNumbers
    }

    /// Adds an array as a literal.
    package mutating func append(_ part: ArrayPart = .elements, of array: ArrayText) {
        bytes += "'{".utf8
        switch part {
        case .elements: array.write(to: &bytes)
        case .runs: array.writeRuns(to: &bytes)
        case .runNumbers: array.writeRunNumbers(to: &bytes)
        }
        bytes += "}'".utf8
    }

    /// Lends it to C, with the zero that ends it for a moment.
    ///
    /// - Throws: `PostgreSQLError` for a zero within.
    mutating func withCString<Result>(
        _ body: (UnsafePointer<CChar>) -> Result
    ) throws(PostgreSQLError) -> Result {
        bytes.append(0)
        defer { bytes.removeLast() }
        let result = bytes.withUnsafeBytes { bytes in
            bytes.withMemoryRebound(to: CChar.self) { text in
                text.baseAddress.flatMap { strlen($0) == text.count - 1 ? body($0) : nil }
            }
        }
        guard let result else { throw PostgreSQLError("a statement contains a NUL character", sql: start) }
        return result
    }

    /// Its beginning, for errors.
    var start: String { String(decoding: bytes.prefix(1_000), as: UTF8.self) }
}
