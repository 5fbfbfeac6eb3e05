import Foundation
import TemporaryFolder
import Testing

@testable import Feeds

@Suite("The search for the configuration")
struct ConfigurationSearchTests {
    private func search(
        _ environment: [String: String], files: [String: FileStatus]
    ) -> ConfigurationSearch {
        ConfigurationSearch(environment: environment, user: 1_000) { files[$0] }
    }

    private static let mine = FileStatus(owner: 1_000, mode: 0o644)

    @Test("The search goes from the most to the least explicit place")
    func order() throws {
        var environment = ["FEEDSYNC_CONFIG": "/env.yaml", "XDG_CONFIG_HOME": "/xdg", "HOME": "/home/me"]
        let xdg = "/xdg/feedsync/feedsync.yaml"
        let files = ["feedsync.yaml": Self.mine, xdg: Self.mine, "/home/me/.config/feedsync/feedsync.yaml": Self.mine]
        #expect(try search(environment, files: files).found(option: "feedsync.yaml")?.mayRunCommands == true)
        #expect(try search(environment, files: files).found(option: nil)?.mayRunCommands == true)
        #expect(try search(environment, files: files).file(option: "/given.yaml") == "/given.yaml")
        #expect(try search(environment, files: files).file(option: nil) == "/env.yaml")
        environment["FEEDSYNC_CONFIG"] = ""
        #expect(try search(environment, files: files).file(option: nil) == "feedsync.yaml")
        #expect(try search(environment, files: files).found(option: nil)?.mayRunCommands == false)
        #expect(try search(environment, files: [xdg: Self.mine]).found(option: nil)?.mayRunCommands == true)
        #expect(try search(environment, files: [xdg: Self.mine]).file(option: nil) == xdg)
        environment["XDG_CONFIG_HOME"] = nil
        let personal = try search(environment, files: files.filter { $0.key.hasPrefix("/home") }).file(option: nil)
        #expect(personal == "/home/me/.config/feedsync/feedsync.yaml")
        #expect(try search(environment, files: [:]).file(option: nil) == nil)
        #expect(try search([:], files: [:]).file(option: nil) == nil)
    }

    @Test(
        "The search refuses a file in the current folder that another user can write",
        arguments: [(0, 0o644), (1_000, 0o664), (1_000, 0o646)] as [(UInt32, UInt32)])
    func untrusted(owner: UInt32, mode: UInt32) throws {
        let search = search([:], files: ["feedsync.yaml": .init(owner: owner, mode: mode)])
        let error = #expect(throws: ConfigurationError.self) { try search.file(option: nil) }
        #expect(error?.description.hasPrefix("feedsync.yaml: ") == true)
        #expect(try search.file(option: "feedsync.yaml") == "feedsync.yaml")
    }

    @Test(
        "The search lets no file that another user can write run commands, wherever it is",
        arguments: [(0, 0o644, true), (1_000, 0o600, true), (1_000, 0o664, false), (2_000, 0o644, false)]
            as [(UInt32, UInt32, Bool)])
    func commands(owner: UInt32, mode: UInt32, mayRun: Bool) throws {
        let status = FileStatus(owner: owner, mode: mode)
        let named = search([:], files: ["/etc/feeds.yaml": status])
        #expect(try named.found(option: "/etc/feeds.yaml")?.mayRunCommands == mayRun)
        let personal = search(["XDG_CONFIG_HOME": "/xdg"], files: ["/xdg/feedsync/feedsync.yaml": status])
        #expect(try personal.found(option: nil)?.mayRunCommands == mayRun)
    }

    @Test("A file that is reached by somebody else's link counts as theirs; one's own links and root's are followed")
    func links() throws {
        let folder = try TemporaryFolder()
        try Data("feeds:".utf8).write(to: URL(filePath: folder.file("file")))
        chmod(folder.file("file"), 0o640)
        try FileManager.default.createSymbolicLink(atPath: folder.file("link"), withDestinationPath: "file")
        try FileManager.default.createSymbolicLink(atPath: folder.file("loop"), withDestinationPath: "loop")
        #expect(FileStatus(of: folder.file("link")) == FileStatus(owner: geteuid(), mode: 0o640))
        #expect(FileStatus(of: folder.file("link"))?.isWritable() == true)
        #expect(FileStatus(of: folder.file("loop")) == nil)
        // Only root can give a link away.
        guard lchown(folder.file("link"), 12_345, 12_345) == 0 else { return }
        #expect(FileStatus(of: folder.file("link"))?.owner == 12_345)
        #expect(FileStatus(of: folder.file("link"))?.isWritable() == false)
    }
}
