/// Where an item's values are, and what they become: what is asked so often that it is plain memory, which nobody counts
/// references to.
///
/// It lives as long as the plan that it belongs to.
package struct ItemLayout {
    /// One column's place and type.
    package struct Column {
        /// The slot of its value, among an item's.
        let slot: Int
        /// What its values are; nil where that is left to each value.
        let type: ColumnType?
    }

    /// The columns, in the table's order.
    let columns: UnsafeBufferPointer<Column>
    /// The places of the key's columns in `columns`, in the key's order.
    let keyColumns: UnsafeBufferPointer<Int>
    /// The slot that says which section an item is in, among an item's.
    let sectionSlot: Int?

    /// A layout that `deallocate` must end.
    init(columns: [Column], keyColumns: [Int], sectionSlot: Int?) {
        self.columns = Self.copy(columns)
        self.keyColumns = Self.copy(keyColumns)
        self.sectionSlot = sectionSlot
    }

    /// Ends the layout, and every copy of it.
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
