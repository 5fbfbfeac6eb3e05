/// The keys of a page's items, as `_page.keys` has them: a JSON array.
package enum PageKeys {
    /// The keys, each in the form that `RowKey` gives to the key of a row.
    package static func texts(_ keys: String) -> [String] {
        if let numbers = numbers(keys) { return numbers }
        guard case .array(let elements)? = try? JSONValue(parsing: keys) else { return [] }
        return elements.map(text)
    }

    /// The keys of a page whose keys are whole numbers, as those of most pages are: without a parser.
    private static func numbers(_ keys: String) -> [String]? {
        var keys = keys
        return keys.withUTF8 { bytes in
            guard bytes.count > 2, bytes.first == UInt8(ascii: "["), bytes.last == UInt8(ascii: "]") else { return nil }
            let inner = bytes[1..<bytes.count - 1]
            guard inner.allSatisfy({ $0.isASCIIDigit || $0 == UInt8(ascii: ",") }) else { return nil }
            return inner.split(separator: UInt8(ascii: ",")).map { String(decoding: $0, as: UTF8.self) }
        }
    }

    private static func text(_ value: JSONValue) -> String {
        switch value {
        case .null: "null"
        case .bool(let value): value ? "1" : "0"
        case .number(let digits): digits
        case .string(let text): JSONText.string(text)
        case .array(let values): "[\(values.map(text).joined(separator: ","))]"
        case .object: "null"
        }
    }
}
