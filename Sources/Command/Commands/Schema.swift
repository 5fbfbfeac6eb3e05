internal import FeedSync

extension Command {
    /// `schema`
    static let schema = Command(
        "schema", general: [.help], isForResults: true,
        summary: "Print a JSON Schema of the configuration, for editors",
        explanation: """
            Editors with a YAML language server complete and check a configuration with it, if its first line is

              # yaml-language-server: $schema=feedsync.schema.json

            `feedsync check` checks more: what a schema cannot say, and that names and paths fit together.
            """,
        example: "feedsync schema > feedsync.schema.json"
    ) { session throws(Failure) in
        session.console.print(json: ConfigurationSchema.json)
        return .done
    }
}
