internal import FeedSync
internal import Reports

extension Command {
    /// `schema [configuration | results]`
    static let schema = Command(
        name: "schema", operands: "[configuration | results]", count: 0...1, general: [.help], isForResults: true,
        summary: "Print a JSON Schema of the configuration, for editors, or of what --json prints",
        explanation: """
            Editors with a YAML language server complete and check a configuration with it, if its first line is

              # yaml-language-server: $schema=feedsync.schema.json

            `feedsync check` checks more: what a schema cannot say, and that names and paths fit together.

            `feedsync schema results` describes what each command prints with --json.
            """,
        example: "feedsync schema > feedsync.schema.json"
    ) { session throws(Failure) in
        let name = session.invocation.operands.first ?? "configuration"
        let schemas = ["configuration": ConfigurationSchema.json, "results": ResultSchema.json]
        guard let schema = schemas[name] else {
            throw .unknown("schema", name, among: schemas.keys.sorted(), advice: session.invocation.command.helpAdvice)
        }
        session.console.print(json: schema)
        return .done
    }
}
