internal import Concurrency
internal import Glibc

/// A temporary folder that is removed when the process ends.
struct TemporaryFolder: Sendable {
    let path: String

    /// The folders that exist now.
    private static let present = Lock<[String]>([])

    /// Creates one in `$TMPDIR`, or in `/tmp`.
    ///
    /// - Throws: `Failure` with exit code 73.
    init(_ environment: [String: String], for purpose: String = "check") throws(Failure) {
        let parent = environment["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        var template = Array("\(parent)/feedsync-\(purpose)-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            let reason = String(cString: strerror(errno))
            throw Failure(
                .store, ["cannot create a folder in \(parent): \(reason)"], advice: "set $TMPDIR to another folder")
        }
        let made = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        path = made
        Self.present.withLock { $0.append(made) }
    }

    /// Removes the folder and its files.
    func remove() {
        Self.present.withLock { $0.removeAll { $0 == path } }
        Self.remove(path)
    }

    /// Removes all existing folders, for a process that ends at once.
    static func removeAll() {
        for path in present.withLock({ $0 }) { remove(path) }
    }

    private static func remove(_ path: String) {
        if let folder = opendir(path) {
            while let entry = readdir(folder) {
                let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
                    String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
                }
                if name != ".", name != ".." { unlink("\(path)/\(name)") }
            }
            closedir(folder)
        }
        rmdir(path)
    }
}
