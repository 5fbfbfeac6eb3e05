/// The slots and types of an item's values. It is used so often that it is plain memory, without reference counting.
///
/// It lives as long as its plan.
package struct ItemLayout {
    /// The slot and type of one column.
    package struct Column {
        /// The slot of its value, among an item's slots.
        let slot: Int
        /// The type of its values; nil if each value has its own.
        let type: ColumnType?
    }

    /// The columns, in the table's order.
    let columns: UnsafeBufferPointer<Column>
    /// The indexes of the key's columns in `columns`, in the key's order.
    let keyColumns: UnsafeBufferPointer<Int>
    /// The slot of the section's value, among an item's slots.
    let sectionSlot: Int?

    /// Creates a layout, which must be freed with `deallocate`.
    init(columns: [Column], keyColumns: [Int], sectionSlot: Int?) {
        self.columns = Self.copy(columns)
        self.keyColumns = Self.copy(keyColumns)
        self.sectionSlot = sectionSlot
    }

    /// Frees the layout and every copy of it.
    func deallocate() {
        columns.deallocate()
        keyColumns.deallocate()
    }

    private static func copy<Element>(_ elements: [Element]) -> UnsafeBufferPointer<Element> {
        let copy = UnsafeMutableBufferPointer<Element>.allocate(capacity: elements.count)
        _ = copy.initialize(from: elements)
        return UnsafeBufferPointer(copy)
    }
}
