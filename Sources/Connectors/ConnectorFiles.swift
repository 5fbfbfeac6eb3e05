internal import Concurrency
package import Feeds
internal import Platform

extension Connector.Files {
    /// The most bytes of a manifest.
    package static let mostBytes = 16 << 20

    /// Reads a manifest, or the folder of a connector: `manifest.yaml`, in it or in its `source_…`, with `spec.yaml` or
    /// `spec.json` and `schemas/` beside it.
    ///
    /// - Throws: `FileError`.
    package init(reading path: String) throws(FileError) {
        do throws(FileError) {
            self.init(source: path, manifest: try FileContents.read(path, limit: Self.mostBytes))
            add(beside: path.lastIndex(of: "/").map { String(path[...$0]) } ?? "")
        } catch {
            guard error.code == EISDIR else { throw error }
            let folder = path.hasSuffix("/") ? path : path + "/"
            let inside = Self.folders(in: folder).filter { $0.hasPrefix("source_") }.map { folder + $0 + "/" }
            let manifests = ([folder] + inside).flatMap { [$0 + "manifest.yaml", $0 + "manifest.yml"] }
            guard let manifest = manifests.first(where: { access($0, R_OK) == 0 }) else {
                throw FileError(problem: "has no manifest.yaml")
            }
            self.init(source: manifest, manifest: try FileContents.read(manifest, limit: Self.mostBytes))
            add(beside: manifest.lastIndex(of: "/").map { String(manifest[...$0]) } ?? "")
        }
    }

    private mutating func add(beside folder: String) {
        for name in ["spec.yaml", "spec.yml", "spec.json"] where specification == nil {
            specification = try? FileContents.read(folder + name, limit: Self.mostBytes)
        }
        schema = { name in
            guard !name.contains("/"), !name.hasPrefix(".") else { return nil }
            return try? FileContents.read(folder + "schemas/" + name, limit: Self.mostBytes)
        }
    }

    private static func folders(in folder: String) -> [String] {
        FolderNames.all(in: folder, most: 1_000).sorted()
    }
}
