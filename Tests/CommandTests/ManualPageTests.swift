import Testing

@Suite struct ManualPageTests {
    @Test("There is a manual page for feedsync and for each command, and mandoc finds nothing wrong in it")
    func lint() async throws {
        let place = try Workplace()
        let listed = try await place.shell(#""$FEEDSYNC" __complete '' | cut -d ' ' -f 1"#)
        let commands = listed.output.split(separator: "\n").map(String.init)
        #expect(commands.contains("sync"))
        for command in [""] + commands {
            let run = try await place.run("help --man \(command)")
            #expect(run.code == 0)
            try place.write("page.1", run.output)
            // Scripts/man puts in the date.
            let lint = try await place.shell("mandoc -T lint -W warning page.1 | grep -v 'missing date'")
            #expect(lint.output.isEmpty, "\(command)")
        }
    }

    @Test("A command's page has what its help has", arguments: ["add", "sync", "status", "more", "help"])
    func content(command: String) async throws {
        let place = try Workplace()
        let help = try await place.run("help \(command)").output
        let page = try await place.shell(
            #""$FEEDSYNC" help --man \#(command) | mandoc -T utf8 -O width=200 | col -b -x"#
        ).output
        #expect(page.contains("feedsync-\(command) - "))
        for word in Set(words(help)).subtracting(["Usage:", "Options:", "Example:"]) {
            #expect(words(page).contains(word), "\(word)")
        }
    }

    @Test("feedsync(1) names every command, the exit codes and the words")
    func overview() async throws {
        let place = try Workplace()
        let page = try await place.shell(#""$FEEDSYNC" help --man | mandoc -T utf8 -O width=200 | col -b -x"#).output
        let text = words(page).joined(separator: " ")
        for command in ["add", "sync", "help"] { #expect(text.contains("feedsync-\(command)(1)")) }
        for code in ["65 a page cannot be decoded or followed", "75 try later", "128+N stopped by signal N"] {
            #expect(text.contains(code))
        }
        for word in ["page cursor what to request next", "synced range stored pages", "FEEDSYNC_STORE the store"] {
            #expect(text.contains(word))
        }
    }

    private func words(_ text: String) -> [String] {
        text.replacing("`", with: "").split(whereSeparator: \.isWhitespace).map(String.init)
    }
}
