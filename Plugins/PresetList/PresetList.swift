import Foundation
import PackagePlugin

/// Lists the files of `Presets` for `Preset.names` and `Preset.file(_:)`, so that a new one has to be named nowhere.
@main
struct PresetList: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let folder = target.directoryURL.appending(path: "Presets")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "yaml" }.sorted { $0.lastPathComponent < $1.lastPathComponent }
        let entries = files.map { file in
            let name = file.deletingPathExtension().lastPathComponent
            let resource = String(file.lastPathComponent.map { $0.isLetter || $0.isNumber ? $0 : "_" })
            return (name: name, resource: resource)
        }
        let lines =
            ["extension Preset {", "    /// The names of the presets, in order.", "    static let names = ["]
            + entries.map { "        \"\($0.name)\"," }
            + [
                "    ]", "", "    /// The file of a preset, nil for a name that none has.",
                "    static func file(_ name: String) -> [UInt8]? {", "        switch name {",
            ]
            + entries.map { "        case \"\($0.name)\": PackageResources.\($0.resource)" }
            + ["        default: nil", "        }", "    }", "}"]
        let list = context.pluginWorkDirectoryURL.appending(path: "Preset+Files.swift")
        return [
            .buildCommand(
                displayName: "Listing the presets", executable: URL(filePath: "/bin/sh"),
                arguments: ["-c", #"file=$1; shift; printf '%s\n' "$@" >"$file""#, "list", list.path] + lines,
                inputFiles: files, outputFiles: [list])
        ]
    }
}
