import Foundation
import TemporaryFolder
import Testing

@testable import StoreFile

@Suite("A lock on a feed")
struct LockFileTests {
    private let folder: TemporaryFolder
    private let store: String

    init() throws {
        folder = try TemporaryFolder()
        store = folder.file("feeds.db")
        try Data().write(to: URL(filePath: store))
    }

    @Test("A lock is the same by every path to the store")
    func symbolicLinks() throws {
        let link = folder.file("link.db")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "feeds.db")
        let detour = folder.file("../\(URL(filePath: folder.path).lastPathComponent)/feeds.db")
        let held = try #require(try FeedLock(on: 1, of: store, command: "reload"))
        for path in [store, link, detour] {
            #expect(try FeedLock(on: 1, of: path, command: "more") == nil)
            #expect(FeedLock.holder(of: 1, of: path) == FeedHolder(process: getpid(), command: "reload"))
            #expect(FeedLock.holder(of: 2, of: path) == nil)
            #expect(try FeedLock(on: 2, of: path, command: "more") != nil)
        }
        withExtendedLifetime(held) {}
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 3)
    }

    @Test(
        "A lock is taken on any number that a store can have", arguments: [1, 2, Int64(UInt32.max) + 3, -1, .min, .max])
    func numbers(feed: Int64) throws {
        let held = try #require(try FeedLock(on: feed, of: store, command: "reload"))
        #expect(try FeedLock(on: feed, of: store, command: "more") == nil)
        withExtendedLifetime(held) {}
    }

    @Test("A lock is on one feed only, even if its number comes from a block of a worker")
    func blocks() throws {
        let numbers = (Int64(1)...40).flatMap { block in (Int64(1)...3).map { block << 28 + $0 } }
        let held = try numbers.map { try FeedLock(on: $0, of: store, command: "reload") }
        #expect(held.allSatisfy { $0 != nil })
    }

    @Test("A lock makes no big file")
    func size() throws {
        #expect(try FeedLock(on: 1, of: store, command: "reload") != nil)
        let attributes = try FileManager.default.attributesOfItem(atPath: FeedLock.path(of: store))
        #expect(try #require(attributes[.size] as? Int) < 1_000)
    }

    @Test("A lock is released with its owner, and another can have it then")
    func givenBack() throws {
        do { #expect(try FeedLock(on: 1, of: store, command: "reload") != nil) }
        #expect(try FeedLock(on: 1, of: store, command: "more") != nil)
    }

    @Test("A lock is on the file that others find, not on one that was deleted or replaced")
    func deleted() throws {
        let path = FeedLock.path(of: store)
        try Data().write(to: URL(filePath: path))
        let descriptor = open(path, O_RDWR)
        defer { close(descriptor) }
        #expect(FilePath.leads(path, to: descriptor))
        try FileManager.default.removeItem(atPath: path)
        #expect(!FilePath.leads(path, to: descriptor))
        try Data().write(to: URL(filePath: path))
        #expect(!FilePath.leads(path, to: descriptor))
    }

    @Test("A lock is checked for as long as it is held: a deleted or replaced file is an error")
    func checked() throws {
        let held = try #require(try FeedLock(on: 1, of: store, command: "reload"))
        try held.check()
        try FileManager.default.removeItem(atPath: FeedLock.path(of: store))
        #expect(throws: FeedSyncError.self) { try held.check() }
        let other = try #require(try FeedLock(on: 1, of: store, command: "more"))
        try other.check()
        #expect(throws: FeedSyncError.self) { try held.check() }
    }

    @Test("A lock that another program keeps is waited for so long and no longer")
    func foreignLock() throws {
        let descriptor = open(FeedLock.path(of: store), O_RDWR | O_CREAT, 0o600)
        defer { close(descriptor) }
        var lock = flock()
        lock.l_type = Int16(F_WRLCK)
        lock.l_whence = Int16(SEEK_SET)
        // Every byte there is; F_OFD_SETLK.
        #expect(fcntl(descriptor, 37, &lock) == 0)
        let error = #expect(throws: FeedSyncError.self) { try FeedLock.alone(with: store, tries: 3) {} }
        #expect(error?.kind == .locked)
    }

    @Test("A lock on the store itself is waited for as long as `wait`: five seconds at least, a day at most")
    func waiting() {
        #expect(Store.Options().tries == 5_000)
        #expect(Store.Options(wait: .seconds(20)).tries == 20_000)
        #expect(Store.Options(wait: .seconds(Int64.max)).tries == 86_400_000)
    }
}
