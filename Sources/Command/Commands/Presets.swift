internal import FeedSync

extension Command {
    /// `presets [NAME]`
    static let presets = Command(
        name: "presets", operands: "[PRESET]", count: 0...1, general: [.config, .json, .help], store: .any,
        isForResults: true,
        summary: "List the feed definitions that feeds can start from",
        explanation: """
            Lists those that come with feedsync, and your own: files presets/NAME.yaml beside the configuration, with a
            `name`, a `description`, perhaps `parameters`, and the members of a feed.

            With a name, prints that preset.

            A feed uses a preset with `preset: NAME`, sets its parameters with `with: {word: value}`, and
            may override any member.
            """,
        example: "feedsync presets github.search"
    ) { session throws(Failure) in
        let file = try session.configurationFile()
        let presets = try configuring(try UserPresets(beside: file?.path ?? "feedsync.yaml").all)
        if let name = session.invocation.operands.first {
            guard let preset = presets.first(where: { $0.name == name }) else {
                throw .unknown("preset", name, among: presets.map(\.name), advice: "feedsync presets  # lists them")
            }
            if session.invocation.has(.json) {
                session.print(result: fields(preset, withFile: true))
                return .done
            }
            session.console.print(
                preset.yaml.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init))
            return .done
        }
        var table = Table([.init(title: "PRESET") { $0.name($1) }, "PARAMETERS", "WHAT IT MIRRORS"])
        for preset in presets {
            let parameters = preset.parameters.joined(separator: ", ")
            table.add([preset.name, parameters.isEmpty ? "-" : parameters, preset.description])
        }
        session.list(presets.map { fields($0) }) { session.console.print(table) }
        return .done
    }

    @Sendable private static func fields(_ preset: Preset, withFile: Bool = false) -> JSONFields {
        let fields: JSONFields = [
            "name": preset.name, "description": preset.description, "parameters": preset.parameters,
        ]
        return fields + (withFile ? ["yaml": preset.yaml] : [:])
    }
}
