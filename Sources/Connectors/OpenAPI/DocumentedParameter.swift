internal import Feeds

/// A parameter of an operation.
struct DocumentedParameter: Sendable {
    enum Place: String, Sendable { case path, query, header, cookie }

    let name: String
    let place: Place
    let isRequired: Bool
    /// The value that is sent without being asked for; nil for none.
    let standard: String?
    /// A value that may be given, for advice.
    let example: String?
    /// True for a time.
    let isTime: Bool
    /// The type of its values.
    let type: SchemaType
    /// The number of the first page, for a parameter that numbers pages; nil where the document leaves it open.
    let firstNumber: Int?
    /// The largest value, where the schema or the description says one.
    let largest: Int?

    /// A parameter of a path that the document does not describe.
    init(inPath name: String) {
        (self.name, place, isRequired, standard, example) = (name, .path, true, nil, nil)
        (isTime, type, largest, firstNumber) = (false, .any, nil, nil)
    }

    /// True for a text that is not a time.
    var isText: Bool { type == .text && !isTime }

    /// Reads a parameter; nil for a body, and for what is none.
    init?(_ value: JSONObject, _ schemas: SchemaReader) throws(ConnectorFault) {
        guard let name = value["name"]?.text, let place = value["in"]?.text.flatMap(Place.init) else { return nil }
        self.name = name
        self.place = place
        // In Swagger 2 the parameter is its own schema.
        let schema = try value["schema"].map { schema throws(ConnectorFault) in try schemas.plain(schema) } ?? value
        isRequired = place == .path || value["required"] == .bool(true)
        let choices = schema["enum"]?.elements ?? []
        standard = [schema["default"], choices.count == 1 ? choices[0] : nil].lazy.compactMap { $0?.scalarText }.first
        let named = value["examples"]?.members?.first?.value.members?["value"]
        let examples = [value["example"], schema["example"], named, schema["examples"]?.elements?.first, choices.first]
        example = examples.lazy.compactMap { $0?.scalarText }.first
        isTime = ["date", "date-time"].contains(schema["format"]?.text)
        type = SchemaType(of: schema)
        let stated = schema["maximum"].flatMap { Double($0.json) }.flatMap { Int(exactly: $0.rounded(.down)) }
        let description = value["description"]?.text ?? schema["description"]?.text ?? ""
        largest = stated ?? Self.largest(in: description)
        let least = [schema["default"], schema["minimum"]].lazy.compactMap { $0?.count }.first
        // An index may begin at 0; any other page is the first one.
        let text = "\(name) \(description.prefix(1_000))".lowercased()
        let isIndex = ["index", "zero", "0-based"].contains { text.contains($0) }
        firstNumber = least ?? (isIndex ? nil : 1)
    }

    /// The number of a description such as `(max 100)` or `between 1 and 100`.
    private static func largest(in description: String) -> Int? {
        let words = description.prefix(1_000).lowercased().split { !$0.isLetter && !$0.isNumber }
        for (index, word) in words.enumerated() {
            let rest = words[(index + 1)...].prefix(4)
            switch word {
            case "max", "maximum":
                if let number = rest.lazy.compactMap({ Int($0) }).first { return number }
            case "between":
                let numbers = rest.compactMap { Int($0) }
                if numbers.count == 2 { return numbers[1] }
            default: continue
            }
        }
        return nil
    }
}
