internal import CPageDecoder
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
