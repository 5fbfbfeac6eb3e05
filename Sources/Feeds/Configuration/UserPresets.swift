internal import Concurrency
internal import Platform
internal import Text
internal import YAML

/// The presets of a configuration's own: files `presets/NAME.yaml` beside it, in the form of those that ship.
package final class UserPresets: Sendable {
    private let folder: String
    private let loaded = Lock<[String: Preset]>([:])

    /// The presets beside a configuration file.
    package init(beside file: String) {
        folder = FilePath.join(FilePath.folder(of: file), "presets")
    }

    /// The preset of this name, one that ships or else one of the user's; nil where there is none.
    ///
    /// - Throws: `ConfigurationError` if its file is broken, or others may write it.
    package func named(_ name: String) throws(ConfigurationError) -> Preset? {
        if let preset = try Preset.named(name) { return preset }
        if let preset = loaded.withLock({ $0[name] }) { return preset }
        let isName = !name.hasPrefix(".") && name.utf8.allSatisfy { $0 != UInt8(ascii: "/") && $0 != 0 }
        let path = FilePath.join(folder, "\(name).yaml")
        guard isName, let status = FileStatus(of: path) else { return nil }
        func failure(_ problem: String) -> ConfigurationError {
            ConfigurationError(Diagnostic(position: SourcePosition(file: path), problem: problem))
        }
        guard status.isWritable() else {
            throw failure("can be written by others; run chmod go-w \(ShellWord.quoted(path))")
        }
        let preset = try Preset(Configuration.bytes(of: path, isOwn: true), source: path)
        guard preset.name == name else { throw failure("its `name` must be `\(name)`, as the file's") }
        loaded.withLock { $0[name] = preset }
        return preset
    }

    /// The names of all presets, in order: those that ship, then the user's.
    package var names: [String] {
        let files = FolderNames.all(in: folder).filter { $0.hasSuffix(".yaml") && !$0.hasPrefix(".") }
        let own = files.map { String($0.dropLast(5)) }
        return Preset.names + own.sorted().filter { !Preset.names.contains($0) }
    }

    /// Every preset.
    ///
    /// - Throws: `ConfigurationError`, as `named`.
    package var all: [Preset] {
        get throws(ConfigurationError) {
            var all: [Preset] = []
            for name in names { if let preset = try named(name) { all.append(preset) } }
            return all
        }
    }
}
