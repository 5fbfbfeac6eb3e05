/// A change of a feed's columns, found by a run after the whole list had been read.
package struct ColumnChange: Sendable, Hashable {
    package enum Kind: String, Sendable, CaseIterable {
        /// The items have a column that they did not have.
        case new
        /// No item has it any more. The column stays.
        case gone
        /// The column holds a wider type.
        case type
    }

    package let kind: Kind
    /// The column's name.
    package let column: String
    /// Its type before; nil for a new one, and for one without a type.
    package let before: ColumnType?
    /// Its type now; nil for one that is gone, and for one without a type.
    package let after: ColumnType?

    package init(kind: Kind, column: String, before: ColumnType?, after: ColumnType?) {
        self.kind = kind
        self.column = column
        self.before = before
        self.after = after
    }

    /// The changes as one note; nil if there are none.
    package static func notice(of changes: [ColumnChange]) -> String? {
        let gone = changes.filter { $0.kind == .gone }.map { "no item has `\($0.column)` any more" }
        let new = changes.filter { $0.kind == .new }.map { "`\($0.column)`" }
        let types = changes.filter { $0.kind == .type }.map { change in
            "`\(change.column)` was \(change.before?.rawValue ?? "null") and is \(change.after?.rawValue ?? "null") now"
        }
        let notes = gone + (new.isEmpty ? [] : ["new in the items: \(new.joined(separator: ", "))"]) + types
        return notes.isEmpty ? nil : notes.joined(separator: "; ")
    }
}
