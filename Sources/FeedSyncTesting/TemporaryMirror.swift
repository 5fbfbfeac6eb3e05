internal import Concurrency
internal import Platform
internal import StoreFile
internal import Time
internal import Upstream

/// Calls `body` with a mirror of its own, which is closed and deleted afterwards. Its store is kept in memory where the
/// system has a file system for that.
///
///     try await withTemporaryMirror { mirror in
///         let feed = try await mirror.feed(definition)
///         try await feed.perform(.sync)
///         #expect(try await feed.storedItems(as: Thing.self).count == 3)
///     }
///
/// - Parameters:
///   - environment: The environment variables that `${NAME}` refers to.
///   - clock: The clock for waiting, and for the time of day, which begins at 2026-01-01; nil for the system's.
/// - Throws: `FeedSyncError` of kind `store` if no folder can be made; the error of `body`.
public func withTemporaryMirror<Result>(
    environment: [String: String] = [:], clock: TestClock? = nil, _ body: (FeedMirror) async throws -> Result
) async throws -> Result {
    let folder = try temporaryFolder()
    defer { remove(folder: folder) }
    var options = EngineOptions(environment: environment, folder: folder)
    if let clock {
        options.clock = clock
        options.wallClock = WallClock { 1_767_225_600_000 + clock.now.offset.milliseconds }
    }
    var storeOptions = Store.Options()
    storeOptions.isScratch = true
    let mirror = FeedMirror(try await Store(path: "\(folder)/store.db", options: storeOptions), options: options)
    do {
        let result = try await body(mirror)
        await mirror.close()
        return result
    } catch {
        await mirror.close()
        throw error
    }
}

private func temporaryFolder() throws -> String {
    let parents = ["/dev/shm", getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp", "/tmp"]
    for parent in parents {
        if let folder = PrivateFolder.make(beginning: "\(parent)/feedsync-") { return folder }
    }
    throw FeedSyncError(.store, "no folder for a temporary mirror can be made in /dev/shm, TMPDIR or /tmp")
}

private func remove(folder: String) {
    for end in ["", "-wal", "-shm", "-lock"] { unlink("\(folder)/store.db\(end)") }
    rmdir(folder)
}

extension Duration {
    fileprivate var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }
}
