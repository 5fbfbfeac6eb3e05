internal import Concurrency
internal import Platform

/// The tokens that upstreams gave in place of a refresh token, in a file that only its owner may read.
///
/// An upstream may take a refresh token once, and give the next one: only the last one is the way back in. It is on
/// disk before the access token that came with it is used. Processes take turns, from reading a refresh token to
/// keeping the next one; the lock is on a file beside it, because the file itself is replaced.
struct KeptTokens: Sendable, Hashable {
    /// The tokens of one client.
    struct Entry: Sendable, Hashable {
        /// The refresh token; nil where the upstream gave none.
        var refresh: String?
        /// The access token, which other processes use as long as it is fresh.
        var access: AccessToken
    }

    let path: String

    /// The most bytes of the file.
    private static let limit = 1 << 20

    private var file: ReplacedFile { ReplacedFile(path: path, limit: Self.limit) }

    /// The tokens of a client; nil where none are kept, or those that are replaced another refresh token.
    ///
    /// - Throws: `FeedSyncError` of kind `configuration` for a file that cannot be read, or is not the owner's alone.
    func entry(of client: Client) throws(FeedSyncError) -> Entry? {
        guard access(path, F_OK) == 0 else { return nil }
        let text: [UInt8]
        do throws(FileError) {
            text = try FileContents.read(path, limit: Self.limit, isOwn: true)
        } catch {
            throw FeedSyncError(.configuration, "\(path) \(error.problem)", advice: Self.advice)
        }
        return try members(text)[client.key].flatMap { client.entry(of: $0) }
    }

    /// Keeps the tokens of a client, in place of those before.
    ///
    /// - Throws: `FeedSyncError` of kind `configuration`; the file is as it was then.
    func keep(_ entry: Entry, of client: Client) throws(FeedSyncError) {
        try file.edit(isPrivate: { _ in true }, failing: { $0.asConfiguration(Self.advice) }) {
            text throws(FeedSyncError) in
            var members = try members(text)
            members[client.key] = client.json(of: entry)
            return Array((JSONValue.object(members).json + "\n").utf8)
        }
    }

    private func members(_ text: [UInt8]) throws(FeedSyncError) -> JSONObject {
        guard !text.isEmpty else { return JSONObject() }
        guard let members = (try? JSONValue(parsing: text))?.members else {
            throw FeedSyncError(
                .configuration, "\(path) does not hold tokens as feedsync keeps them", advice: "move it away")
        }
        return members
    }

    private static let advice = "name a file that can be written with `tokens` in `auth`"
}

extension KeptTokens {
    /// A client, as the file distinguishes it from others: nothing of it can be read there.
    struct Client: Sendable, Hashable {
        /// The hash of everything that the token depends on but the refresh token.
        let key: String
        /// The hash of the refresh token of the definition: those that are kept replaced it, and no other.
        let origin: String

        init(_ words: [String], refreshToken: String) {
            key = Self.hash(words)
            origin = Self.hash([refreshToken])
        }

        private static func hash(_ words: [String]) -> String {
            Hexadecimal.encoded(SHA256.hash(words.flatMap { Array($0.utf8) + [0] }))
        }

        fileprivate func entry(of value: JSONValue) -> Entry? {
            guard let members = value.members, members["origin"]?.text == origin,
                let access = members["access_token"]?.text
            else { return nil }
            var renewal: Int64?
            if case .number(let digits)? = members["renewal"] { renewal = Int64(digits) }
            return Entry(
                refresh: members["refresh_token"]?.text, access: AccessToken(text: access, renewal: renewal))
        }

        fileprivate func json(of entry: Entry) -> JSONValue {
            .object([
                "origin": .string(origin), "refresh_token": entry.refresh.map { .string($0) } ?? .null,
                "access_token": .string(entry.access.text),
                "renewal": entry.access.renewal.map { .number("\($0)") } ?? .null,
            ])
        }
    }
}

extension KeptTokens {
    /// The lock of the file; it ends with its process, however that ended.
    final class Turn: Sendable {
        private let descriptor: Int32

        /// Takes the lock; nil if another one has it.
        ///
        /// - Throws: `FeedSyncError` of kind `configuration` for a folder in which nothing can be written: it is
        ///   noticed before a token is used up.
        init?(_ tokens: KeptTokens) throws(FeedSyncError) {
            let path = "\(tokens.path)-lock"
            descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard descriptor >= 0 else {
                let reason = String(cString: strerror(errno))
                throw FeedSyncError(
                    .configuration, "\(path) cannot be written: \(reason)", advice: KeptTokens.advice)
            }
            if flock(descriptor, LOCK_EX | LOCK_NB) != 0 { return nil }
        }

        deinit { close(descriptor) }

        /// Ends the turn, which lasts till then.
        func end() { _ = flock(descriptor, LOCK_UN) }
    }
}

extension FeedSyncError {
    fileprivate func asConfiguration(_ advice: String) -> FeedSyncError {
        FeedSyncError(.configuration, message, advice: advice)
    }
}
