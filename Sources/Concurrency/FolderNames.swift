internal import Platform

/// The names of what is in a folder.
package enum FolderNames {
    /// The names of a folder's files and folders, in no order, without `.` and `..`; none if it cannot be read.
    ///
    /// Source: <https://man7.org/linux/man-pages/man3/readdir.3.html>
    ///
    /// - Parameter most: The number of names after which the rest is left out.
    package static func all(in path: String, most: Int = .max) -> [String] {
        guard let folder = opendir(path), let place = MemoryLayout<dirent>.offset(of: \.d_name) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while names.count < most, let entry = readdir(folder) {
            // A record ends behind its name: a copy of all of `d_name` would read past it, and past the memory at
            // times.
            let bytes = UnsafeRawPointer(entry) + place
            let name = String(cString: bytes.assumingMemoryBound(to: CChar.self))
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}

/// Folders that only the user can open.
package enum PrivateFolder {
    /// Creates the missing folders above a file.
    package static func makeAll(above path: String) {
        var end = path.startIndex
        while let slash = path[path.index(after: end)...].firstIndex(of: "/") {
            mkdir(String(path[..<slash]), 0o700)
            end = slash
        }
    }

    /// Creates a folder with a new name that begins so; nil, with the reason in `errno`, if it cannot be created.
    package static func make(beginning: String) -> String? {
        var template = Array("\(beginning)XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { return nil }
        return String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
