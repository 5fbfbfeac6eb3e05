internal import Concurrency
internal import Glibc

/// A folder of this process's own that is gone when the process is.
struct TemporaryFolder: Sendable {
    let path: String

    /// Those that are there now.
    private static let present = Lock<[String]>([])

    /// Makes one in `$TMPDIR`, or in `/tmp`.
    ///
    /// - Throws: `Failure` with exit code 73.
    init(_ environment: [String: String]) throws(Failure) {
        let parent = environment["TMPDIR"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "/tmp"
        var template = Array("\(parent)/feedsync-check-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            let reason = String(cString: strerror(errno))
            throw Failure(
                .store, ["cannot create a folder in \(parent): \(reason)"], advice: "set $TMPDIR to another folder")
        }
        let made = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        path = made
        Self.present.withLock { $0.append(made) }
    }

    /// Removes it with the files in it.
    func remove() {
        Self.present.withLock { $0.removeAll { $0 == path } }
        Self.remove(path)
    }

    /// Removes those that are there, for a process that ends at once.
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
