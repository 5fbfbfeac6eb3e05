/// Decodes one value: a row, a column, or something inside a column's JSON.
struct ValueDecoder: Decoder {
    let value: DecodedValue
    let codingPath: [any CodingKey]
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    init(_ value: DecodedValue, at path: [any CodingKey]) {
        self.value = value
        codingPath = path
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        let members = try read("an object") { value throws(DecodedValue.Refusal) in try value.members() }
        return KeyedDecodingContainer(MemberContainer(members: members, codingPath: codingPath))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let elements = try read("an array") { value throws(DecodedValue.Refusal) in try value.elements() }
        return ElementContainer(elements: elements, codingPath: codingPath)
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer { self }

    private func read<Result>(
        _ expected: String? = nil, as type: Any.Type = Result.self,
        _ body: (DecodedValue) throws(DecodedValue.Refusal) -> Result
    ) throws -> Result {
        do throws(DecodedValue.Refusal) {
            return try body(value)
        } catch {
            func context(_ text: String) -> DecodingError.Context {
                DecodingError.Context(codingPath: codingPath, debugDescription: text)
            }
            let text = "found \(value.kind), expected \(expected ?? "\(type)")"
            switch error {
            case .mismatch: throw DecodingError.typeMismatch(type, context(text))
            case .null: throw DecodingError.valueNotFound(type, context(text))
            case .corrupted(let reason): throw DecodingError.dataCorrupted(context(reason))
            }
        }
    }
}

extension ValueDecoder: SingleValueDecodingContainer {
    func decodeNil() -> Bool { value.isNull }

    func decode(_ type: Bool.Type) throws -> Bool {
        try read { value throws(DecodedValue.Refusal) in try value.bool() }
    }
    func decode(_ type: String.Type) throws -> String {
        try read { value throws(DecodedValue.Refusal) in try value.string() }
    }
    func decode(_ type: Double.Type) throws -> Double {
        try read { value throws(DecodedValue.Refusal) in try value.double() }
    }
    func decode(_ type: Float.Type) throws -> Float {
        try read { value throws(DecodedValue.Refusal) in try value.float() }
    }
    func decode(_ type: Int.Type) throws -> Int { try integer() }
    func decode(_ type: Int8.Type) throws -> Int8 { try integer() }
    func decode(_ type: Int16.Type) throws -> Int16 { try integer() }
    func decode(_ type: Int32.Type) throws -> Int32 { try integer() }
    func decode(_ type: Int64.Type) throws -> Int64 { try integer() }
    func decode(_ type: Int128.Type) throws -> Int128 { try integer() }
    func decode(_ type: UInt.Type) throws -> UInt { try integer() }
    func decode(_ type: UInt8.Type) throws -> UInt8 { try integer() }
    func decode(_ type: UInt16.Type) throws -> UInt16 { try integer() }
    func decode(_ type: UInt32.Type) throws -> UInt32 { try integer() }
    func decode(_ type: UInt64.Type) throws -> UInt64 { try integer() }
    func decode(_ type: UInt128.Type) throws -> UInt128 { try integer() }
    func decode<Item: Decodable>(_ type: Item.Type) throws -> Item { try item() }

    /// The value as an `Item`.
    func item<Item: Decodable>() throws -> Item {
        guard let foundation = FoundationType(Item.self) else { return try Item(from: self) }
        let form = try read(as: Item.self) { value throws(DecodedValue.Refusal) in try foundation.form(of: value) }
        return try Item(from: ValueDecoder(form, at: codingPath))
    }

    private func integer<Integer: FixedWidthInteger>() throws -> Integer {
        try read { value throws(DecodedValue.Refusal) in try value.integer() }
    }
}

/// The place of an element in its array, or of the value for a superclass.
struct PathStep: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(_ index: Int) {
        stringValue = "\(index)"
        intValue = index
    }

    init(stringValue: String) {
        self.stringValue = stringValue
        intValue = nil
    }

    init?(intValue: Int) { self.init(intValue) }

    static let parent = PathStep(stringValue: "super")
}
