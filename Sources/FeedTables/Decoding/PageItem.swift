internal import CPageDecoder

/// One element of a page's items, as views that live as long as the page.
struct PageItem {
    let element: json_item
    let slots: UnsafePointer<json_slot>
    let layout: ItemLayout
    // Not reference-counted: there is an item for each row of every page, and the page keeps the plan alive.
    unowned(unsafe) let plan: DecodePlan

    /// The reason why an element cannot be stored.
    enum Fault: Equatable {
        /// `null`, which some upstreams leave in place of a removed item.
        case isNull
        /// A text, a number, an array or the like.
        case isNoObject(String)
        /// The key column that is missing, null, or not a scalar.
        case lacksKey(String)
    }

    /// True if the element is an item that can be stored.
    var isStorable: Bool {
        guard element.kind == JSON_OBJECT else { return false }
        return layout.keyColumns.allSatisfy { self[$0].kind.isScalar }
    }

    /// The reason why the element cannot be stored; nil for an item.
    var fault: Fault? {
        guard !isStorable else { return nil }
        switch element.kind {
        case JSON_OBJECT: break
        case JSON_NULL: return .isNull
        default: return .isNoObject(element.kind.words)
        }
        return layout.keyColumns.first { !self[$0].kind.isScalar }.map { .lacksKey(plan.columns[$0].name) }
    }

    /// The value of a column.
    subscript(column: Int) -> json_slot { slots[layout.columns[column].slot] }

    /// The value that gives the section.
    var sectionSlot: json_slot? { layout.sectionSlot.map { slots[$0] } }

    /// True if the item reports its removal.
    var isGone: Bool {
        guard plan.tellsRemovals, let removed = plan.removed else { return false }
        return removed.rule.holds(for: JSONScalar(slots[removed.slot]))
    }

    /// True if the item has only changed members, or only reports its removal. The rest of its row stays.
    var isPartial: Bool { plan.keepsMissing || isGone }

    /// The element's JSON as received.
    var raw: UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: element.raw, count: Int(element.raw_length))
    }
}

extension json_slot {
    /// The JSON as received.
    var rawBytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: raw, count: Int(raw_length)) }

    /// The text with its escapes replaced; only for `JSON_TEXT`.
    var textBytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: bytes, count: Int(length)) }
}

extension json_kind {
    /// True for a non-null value that a key may have.
    var isScalar: Bool {
        switch self {
        case JSON_MISSING, JSON_NULL, JSON_OBJECT, JSON_ARRAY: false
        default: true
        }
    }

    /// The kind in words, for messages.
    var words: String {
        switch self {
        case JSON_MISSING: "nothing"
        case JSON_NULL: "null"
        case JSON_FALSE, JSON_TRUE: "a boolean"
        case JSON_INTEGER, JSON_REAL, JSON_NUMBER: "a number"
        case JSON_TEXT: "a string"
        case JSON_OBJECT: "an object"
        case JSON_ARRAY: "an array"
        default: "something else"
        }
    }
}
