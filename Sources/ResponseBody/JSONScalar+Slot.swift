package import CPageDecoder

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
