package import CPageDecoder

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
