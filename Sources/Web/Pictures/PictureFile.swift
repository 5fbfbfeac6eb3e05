internal import Concurrency
internal import FeedSync
internal import Platform

/// A picture on disk: a line with its time and its validators, then its bytes.
struct PictureFile: Sendable {
    /// The time at which the server last confirmed it, in seconds since 1970.
    var checkedAt: Int64
    var etag: String?
    var lastModified: String?
    let bytes: [UInt8]

    private static let mark = "feedsync-picture-1"
    /// Longer validators are not worth keeping.
    private static let longestValidator = 1_000

    init(checkedAt: Int64, etag: String?, lastModified: String?, bytes: [UInt8]) {
        self.checkedAt = checkedAt
        self.etag = Self.kept(etag)
        self.lastModified = Self.kept(lastModified)
        self.bytes = bytes
    }

    private static func kept(_ text: String?) -> String? {
        guard let text, text.utf8.count <= longestValidator, text.utf8.allSatisfy({ $0 >= 32 && $0 != 127 }) else {
            return nil
        }
        return text
    }

    /// Reads a file; nil if there is none, or if it is not one of ours.
    init?(path: String, most: Int) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard let contents = try? FileContents.read(descriptor, limit: most + 4_096),
            let end = contents.firstIndex(of: UInt8(ascii: "\n"))
        else { return nil }
        let words = String(decoding: contents[..<end], as: UTF8.self).split(
            separator: "\t", omittingEmptySubsequences: false
        ).map(String.init)
        guard words.count == 4, words[0] == Self.mark, let checkedAt = Int64(words[1]) else { return nil }
        self.checkedAt = checkedAt
        etag = words[2].isEmpty ? nil : words[2]
        lastModified = words[3].isEmpty ? nil : words[3]
        bytes = Array(contents[(end + 1)...])
    }

    /// Writes the file, as a whole or not at all.
    func write(to path: String) -> Bool {
        let head = "\(Self.mark)\t\(checkedAt)\t\(etag ?? "")\t\(lastModified ?? "")\n"
        let temporary = "\(path).\(UInt32.random(in: 0...UInt32.max)).new"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return false }
        let isWritten = Descriptor.write(Array(head.utf8) + bytes, to: descriptor)
        close(descriptor)
        if isWritten, rename(temporary, path) == 0 { return true }
        unlink(temporary)
        return false
    }
}

/// A folder of pictures, from which the oldest are deleted when there are too many.
struct PictureFolder: Sendable {
    let path: String
    let limits: PictureLimits

    /// Opens the folder, or creates it; nil if it cannot be created or belongs to another user.
    init?(_ path: String, limits: PictureLimits) {
        PrivateFolder.makeAll(above: "\(path)/")
        self.init(existing: path, limits: limits)
    }

    /// Opens the folder; nil if it does not exist or belongs to another user.
    init?(existing path: String, limits: PictureLimits) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR, status.st_uid == geteuid() else {
            return nil
        }
        (self.path, self.limits) = (path, limits)
    }

    /// Deletes pictures that are too old, then the oldest until the rest is small enough.
    ///
    /// - Returns: The bytes of the remaining pictures.
    func trim(at now: Int64) -> Int {
        var files: [(path: String, size: Int, at: Int64)] = []
        for name in FolderNames.all(in: path) where name.hasSuffix(".picture") || name.hasSuffix(".new") {
            var status = stat()
            guard lstat("\(path)/\(name)", &status) == 0 else { continue }
            files.append(("\(path)/\(name)", Int(status.st_size), Int64(platform_changed_at(&status).tv_sec)))
        }
        files.sort { $0.at > $1.at }
        var size = 0
        for file in files {
            if limits.isTooOld(file.at, at: now) || size + file.size > limits.mostBytes {
                unlink(file.path)
            } else {
                size += file.size
            }
        }
        return size
    }
}

/// The limits of stored pictures.
struct PictureLimits: Sendable {
    /// The maximum bytes of one picture.
    var mostOfOne = 5 << 20
    /// The maximum bytes of all pictures.
    var mostBytes = 200 << 20
    /// The time during which a picture is not requested again, in seconds.
    var freshFor: Int64 = 86_400
    /// The time after which a picture that was not requested is deleted, in seconds.
    var longestAge: Int64 = 30 * 86_400
    /// The time during which a failed picture is not requested again, in seconds.
    var failedFor: Int64 = 600

    /// True if a picture that was last checked at this time is no longer kept.
    func isTooOld(_ checkedAt: Int64, at now: Int64) -> Bool {
        now.subtractingReportingOverflow(checkedAt).partialValue > longestAge
    }
}

/// The kinds of pictures that are shown. SVG is not among them, because it is a document that may hold anything.
enum PictureType: String, Sendable, CaseIterable {
    case png = "image/png"
    case jpeg = "image/jpeg"
    case gif = "image/gif"
    case webp = "image/webp"
    case avif = "image/avif"

    /// The type by the first bytes, whatever the server says; nil for anything else.
    ///
    /// Source: https://mimesniff.spec.whatwg.org/#matching-an-image-type-pattern; for AVIF,
    /// https://aomediacodec.github.io/av1-avif/#brands
    init?(of bytes: some Collection<UInt8>) {
        let head = Array(bytes.prefix(64))
        func has(_ text: String, at place: Int = 0) -> Bool { head.dropFirst(place).starts(with: text.utf8) }
        if head.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) {
            self = .png
        } else if head.starts(with: [0xFF, 0xD8, 0xFF]) {
            self = .jpeg
        } else if has("GIF87a") || has("GIF89a") {
            self = .gif
        } else if has("RIFF"), has("WEBP", at: 8) {
            self = .webp
        } else if has("ftyp", at: 4), has("avif", at: 8) || has("avis", at: 8) {
            self = .avif
        } else {
            return nil
        }
    }
}
