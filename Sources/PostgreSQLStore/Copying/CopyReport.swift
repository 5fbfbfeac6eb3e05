/// The result of a copy.
package struct CopyReport: Sendable, Hashable {
    /// A table of it.
    package struct Table: Sendable, Hashable {
        package let name: String
        /// The rows that both have now.
        package let rowCount: Int
        /// The checksum that both have now: 32 hexadecimal digits.
        package let checksum: String
        /// True if the table was written; false if the copy had these rows already.
        package let isWritten: Bool
    }

    /// All tables, those of the feeds last.
    package internal(set) var tables: [Table] = []
}
