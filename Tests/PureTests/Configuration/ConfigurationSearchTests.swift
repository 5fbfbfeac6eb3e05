import Feeds
import Testing

@Suite("The search for the configuration")
struct ConfigurationSearchTests {
    private func search(
        _ environment: [String: String], files: [String: ConfigurationSearch.FileStatus]
    ) -> ConfigurationSearch {
        ConfigurationSearch(environment: environment, user: 1_000) { files[$0] }
    }

    private static let mine = ConfigurationSearch.FileStatus(owner: 1_000, mode: 0o644)

    @Test("goes from the most to the least explicit")
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
        "refuses a file in the current folder that somebody else can write",
        arguments: [(0, 0o644), (1_000, 0o664), (1_000, 0o646)] as [(UInt32, UInt32)])
    func untrusted(owner: UInt32, mode: UInt32) throws {
        let search = search([:], files: ["feedsync.yaml": .init(owner: owner, mode: mode)])
        let error = #expect(throws: ConfigurationError.self) { try search.file(option: nil) }
        #expect(error?.description.hasPrefix("feedsync.yaml: ") == true)
        #expect(try search.file(option: "feedsync.yaml") == "feedsync.yaml")
    }
}
