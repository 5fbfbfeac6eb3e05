internal import Concurrency
internal import YAML

/// A feed definition that ships with feedsync, for feeds to start from.
///
/// A preset is a YAML file in the format of a feed, with `name`, `description` and perhaps `parameters` in addition:
/// words in braces in its URL or query, for which a feed gives values with `with: {word: value}`. The value of a host
/// is a host and nothing else, the value at the start of a URL is a whole URL, and any other value is percent-encoded.
package struct Preset: Sendable {
    /// The preset's name, as in `github.search`.
    package let name: String
    /// The data that it mirrors, in one sentence.
    package let description: String
    /// The words that a feed has to give, in order.
    package let parameters: [String]
    /// The file, as it ships.
    package let yaml: String
    /// The members for the feed.
    let members: Node

    /// The presets loaded so far: most configurations use few, and each is a file to parse.
    private static let loaded = Lock<[String: Preset]>([:])

    /// The query parameters that its requests have.
    package var queryNames: [String] {
        let paging = (members["pagination"]?.pairs ?? []).filter { $0.key.text?.hasSuffix("param") ?? false }
        return (members["query"]?.pairs ?? []).compactMap(\.key.text) + paging.compactMap(\.value.text)
    }

    /// The preset of this name, or nil where there is none.
    ///
    /// - Throws: `ConfigurationError` if its file is broken, which a test rules out.
    package static func named(_ name: String) throws(ConfigurationError) -> Preset? {
        if let preset = loaded.withLock({ $0[name] }) { return preset }
        guard let file = file(name) else { return nil }
        let preset = try Preset(file)
        loaded.withLock { $0[name] = preset }
        return preset
    }

    /// Reads the file of a preset.
    init(_ file: [UInt8], source: String = "preset") throws(ConfigurationError) {
        let node = try Node.ofConfiguration(file, source: source)
        let log = Diagnostics()
        let start = Mark(source: source, line: 1, column: 1)
        let reader = MappingDecoder(node ?? Node(.mapping([]), mark: start), of: "the preset", log: log)
        reader.require("name", "feeds start from it by its name")
        reader.require("description", "say in a sentence what it mirrors")
        yaml = String(decoding: file, as: UTF8.self)
        name = reader.string("name") ?? ""
        description = reader.string("description") ?? ""
        parameters = reader.strings("parameters").map(\.text)
        let own: Set<String> = ["name", "description", "parameters"]
        let pairs = (node?.pairs ?? []).filter { !own.contains($0.key.text ?? "") }
        members = Node(.mapping(pairs), mark: start)
        try log.throwIfAny()
    }
}

extension MappingDecoder {
    /// The preset that a member names, one that ships or one of the user's.
    func preset(_ name: String, of own: UserPresets?) -> Preset? {
        guard let node = node(name), let word = string(name, node) else { return nil }
        do throws(ConfigurationError) {
            let preset = if let own { try own.named(word) } else { try Preset.named(word) }
            if let preset { return preset }
            let suggestion = NearestWord.suggestion(for: word, among: own?.names ?? Preset.names)
            report(
                "unknown preset `\(word)` in \(subject)", at: SourcePosition(node.mark), word: word,
                suggestion: suggestion)
        } catch {
            error.diagnostics.forEach(log.add)
        }
        return nil
    }
}
