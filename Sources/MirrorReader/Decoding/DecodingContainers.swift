/// A row or a JSON object, decoded by the keys of its members.
struct MemberContainer<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let members: any DecodedMembers
    let codingPath: [any CodingKey]

    var allKeys: [Key] {
        members.names.compactMap { Key(stringValue: $0) ?? Key(stringValue: $0.camelCased) }
    }

    func contains(_ key: Key) -> Bool { members.value(key.stringValue) != nil }

    func decodeNil(forKey key: Key) throws -> Bool { try decoder(for: key).decodeNil() }

    func decode<Item: Decodable>(_ type: Item.Type, forKey key: Key) throws -> Item {
        try decoder(for: key).item()
    }

    func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try decoder(for: key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(for: key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try decoder(for: PathStep.parent) }

    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(for: key) }

    private func decoder(for key: any CodingKey) throws -> ValueDecoder {
        guard let value = members.value(key.stringValue) else {
            throw DecodingError.keyNotFound(
                key, DecodingError.Context(codingPath: codingPath, debugDescription: "there is no column of that name"))
        }
        return ValueDecoder(value, at: codingPath + [key])
    }
}

/// A JSON array, decoded element by element.
struct ElementContainer: UnkeyedDecodingContainer {
    let elements: [JSONValue]
    let codingPath: [any CodingKey]
    private(set) var currentIndex = 0

    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    mutating func decodeNil() throws -> Bool {
        guard try next().decodeNil() else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Item: Decodable>(_ type: Item.Type) throws -> Item { try advance { try $0.item() } }

    mutating func nestedContainer<NestedKey: CodingKey>(
        keyedBy type: NestedKey.Type
    ) throws -> KeyedDecodingContainer<NestedKey> {
        try advance { try $0.container(keyedBy: type) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try advance { try $0.unkeyedContainer() }
    }

    mutating func superDecoder() throws -> any Decoder { try advance { $0 } }

    private func next() throws -> ValueDecoder {
        let path = codingPath + [PathStep(currentIndex)]
        guard currentIndex < elements.count else {
            throw DecodingError.valueNotFound(
                JSONValue.self,
                DecodingError.Context(
                    codingPath: path, debugDescription: "the array has only \(elements.count) elements"))
        }
        return ValueDecoder(.json(elements[currentIndex]), at: path)
    }

    /// An element counts as read only if it could be decoded, as the protocol requires.
    private mutating func advance<Result>(_ body: (ValueDecoder) throws -> Result) throws -> Result {
        let result = try body(next())
        currentIndex += 1
        return result
    }
}
