internal import Glibc

/// A path that does not exist, with the missing part of it and a suggestion.
package struct MissingPath: Sendable {
    private let path: String
    private let folder: String
    private let name: String

    /// Nil if the path exists, or if its existence is unknown.
    package init?(_ path: String) {
        guard access(path, F_OK) != 0, errno == ENOENT else { return nil }
        self.path = path
        let slash = path.lastIndex(of: "/")
        folder = slash.map { $0 == path.startIndex ? "/" : String(path[..<$0]) } ?? ""
        name = slash.map { String(path[path.index(after: $0)...]) } ?? path
    }

    /// The folder that is not there either; nil where only the file is missing.
    package var missingFolder: String? {
        folder.isEmpty || access(folder, F_OK) == 0 || errno != ENOENT ? nil : folder
    }

    /// The file in the same folder with the most similar name.
    package var nearest: String? {
        guard missingFolder == nil, let found = NearestWord.suggestion(for: name, among: neighbours) else { return nil }
        return folder.isEmpty ? found : folder.hasSuffix("/") ? folder + found : "\(folder)/\(found)"
    }

    /// The names of files that end as this one does.
    private var neighbours: [String] {
        guard let stream = opendir(folder.isEmpty ? "." : folder) else { return [] }
        defer { closedir(stream) }
        let ending = name.lastIndex(of: ".").map { name[$0...] } ?? ""
        var names: [String] = []
        while names.count < 10_000, let entry = readdir(stream) {
            let found = withUnsafeBytes(of: &entry.pointee.d_name) { name in
                String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
            }
            if found.hasSuffix(ending), !found.hasPrefix(".") { names.append(found) }
        }
        // The system lists them in no order.
        return names.sorted()
    }
}
