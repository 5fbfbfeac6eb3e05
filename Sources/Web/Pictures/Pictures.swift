internal import Concurrency
internal import FeedSync
internal import HTTP
internal import Text
internal import Time

/// Pictures of others, served from here: each is fetched once and kept on disk. So a browser talks to no other host,
/// and no other host learns who looks.
///
/// | what comes | what happens |
/// | --- | --- |
/// | no http or https, or an address of this machine or its network | nothing is fetched, redirects included |
/// | anything but a 200 with the bytes of a picture | it is not asked for again for ten minutes |
/// | a picture that is kept, younger than a day | no request |
/// | an older one | the server is asked whether it changed; while it does not answer, the old one is shown |
/// | one that the server was not asked for in 30 days | as if it were not kept; `trim` deletes it |
actor Pictures {
    struct Picture: Sendable {
        let type: PictureType
        let bytes: [UInt8]
    }

    private let executor: ThreadExecutor?
    private let path: String?
    private let client: Client
    private let limits: PictureLimits
    private let clock: WallClock
    private var folder: PictureFolder?
    /// The bytes of all files, as far as this process knows.
    private var size = 0
    private var underWay: [String: Task<Picture?, Never>] = [:]
    private var failures: [String: Int64] = [:]

    /// The maximum number of failures that are remembered.
    private static let mostFailures = 2_000

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor?.asUnownedSerialExecutor() ?? MainActor.sharedUnownedExecutor
    }

    /// - Parameter folder: The folder for pictures; nil if there is none, and no pictures are shown.
    init(in folder: String?, client: Client, limits: PictureLimits = PictureLimits(), clock: WallClock = .system) {
        // Files are read and written on a thread of its own.
        executor = ThreadExecutor()
        path = executor == nil ? nil : folder
        (self.client, self.limits, self.clock) = (client, limits, clock)
    }

    /// Returns a picture; nil if it is not a picture or cannot be fetched now.
    ///
    /// - Parameters:
    ///   - url: The value of the picture's column.
    ///   - origin: The origin of the feed itself, which may be an address of this machine or its network.
    func picture(at url: String, of origin: Origin?) async -> Picture? {
        guard url.utf8.count <= 4_000, let target = try? WebURL(url), let folder = openFolder() else { return nil }
        let name = Hexadecimal.encoded(SHA256.hash(Array("\(origin?.description ?? "")\n\(target.text)".utf8)))
        if let known = underWay[name] { return await known.value }
        let file = "\(folder.path)/\(name).picture"
        let now = clock.seconds
        let kept = PictureFile(path: file, most: limits.mostOfOne).flatMap { file in
            limits.isTooOld(file.checkedAt, at: now) ? nil : file
        }
        if let kept, now.subtractingReportingOverflow(kept.checkedAt).partialValue < limits.freshFor {
            return Self.picture(kept)
        }
        if let until = failures[name], until > now { return kept.flatMap(Self.picture) }
        let task = Task { await fetch(target, origin, kept, to: file, name: name) }
        underWay[name] = task
        let picture = await task.value
        underWay[name] = nil
        return picture
    }

    /// Deletes old pictures, if there is a folder.
    func trim() {
        guard let path, let folder = folder ?? PictureFolder(existing: path, limits: limits) else { return }
        size = folder.trim(at: clock.seconds)
    }

    private func openFolder() -> PictureFolder? {
        if let folder { return folder }
        guard let path else { return nil }
        folder = PictureFolder(path, limits: limits)
        size = folder?.trim(at: clock.seconds) ?? 0
        return folder
    }

    private func fetch(
        _ url: WebURL, _ origin: Origin?, _ kept: PictureFile?, to path: String, name: String
    ) async -> Picture? {
        var request = Request(url, headers: ["Accept": Self.accepted])
        if let etag = kept?.etag { request.headers.append(name: "If-None-Match", value: etag) }
        if let time = kept?.lastModified { request.headers.append(name: "If-Modified-Since", value: time) }
        request.addresses = .publicOnly(except: origin)
        request.timeouts = Timeouts(connect: .seconds(5), total: .seconds(20), stall: .seconds(10))
        request.limits = ResponseLimits(body: limits.mostOfOne, headers: 64 << 10, redirects: 3)
        let response = try? await client.send(request)
        let now = clock.seconds
        if var kept, let response, !response.isModified {
            kept.checkedAt = now
            _ = kept.write(to: path)
            return Self.picture(kept)
        }
        guard let response, response.status == 200 else { return failed(name, at: now, kept) }
        let file = PictureFile(
            checkedAt: now, etag: response.etag, lastModified: response.lastModified, bytes: response.body.bytes)
        guard let picture = Self.picture(file) else { return failed(name, at: now, kept) }
        if file.write(to: path) {
            size += file.bytes.count
            if size > limits.mostBytes, let folder { size = folder.trim(at: now) }
        }
        return picture
    }

    private static let accepted = PictureType.allCases.map(\.rawValue).joined(separator: ", ")

    private func failed(_ name: String, at now: Int64, _ kept: PictureFile?) -> Picture? {
        if failures.count >= Self.mostFailures { failures = failures.filter { $0.value > now } }
        if failures.count >= Self.mostFailures { failures = [:] }
        failures[name] = now.addingReportingOverflow(limits.failedFor).partialValue
        return kept.flatMap(Self.picture)
    }

    private static func picture(_ file: PictureFile) -> Picture? {
        PictureType(of: file.bytes).map { Picture(type: $0, bytes: file.bytes) }
    }
}
