package import SQLite

/// A value of a store, as SQLite holds it and as a copy must return it.
///
/// Source: https://sqlite.org/datatype3.html#storage_classes_and_datatypes
package enum CopiedValue: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)
    case blob([UInt8])
    /// Text that is not UTF-8, which only another program can have written.
    case otherText([UInt8])

    var isNumber: Bool {
        switch self {
        case .integer, .real: true
        default: false
        }
    }

    /// A column of a statement's current row.
    init(_ statement: Statement, at index: Int) {
        switch statement.storageClass(at: index) {
        case .null: self = .null
        case .integer: self = .integer(statement.int64(at: index))
        case .real: self = .real(statement.double(at: index))
        case .text:
            self = statement.withBytes(at: index) { bytes in
                String(validating: bytes, as: UTF8.self).map(CopiedValue.text) ?? .otherText(Array(bytes))
            }
        case .blob: self = .blob(statement.blob(at: index) ?? [])
        }
    }

    /// A value that was read.
    package init(_ value: SQLite.Value) {
        self =
            switch value {
            case .null: .null
            case .integer(let integer): .integer(integer)
            case .real(let real): .real(real)
            case .text(let text): .text(text)
            case .blob(let bytes): .blob(bytes)
            }
    }

    /// Binds it to a parameter.
    func bind(to statement: Statement, at index: Int) throws(SQLiteError) {
        switch self {
        case .null: try statement.bind(.null, at: index)
        case .integer(let integer): try statement.bind(.integer(integer), at: index)
        case .real(let real): try statement.bind(.real(real), at: index)
        case .text(let text): try statement.bind(.text(text), at: index)
        case .blob(let bytes): try statement.bind(.blob(bytes), at: index)
        case .otherText(let bytes):
            let bound = bytes.withUnsafeBytes { bytes in
                Result { () throws(SQLiteError) in try statement.bindText(copying: bytes, at: index) }
            }
            try bound.get()
        }
    }
}

extension CopiedValue: Equatable {
    /// Bit by bit: -0.0 is not 0.0, and an accent of its own is not a letter's.
    package static func == (left: CopiedValue, right: CopiedValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.integer(let left), .integer(let right)): left == right
        case (.real(let left), .real(let right)): left.bitPattern == right.bitPattern
        case (.text(let left), .text(let right)): left.utf8.elementsEqual(right.utf8)
        case (.blob(let left), .blob(let right)), (.otherText(let left), .otherText(let right)): left == right
        default: false
        }
    }
}
