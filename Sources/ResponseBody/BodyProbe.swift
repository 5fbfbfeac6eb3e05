package import CPageDecoder
package import HTTP

/// Picks one value from a body that need not be a page: for `responses` rules and for messages.
package enum BodyProbe {
    /// The value at the path; nil if the response is not JSON or has none there.
    package static func value(of body: Body, at path: Path) -> JSONScalar? {
        guard let plan = json_plan_create() else { return nil }
        defer { json_plan_destroy(plan) }
        guard let decoder = json_decoder_create() else { return nil }
        defer { json_decoder_destroy(decoder) }
        let node = path.node(from: json_node(JSON_BODY), in: plan)
        let slot = Int(json_plan_slot(plan, node, 0))
        return body.withUnsafeBytes { bytes in
            let start = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            let page = json_decode(decoder, plan, start, bytes.count)
            // There are no items in this plan, which is no fault here.
            guard page.error == JSON_OK || page.error == JSON_ITEMS_MISSING else { return nil }
            return JSONScalar(page.body_slots[slot])
        }
    }
}

extension JSONScalar {
    /// The value in a slot; nil if there is none.
    package init?(_ slot: json_slot) {
        switch slot.kind {
        case JSON_MISSING: return nil
        case JSON_NULL: self = .null
        case JSON_FALSE: self = .boolean(false)
        case JSON_TRUE: self = .boolean(true)
        case JSON_INTEGER: self = .integer(slot.integer)
        case JSON_REAL: self = .real(slot.real)
        case JSON_NUMBER: self = .number(String(decoding: slot.written, as: UTF8.self))
        case JSON_TEXT: self = .text(String(decoding: slot.unescaped, as: UTF8.self))
        default: self = .json(String(decoding: slot.written, as: UTF8.self))
        }
    }

    /// The value, a number with all its digits: sent back, `1.10` is another token than `1.1`.
    package init?(asWritten slot: json_slot) {
        guard slot.kind == JSON_REAL else {
            self.init(slot)
            return
        }
        self = .number(String(decoding: slot.written, as: UTF8.self))
    }
}

extension json_slot {
    fileprivate var written: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: raw, count: Int(raw_length)) }
    fileprivate var unescaped: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: bytes, count: Int(length)) }
}

extension Path {
    /// The plan's node that the path leads to, made where it is not there yet.
    package func node(from root: json_node, in plan: OpaquePointer) -> json_node {
        segments.reduce(root) { parent, segment in
            switch segment {
            case .member(let name):
                Self.withUTF8(name) { json_plan_member(plan, parent, $0, $1) }
            case .index(let index):
                json_plan_index(plan, parent, UInt64(clamping: index))
            case .memberName:
                json_node(JSON_MEMBER_NAME)
            case .itemHash, .given:
                // A place that no body fills: the page does, once it is decoded.
                json_plan_index(plan, parent, .max)
            case .first(let name, let value):
                Self.withUTF8(name) { name, nameLength in
                    Self.withUTF8(value) { json_plan_first_where(plan, parent, name, nameLength, $0, $1) }
                }
            }
        }
    }

    private static func withUTF8<Result>(_ text: String, _ body: (UnsafePointer<CChar>?, Int) -> Result) -> Result {
        var text = text
        return text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { body($0.baseAddress, $0.count) }
        }
    }
}
