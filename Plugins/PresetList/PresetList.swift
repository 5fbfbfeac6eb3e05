import Foundation
import PackagePlugin

/// Lists the files of `Presets` for `Preset.files`, so that a new one has to be named nowhere.
@main
struct PresetList: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let folder = target.directoryURL.appending(path: "Presets")
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "yaml" }.sorted { $0.lastPathComponent < $1.lastPathComponent }
        let names = files.map { file in
            String(file.lastPathComponent.map { $0.isLetter || $0.isNumber ? $0 : "_" })
        }
        let lines =
            ["extension Preset {", "    /// The preset files, by name.", "    static let files: [[UInt8]] = ["]
            + names.map { "        PackageResources.\($0)," } + ["    ]", "}"]
        let list = context.pluginWorkDirectoryURL.appending(path: "Preset+Files.swift")
        return [
            .buildCommand(
                displayName: "Listing the presets", executable: URL(filePath: "/bin/sh"),
                arguments: ["-c", #"file=$1; shift; printf '%s\n' "$@" >"$file""#, "list", list.path] + lines,
                inputFiles: files, outputFiles: [list])
        ]
    }
}
