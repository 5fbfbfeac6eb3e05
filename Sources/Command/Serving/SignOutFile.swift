internal import Platform

/// The file of the sessions that ended by signing out, so that a restarted server refuses them, too: an id and the time
/// at which the session began in each line. Who reads it learns nothing that opens a session.
struct SignOutFile: Sendable {
    let path: String
    let report: @Sendable (String) -> Void

    /// No server has as many sign-outs in a month.
    private static let mostBytes = 1 << 20

    /// Adds sessions to the file, and drops those that began before a time.
    ///
    /// - Returns: The sessions in the file then; other servers may have added some. If the file cannot be used, the
    ///   given ones.
    func merge(_ ended: [String: Int], since time: Int) -> [String: Int] {
        guard !ended.isEmpty || access(path, F_OK) == 0 else { return ended }
        ParentFolders.make(of: path)
        let file = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY, 0o600)
        guard file >= 0 else { return failed(ended) }
        defer { close(file) }
        guard flock(file, LOCK_EX) == 0 else { return failed(ended) }
        let text = read(file)
        let known = text.split(separator: "\n").compactMap { line -> (String, Int)? in
            let words = line.split(separator: " ")
            guard words.count == 2, let beganAt = Int(words[1]) else { return nil }
            return (String(words[0]), beganAt)
        }
        let all = Dictionary(known) { first, _ in first }.merging(ended) { $1 }.filter { $0.value >= time }
        let lines = all.sorted { ($0.value, $0.key) < ($1.value, $1.key) }.map { "\($0.key) \($0.value)\n" }.joined()
        guard lines != text else { return all }
        let bytes = Array(lines.utf8)
        guard ftruncate(file, 0) == 0, pwrite(file, bytes, bytes.count, 0) == bytes.count else { return failed(all) }
        fsync(file)
        return all
    }

    private func read(_ file: Int32) -> String {
        var bytes: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 65_536)
        while bytes.count < Self.mostBytes {
            let count = pread(file, &part, part.count, off_t(bytes.count))
            guard count > 0 else { break }
            bytes += part[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private func failed(_ ended: [String: Int]) -> [String: Int] {
        report("\(path) cannot be written: signing out holds until this server ends")
        return ended
    }
}

/// The folders above a file of the user's own.
enum ParentFolders {
    /// Creates the missing folders, for the user alone.
    static func make(of path: String) {
        var end = path.startIndex
        while let slash = path[path.index(after: end)...].firstIndex(of: "/") {
            mkdir(String(path[..<slash]), 0o700)
            end = slash
        }
    }
}
