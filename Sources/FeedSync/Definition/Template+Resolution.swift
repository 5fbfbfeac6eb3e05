extension Template {
    /// A template with its values put in.
    public struct Resolved: Sendable, Hashable {
        /// The text to send.
        public let text: String
        /// The values that came from references; each is a credential, to be masked wherever it might be shown.
        public let secrets: [String]
    }

    /// Puts in what the references stand for.
    ///
    /// - Parameters:
    ///   - environment: The environment variables.
    ///   - folder: Where relative paths of `${file:PATH}` start: the folder of the configuration file. `~/` is
    ///     `$HOME`.
    /// - Throws: `ConfigurationError` at the template's place if a variable is unset or empty, or a file cannot be
    ///   read, is empty, is not UTF-8 or is larger than 64 KiB.
    public func resolved(
        environment: [String: String], relativeTo folder: String
    ) throws(ConfigurationError) -> Resolved {
        var text = ""
        var secrets: [String] = []
        for part in parts {
            switch part {
            case .literal(let literal):
                text += literal
            case .environment(let name):
                guard let value = environment[name] else {
                    throw failure("the environment variable `\(name)` is not set")
                }
                guard !value.isEmpty else { throw failure("the environment variable `\(name)` is empty") }
                text += value
                secrets.append(value)
            case .file(let path):
                let value = try content(of: FilePath.resolve(path, in: folder, home: environment["HOME"]))
                text += value
                secrets.append(value)
            }
        }
        return Resolved(text: text, secrets: secrets)
    }

    private func content(of path: String) throws(ConfigurationError) -> String {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try FileContents.read(path, limit: 64 * 1024)
        } catch {
            throw failure("`\(path)` \(error.problem)")
        }
        guard var text = String(validating: bytes, as: UTF8.self) else { throw failure("`\(path)` is not valid UTF-8") }
        // Editors and `echo` end a file with a line break that belongs to no credential.
        while text.last?.isNewline == true { text.removeLast() }
        guard !text.isEmpty else { throw failure("`\(path)` is empty") }
        return text
    }

    private func failure(_ problem: String) -> ConfigurationError {
        ConfigurationError(Mistake(position: position, problem: problem))
    }
}
