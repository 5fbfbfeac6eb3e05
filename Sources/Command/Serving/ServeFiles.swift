internal import Concurrency
internal import FeedSync
internal import Platform
internal import Text

/// The file that has the token of `serve`: its first line. Only its owner may read it.
final class TokenFile: Sendable {
    private let path: String?
    private let state: Lock<(stamp: FileStamp?, token: String?)>

    /// - Throws: `Failure` with exit code 64 for a file that holds no token, or that others can read.
    init(_ path: String) throws(Failure) {
        let stamp = FileStamp(path: path)
        let token = try Self.read(path)
        self.path = path
        state = Lock((stamp, token))
    }

    private init(token: String) {
        path = nil
        state = Lock((nil, token))
    }

    /// The token as the file has it now; nil where it has none any more.
    var current: String? {
        guard let path else { return state.withLock { $0.token } }
        let stamp = FileStamp(path: path)
        if let token = state.withLock({ $0.stamp == stamp ? $0.token : nil }) { return token }
        let token = try? Self.read(path)
        state.withLock { $0 = (stamp, token) }
        return token
    }

    /// The user's own token, which is made at the first use; one that ends with the process where it cannot be kept.
    static func own(_ environment: [String: String]) throws(Failure) -> TokenFile {
        guard let path = UserFolder.state(environment).map({ "\($0)/serve.token" }) else {
            return TokenFile(token: random())
        }
        if access(path, F_OK) != 0, !make(path) { return TokenFile(token: random()) }
        return try TokenFile(path)
    }

    private static func make(_ path: String) -> Bool {
        PrivateFolder.makeAll(above: path)
        let temporary = "\(path).\(getpid()).new"
        let file = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { return false }
        defer { unlink(temporary) }
        let line = Array((random() + "\n").utf8)
        let isWritten = write(file, line, line.count) == line.count
        close(file)
        // The first of two servers that begin at once makes it.
        return isWritten && (link(temporary, path) == 0 || errno == EEXIST)
    }

    private static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return (0..<3).map { _ in
            Hexadecimal.digits(UInt64.random(in: .min ... .max, using: &generator), count: 16)
        }.joined()
    }

    private static func read(_ path: String) throws(Failure) -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard file >= 0 else {
            throw .usage("\(path) cannot be read: \(String(cString: strerror(errno)))", advice: advice(path))
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, isPrivate(status) else {
            throw .usage("\(path) can be read or written by others", advice: "chmod 600 \(ShellWord.quoted(path))")
        }
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = Platform.read(file, &bytes, bytes.count)
        let line = bytes[..<max(count, 0)].prefix { $0 != 10 && $0 != 13 }
        guard line.count >= 16, line.count <= 1_000, line.allSatisfy({ $0 > 32 && $0 < 127 }) else {
            throw .usage("\(path) holds no token: a first line of at least 16 letters and digits", advice: advice(path))
        }
        return String(decoding: line, as: UTF8.self)
    }

    private static func advice(_ path: String) -> String { "(umask 077; openssl rand -hex 24 > \(path))" }

    /// True if nobody but the user reads a file, and nobody but the user or root writes it.
    ///
    /// A credential of systemd's is root's, and its mode shows the user's access as the group's.
    /// Source: https://systemd.io/CREDENTIALS/
    private static func isPrivate(_ status: stat) -> Bool {
        if status.st_uid == geteuid() { return status.st_mode & 0o077 == 0 }
        return status.st_uid == 0 && status.st_mode & 0o037 == 0
    }
}

/// The user's own folders for feedsync; nil without a home.
///
/// Source: https://specifications.freedesktop.org/basedir-spec/latest/ (relative paths are invalid there).
enum UserFolder {
    /// The folder for state that should outlive a restart.
    static func state(_ environment: [String: String]) -> String? {
        path(environment["XDG_STATE_HOME"], or: ".local/state", environment)
    }

    /// The folder for files that can be made again.
    static func cache(_ environment: [String: String]) -> String? {
        path(environment["XDG_CACHE_HOME"], or: ".cache", environment)
    }

    private static func path(_ folder: String?, or usual: String, _ environment: [String: String]) -> String? {
        if let folder, folder.hasPrefix("/") { return "\(folder)/feedsync" }
        guard let home = environment["HOME"], home.hasPrefix("/") else { return nil }
        return "\(home)/\(usual)/feedsync"
    }
}

/// The file of the sessions that ended by signing out, so that a restarted server refuses them, too: an id and the time
/// at which the session began in each line. Who reads it learns nothing that opens a session.
struct SignOutFile: Sendable {
    let path: String
    let report: @Sendable (String) -> Void

    /// No server has as many sign-outs in a month.
    private static let mostBytes = 1 << 20

    /// Adds sessions to the file, and drops those that began before a time.
    ///
    /// - Returns: The sessions in the file then; other servers may have added some. If the file cannot be read, the
    ///   given ones.
    func merge(_ ended: [String: Int], since time: Int) -> [String: Int] {
        guard !ended.isEmpty || access(path, F_OK) == 0 else { return ended }
        PrivateFolder.makeAll(above: path)
        var all = ended
        do throws(FeedSyncError) {
            try ReplacedFile(path: path, limit: Self.mostBytes).edit(isPrivate: { _ in true }, failing: { $0 }) {
                text throws(FeedSyncError) in
                let lines = String(decoding: text, as: UTF8.self).split(separator: "\n")
                let known = lines.compactMap { line -> (String, Int)? in
                    let words = line.split(separator: " ")
                    return words.count == 2 ? Int(words[1]).map { (String(words[0]), $0) } : nil
                }
                all = Dictionary(known) { first, _ in first }.merging(ended) { $1 }.filter { $0.value >= time }
                let sorted = all.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
                return Array(sorted.map { "\($0.key) \($0.value)\n" }.joined().utf8)
            }
        } catch {
            report("\(path) cannot be written: signing out holds until this server ends")
        }
        return all
    }
}
