internal import Text

extension Template {
    /// A template with its values put in.
    package struct Resolved: Sendable, Hashable {
        /// The text to send.
        package let text: String
        /// The values that came from references; each is a credential, to be masked wherever it might be shown.
        package let secrets: [String]
    }

    /// Replaces the references by their values, and reports all that have none.
    ///
    /// - Parameters:
    ///   - environment: The environment variables.
    ///   - folder: The base of relative paths in `${file:PATH}`: the folder of the configuration file. `~/` is `$HOME`.
    ///   - isURL: True for a URL: values in the path and the query are percent-encoded, so that each stays one
    ///     component; a value at the start of the URL is not encoded.
    ///   - commands: The outputs of commands, which are not run here.
    ///   - now: The time for `{now}` and `{today}`, in seconds since 1970.
    /// - Throws: `ConfigurationError` at the template's position if a variable is unset or empty, or a file cannot be
    ///   read, is empty, is not UTF-8 or is larger than 64 KiB, or a command failed or was not run.
    package func resolved(
        environment: [String: String], relativeTo folder: String, isURL: Bool = false,
        commands: CommandSecrets = CommandSecrets(), now: Int64 = WallClock.system.seconds
    ) throws(ConfigurationError) -> Resolved {
        var text = ""
        var secrets: [String] = []
        var diagnostics: [Diagnostic] = []
        for part in parts {
            if case .literal(let literal) = part {
                let before = text
                text += RelativeMoment.written(in: literal, at: now) { value, part in
                    isURL ? URLPart(after: before + part).encoded(value) : value
                }
                continue
            }
            if case .column = part {
                text += Template([part], position: position).description
                continue
            }
            do throws(Unresolved) {
                let value = try Self.value(of: part, environment, folder, commands)
                text += isURL ? URLPart(after: text).encoded(value) : value
                secrets.append(value)
            } catch {
                diagnostics.append(Diagnostic(position: position, problem: error.problem))
            }
        }
        if let first = diagnostics.first { throw ConfigurationError(first, Array(diagnostics.dropFirst())) }
        return Resolved(text: text, secrets: secrets)
    }

    private static func value(
        of part: Part, _ environment: [String: String], _ folder: String, _ commands: CommandSecrets
    ) throws(Unresolved) -> String {
        switch part {
        case .literal(let text): return text
        case .column(let feed, let name): return "{\(feed).\(name)}"
        case .environment(let name):
            guard let value = environment[name] else {
                throw Unresolved(problem: "the environment variable `\(name)` is not set")
            }
            guard !value.isEmpty else { throw Unresolved(problem: "the environment variable `\(name)` is empty") }
            return value
        case .file(let path):
            return try content(of: FilePath.resolve(path, in: folder, home: environment["HOME"]))
        case .command(let command):
            switch commands.value(of: command, folder: folder) {
            case .success(let value): return value
            case .failure(.problem(let problem)):
                throw Unresolved(problem: "the command `\(command.trimmed)` \(problem)")
            case .failure(.cancelled), nil: throw Unresolved(problem: "the command `\(command.trimmed)` was not run")
            }
        }
    }

    private static func content(of path: String) throws(Unresolved) -> String {
        // A user with write access decides what is sent, and may have read it.
        if let status = FileStatus(of: path), !status.isWritable() {
            throw Unresolved(problem: "`\(path)` can be written by others; run chmod go-w \(ShellWord.quoted(path))")
        }
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try FileContents.read(path, limit: 64 * 1024, isOwn: true)
        } catch {
            throw Unresolved(problem: "`\(path)` \(error.problem)")
        }
        guard var text = String(validating: bytes, as: UTF8.self) else {
            throw Unresolved(problem: "`\(path)` is not valid UTF-8")
        }
        // Editors and `echo` end a file with a line break that belongs to no credential.
        while text.last?.isNewline == true { text.removeLast() }
        guard !text.isEmpty else { throw Unresolved(problem: "`\(path)` is empty") }
        return text
    }
}

/// The reason for which a reference has no value.
private struct Unresolved: Error {
    let problem: String
}
