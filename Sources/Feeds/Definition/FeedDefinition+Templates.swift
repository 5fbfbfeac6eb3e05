extension FeedDefinition {
    /// Every text of the request that may refer to a value elsewhere.
    package var templates: [Template] {
        [url] + (query + headers + (body?.texts ?? [])).map(\.value) + (authentication?.templates ?? [])
            + connection.templates
    }

    /// True if a request of the feed uses the output of a command.
    package var refersToCommands: Bool { templates.contains { !$0.commands.isEmpty } }

    /// The diagnostics of a definition with commands in a place where commands may not run, one for each.
    func refusedCommands() -> [Diagnostic] {
        let trust = "only for a file that you name, and that nobody else may write"
        let hooks = [hook].compactMap(\.self).map { hook in
            Diagnostic(
                position: hook.position,
                problem: """
                    feed `\(name)` has an `on_change`, and what changed is told \(trust): use --config \
                    \(hook.position.file) or $FEEDSYNC_CONFIG if you trust it
                    """)
        }
        return hooks
            + templates.filter { !$0.commands.isEmpty }.map { template in
                Diagnostic(
                    position: template.position,
                    problem: """
                        feed `\(name)` has a `${command:…}`, and commands are run only for a file that you name, and that \
                        nobody else may write: use --config \(template.position.file) or $FEEDSYNC_CONFIG if you trust it
                        """)
            }
    }
}

extension Template {
    /// The commands that it refers to.
    package var commands: [String] {
        parts.compactMap { if case .command(let command) = $0 { command } else { nil } }
    }

    /// The template without references that only a command can resolve.
    package var withoutCommands: Template {
        Template(parts.filter { if case .command = $0 { false } else { true } }, position: position)
    }
}
