internal import Concurrency
internal import Platform

/// A path that does not exist, with the missing part of it and a suggestion.
package struct MissingPath: Sendable {
    private let path: String
    private let folder: String
    private let name: String

    /// Nil if the path exists, or if its existence is unknown.
    package init?(_ path: String) {
        guard access(path, F_OK) != 0, errno == ENOENT else { return nil }
        self.path = path
        folder = FilePath.folder(of: path)
        name = path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    }

    /// The folder that is not there either; nil where only the file is missing.
    package var missingFolder: String? {
        folder.isEmpty || access(folder, F_OK) == 0 || errno != ENOENT ? nil : folder
    }

    /// The file in the same folder with the most similar name.
    package var nearest: String? {
        guard missingFolder == nil, let found = NearestWord.suggestion(for: name, among: neighbours) else { return nil }
        return FilePath.join(folder, found)
    }

    /// The names of files that end as this one does.
    private var neighbours: [String] {
        let ending = name.lastIndex(of: ".").map { name[$0...] } ?? ""
        return FolderNames.all(in: folder.isEmpty ? "." : folder, most: 10_000)
            .filter { $0.hasSuffix(ending) && !$0.hasPrefix(".") }.sorted()
    }
}
