internal import CPageDecoder

/// The values to pick from a page, compiled once from a feed's definition.
///
/// All wanted paths share one tree, so that one pass over the body finds them all.
package final class DecodePlan: @unchecked Sendable {
    // Sendable: the C plan is complete when `init` returns, and is only read afterwards.

    /// The columns of the model, in the table's order.
    package let columns: [ColumnDefinition]
    /// The parts of the plan that are used for each item.
    let layout: ItemLayout
    /// The indexes of the key's columns in `columns`, in the key's order.
    var keyColumns: UnsafeBufferPointer<Int> { layout.keyColumns }
    /// The interval that turns the section's value into its name.
    let sectionInterval: SectionRule.Interval?
    /// The slots of the paginator's paths and of the partitions' total, among the body's slots.
    let bodySlots: [Int]
    /// The slots of the paginator's item paths and of the partitions' path, among an item's slots.
    let pagingSlots: [Int]
    /// For each column the kinds of value that fit it, as in `json_page.item_kinds`; nil if all fit.
    let fittingKinds: [UInt16]?
    /// The slot of the watermark's value, among an item's slots.
    let watermarkSlot: Int?
    /// True if the watermark is a time, not a number.
    package let watermarkIsTime: Bool
    /// True if items have a value that moves the watermark.
    package var hasWatermark: Bool { watermarkSlot != nil }
    /// True if there are as many columns as allowed.
    package let isFull: Bool
    /// The slots of an item whose values have no column.
    let unknownSlots: [Int]
    /// True if each item's JSON is kept.
    let keepsRaw: Bool
    /// True if a stored value is kept when an item lacks its member.
    let keepsMissing: Bool
    /// The members whose changes do not count.
    let ignored: IgnoredMembers
    /// The slot that receives the hash of an item's content, among an item's slots; nil if no column has it.
    let hashSlot: Int?
    /// The columns whose values are made from others; none for most feeds.
    let derived: [DerivedColumn]
    /// The rule for items that report their removal, and the slot of its value; nil without a rule.
    let removed: (rule: RemovedRule, slot: Int)?
    /// True if there is such a rule: read for every item, for which reading `removed` would take longer.
    let tellsRemovals: Bool
    /// The path of the items, for messages.
    let itemsPath: Path?
    /// The memory limits of a page.
    let memory: PageMemory

    let pointer: OpaquePointer

    /// Compiles the plan.
    ///
    /// - Throws: `FeedSyncError` of kind `configuration` if the key names no column.
    init(_ definition: FeedDefinition) throws(FeedSyncError) {
        let keyColumns = try Self.keyColumns(of: definition)
        guard let pointer = json_plan_create() else { throw .outOfMemory }
        self.pointer = pointer
        memory = definition.memory
        json_plan_limit(pointer, UInt32(clamping: memory.most))
        columns = definition.columns
        keepsRaw = definition.keepsRaw
        keepsMissing = definition.missing == .keep
        ignored = IgnoredMembers(definition.ignore, columns: definition.columns)
        fittingKinds = definition.hasOpenColumns ? Self.fittingKinds(definition) : nil
        isFull = definition.columns.count >= FeedDefinition.mostColumns
        itemsPath = definition.items?.path
        sectionInterval = definition.section?.interval
        let columnSlots = definition.columns.enumerated().map { index, column in
            // A place that no body fills: the page does, once it is decoded.
            let path = column.derivation == nil ? column.path : Path([.index(.max - 1 - index)])
            return Self.itemSlot(path, in: pointer)
        }
        var derived: [DerivedColumn] = []
        for (index, column) in definition.columns.enumerated() {
            guard let derivation = column.derivation else { continue }
            let source = Self.itemSlot(column.path, in: pointer)
            derived.append(
                try DerivedColumn(derivation, of: index, named: column.name, in: columnSlots[index], from: source))
        }
        self.derived = derived
        let sectionSlot = definition.section.map { Self.itemSlot($0.path, in: pointer) }
        let pagingPaths = definition.pagination.itemPaths + (definition.partitioning.map { [$0.path] } ?? [])
        let pagingSlots = pagingPaths.map { Self.itemSlot($0, in: pointer) }
        let watermark: SinceRule? = if case .since(let mark) = definition.sync { mark } else { nil }
        watermarkSlot = watermark?.path.map { Self.itemSlot($0, in: pointer) }
        watermarkIsTime = watermark?.isTime ?? false
        layout = ItemLayout(
            columns: zip(columnSlots, definition.columns).map {
                ItemLayout.Column(slot: $0, type: Self.convertedType(of: $1, in: definition))
            },
            keyColumns: keyColumns, sectionSlot: sectionSlot)
        self.pagingSlots = pagingSlots
        tellsRemovals = definition.removed != nil
        removed = definition.removed.map { ($0, Self.itemSlot($0.path, in: pointer)) }
        hashSlot = zip(columnSlots, definition.columns).first { $1.path == .itemHash }?.0
        let wanted =
            (definition.section.map { [$0.path] } ?? []) + pagingPaths
            + (watermark?.path.map { [$0] } ?? []) + (removed.map { [$0.rule.path] } ?? [])
        unknownSlots = zip(
            wanted, [sectionSlot].compactMap(\.self) + pagingSlots + [watermarkSlot, removed?.slot].compactMap(\.self)
        )
        .compactMap { path, slot in
            definition.columns.contains { path.starts(with: $0.path) } ? nil : slot
        }
        // Known to the plan, so that they are no members for which columns are missing.
        for path in definition.found.except { _ = Self.itemSlot(path, in: pointer) }
        let bodyPaths = definition.pagination.bodyPaths + (definition.partitioning?.total.map { [$0] } ?? [])
        bodySlots = bodyPaths.map {
            Int(json_plan_slot(pointer, $0.node(from: json_node(JSON_BODY), in: pointer), 0))
        }
        let items = (definition.items?.path ?? Path([])).node(from: json_node(JSON_BODY), in: pointer)
        json_plan_items(pointer, items, Self.shape(of: definition))
        if fittingKinds != nil { json_plan_watch(pointer) }
    }

    /// The indexes of the key's columns.
    ///
    /// - Throws: `FeedSyncError` of kind `configuration` if the key names no column.
    static func keyColumns(of definition: FeedDefinition) throws(FeedSyncError) -> [Int] {
        var keyColumns: [Int] = []
        for name in definition.key {
            guard let column = definition.columns.firstIndex(where: { $0.name == name }) else {
                throw FeedSyncError(.configuration, "the key names `\(name)`, which is not a column of the feed")
            }
            keyColumns.append(column)
        }
        return keyColumns
    }

    deinit {
        json_plan_destroy(pointer)
        layout.deallocate()
    }

    private static func shape(of definition: FeedDefinition) -> json_items_shape {
        guard definition.items?.keyedBy == nil else { return JSON_ITEMS_MEMBERS }
        return [.none, .open].contains(definition.pagination.cursorKind) ? JSON_ITEMS_ARRAY_OR_ONE : JSON_ITEMS_ARRAY
    }

    /// The type that a column's values are converted to. Those of a key that was found stay as they come: rows are told
    /// apart by them.
    private static func convertedType(of column: ColumnDefinition, in definition: FeedDefinition) -> ColumnType? {
        let mayStay = [.integer, .boolean].contains(column.type)
        return mayStay && definition.hasOpenColumns && definition.key.contains(column.name) ? nil : column.type
    }

    /// Key values are kept as they come, because they tell rows apart.
    private static func fittingKinds(_ definition: FeedDefinition) -> [UInt16] {
        definition.columns.map { column in
            guard !definition.key.contains(column.name), ![.memberName, .itemHash].contains(column.path),
                column.derivation == nil
            else { return .max }
            return column.type.fittingKinds
        }
    }

    /// The slot of a path in an item.
    private static func itemSlot(_ path: Path, in plan: OpaquePointer) -> Int {
        Int(json_plan_slot(plan, path.node(from: json_node(JSON_ITEM), in: plan), 1))
    }
}

extension FeedSyncError {
    /// The error for a page that needs more memory than there is.
    static var outOfMemory: FeedSyncError {
        FeedSyncError(.undecodable, "there is not enough memory for this page", advice: PageMemory.advice)
    }
}

extension ColumnType? {
    /// The kinds of value that do not require a column of this discovered type to be widened.
    fileprivate var fittingKinds: UInt16 {
        let kinds: [json_kind]
        switch self {
        case nil: kinds = []
        case .boolean?: kinds = [JSON_FALSE, JSON_TRUE]
        case .integer?: kinds = [JSON_INTEGER, JSON_NUMBER]
        case .real?: kinds = [JSON_INTEGER, JSON_REAL, JSON_NUMBER]
        case .json?: kinds = [JSON_OBJECT, JSON_ARRAY]
        case .text?, .timestamp?: return .max
        }
        return (kinds + [JSON_MISSING, JSON_NULL]).reduce(0) { $0 | 1 << UInt16($1.rawValue) }
    }
}
