internal import Feeds
internal import YAML

/// The settings of a connector: those of its `spec`, with the values that the user gives.
struct ConnectorSettings: Sendable {
    /// One setting of the `spec`.
    struct Setting: Sendable {
        let path: [String]
        var isSecret: Bool
        var isRequired: Bool
        var standard: ConnectorValue?
        var type: String?
        var example: String?

        var name: String { path.joined(separator: ".") }
    }

    private(set) var settings: [Setting] = []
    private let given: [[String]: String]
    private let hasSpecification: Bool

    /// No settings, for the names of streams.
    init() {
        given = [:]
        hasSpecification = false
    }

    /// - Parameters:
    ///   - specification: The `connection_specification`; nil where there is none.
    ///   - given: Values by their names, which are joined by dots where settings are nested.
    /// - Throws: `ConnectorError` for a name that the specification does not have.
    init(_ specification: Node?, given: [(name: String, value: String)]) throws(ConnectorError) {
        hasSpecification = specification != nil
        self.given = Dictionary(
            given.map { ($0.name.split(separator: ".").map(String.init), $0.value) }, uniquingKeysWith: { $1 })
        if let specification { read(specification, at: []) }
        guard hasSpecification else { return }
        for (name, _) in given where !settings.contains(where: { $0.name == name }) {
            let hint = NearestWord.question(for: name, among: settings.map(\.name))
            throw ConnectorError(
                ["the connector has no setting \(name)\(hint)"],
                advice: "its settings are \(settings.map(\.name).joined(separator: ", "))", isOfWords: true)
        }
    }

    /// Reads the properties of an object, and of each of its alternatives.
    private mutating func read(_ object: Node, at path: [String], isOptional: Bool = false) {
        guard path.count < 8 else { return }
        let required = Set((object["required"]?.elements ?? []).compactMap(\.text))
        for pair in object["properties"]?.pairs ?? [] {
            guard let name = pair.key.text else { continue }
            let isRequired = !isOptional && required.contains(name)
            read(pair.value, named: path + [name], isRequired: isRequired)
        }
        for choice in object["oneOf"]?.elements ?? object["anyOf"]?.elements ?? [] {
            read(choice, at: path, isOptional: isOptional)
        }
    }

    private mutating func read(_ property: Node, named path: [String], isRequired: Bool) {
        let before = settings.count
        read(property, at: path)
        guard settings.count == before, property["properties"] == nil else { return }
        let name = path.last ?? ""
        let fixed = property["const"] ?? property["default"]
        let setting = Setting(
            path: path, isSecret: property["airbyte_secret"]?.text == "true" || SecretName.matches(name),
            isRequired: isRequired, standard: fixed.map { ConnectorValue($0) }, type: property["type"]?.text,
            example: (property["examples"]?.elements?.first ?? property["examples"])?.text
                ?? property["pattern_descriptor"]?.text)
        // Alternatives may have members of the same name.
        if let index = settings.firstIndex(where: { $0.path == path }) {
            settings[index].isSecret = settings[index].isSecret || setting.isSecret
            // A secret costs nothing to name, whichever alternative needs it.
            if settings[index].isSecret, setting.isRequired { settings[index].isRequired = true }
        } else {
            settings.append(setting)
        }
    }

    /// True if settings of this name, or below it, may be given.
    private func isGroup(_ path: [String]) -> Bool {
        settings.contains { $0.path.count > path.count && $0.path.starts(with: path) }
            || given.keys.contains { $0.count > path.count && $0.starts(with: path) }
    }

    /// The value of a setting; nil where it has to be given.
    func value(at path: [String]) -> ConnectorValue? {
        let setting = settings.first { $0.path == path }
        if let text = given[path] { return Self.value(of: text, type: setting?.type) }
        if path.isEmpty || isGroup(path) { return .settings(path) }
        if let standard = setting?.standard { return standard }
        let isSecret = setting?.isSecret ?? SecretName.matches(path.last ?? "")
        guard setting?.isRequired ?? !hasSpecification else { return .nothing }
        guard isSecret else { return nil }
        return .text(ConfigurationWords(reference: "${\(VariableName.of(path.joined(separator: "_")))}"))
    }

    /// The value that the user gives, whatever its default is; nil for none.
    func givenValue(at path: [String]) -> String? { given[path] }

    /// An example of a setting, for advice.
    func example(of path: [String]) -> String? { settings.first { $0.path == path }?.example }

    /// The value of the words that the user gives, which may refer to the environment.
    private static func value(of text: String, type: String?) -> ConnectorValue {
        guard !text.contains("${") else { return .text(ConfigurationWords(reference: text)) }
        switch type {
        case "boolean" where ["true", "false"].contains(text.lowercased()): return .flag(text.lowercased() == "true")
        case "integer", "number": return Double(text) == nil ? .text(text) : .number(text)
        case "array":
            let words = text.split(separator: ",").map { $0.drop { $0 == " " } }
            return .list(words.map { .text(String($0)) })
        default: return .text(text)
        }
    }
}

/// The names of environment variables for secrets.
enum VariableName {
    /// The variable for a secret of that name: `API_KEY` for `api-key`.
    static func of(_ name: String) -> String {
        let letters = name.uppercased().map { character -> Character in
            character.isASCII && (character.isLetter || character.isNumber) ? character : "_"
        }
        let variable = String(letters)
        return variable.first?.isNumber == true ? "_" + variable : variable
    }
}
