import FeedSync
import Foundation
import TemporaryFolder
import Testing

@Suite("A template")
struct TemplateTests {
    /// The template that a feed's query parameter `v` is.
    private func template(_ text: String, allowsCommands: Bool = false) throws -> Template {
        let feed = try FeedDefinition.parse(
            name: "x", yaml: "url: https://example.com\nkey: id\ncolumns: {id: id}\nquery:\n  v: \(text)\n",
            file: "f.yaml", allowsCommands: allowsCommands)
        return try #require(feed.query.first).value
    }

    @Test(
        "A template is text with references",
        arguments: [
            ("abc", [.literal("abc")]),
            ("1.10", [.literal("1.10")]),
            ("${TOKEN}", [.environment("TOKEN")]),
            ("'token ${A_1}!'", [.literal("token "), .environment("A_1"), .literal("!")]),
            ("${file:/run/secret}", [.file("/run/secret")]),
            ("'${command: gh auth token}'", [.command(" gh auth token")]),
            ("'a${command:awk {print} x}b'", [.literal("a"), .command("awk {print} x"), .literal("b")]),
            ("$${X}", [.literal("${X}")]),
            ("$5", [.literal("$5")]),
            ("''", []),
        ] as [(String, [Template.Part])])
    func parts(text: String, parts: [Template.Part]) throws {
        #expect(try template(text, allowsCommands: true).parts == parts)
    }

    @Test(
        "A template is written as it was read",
        arguments: ["a ${B} c", "$${X}", "$$${X}", "${file:a/b}x", "$", "${command: a {b} }c"])
    func description(text: String) throws {
        #expect(try template("'\(text)'", allowsCommands: true).description == text)
    }

    @Test(
        "A fault in a template is a diagnostic at its place, and is not quoted",
        arguments: [
            (
                "s3cret ${",
                "f.yaml:5:13: in `v` of `query` of feed `x`: `${` is not closed; a literal `${` is written `$${`"
            ),
            (
                "'${a-b}'",
                "f.yaml:5:7: in `v` of `query` of feed `x`: `${…}` takes the name of an environment variable, `file:` and a path, or `command:` and a command"
            ),
            ("${file:}", "f.yaml:5:6: in `v` of `query` of feed `x`: `${file:}` names no file"),
            ("'${command: }'", "f.yaml:5:7: in `v` of `query` of feed `x`: `${command:}` names no command"),
            (
                "'${command: echo {}'",
                "f.yaml:5:7: in `v` of `query` of feed `x`: `${` is not closed; a literal `${` is written `$${`"
            ),
            (
                "'${command: gh auth token}'",
                "f.yaml:5:6: feed `x` has a `${command:…}`, and commands are run only for a file that you name with --config or $FEEDSYNC_CONFIG, and that nobody else may write"
            ),
        ])
    func diagnostics(text: String, expected: String) {
        let error = #expect(throws: ConfigurationError.self) { try template(text) }
        #expect(error?.description == expected)
    }

    @Test("A template marks values of references as secrets, and nothing else")
    func secrets() throws {
        let resolved = try template("Bearer ${T}-x").resolved(environment: ["T": "abc"], relativeTo: "")
        #expect(resolved.text == "Bearer abc-x")
        #expect(resolved.secrets == ["abc"])
    }

    @Test("References in the value of a reference are not resolved")
    func once() throws {
        let resolved = try template("${A}").resolved(environment: ["A": "${B}", "B": "x"], relativeTo: "")
        #expect(resolved.text == "${B}")
    }

    @Test(
        "An unset or empty variable is a configuration error at its place",
        arguments: [([:], "not set"), (["T": ""], "empty")] as [([String: String], String)])
    func unset(environment: [String: String], problem: String) throws {
        let template = try template("a${T}")
        let error = #expect(throws: ConfigurationError.self) {
            try template.resolved(environment: environment, relativeTo: "")
        }
        #expect(error?.description == "f.yaml:5:6: the environment variable `T` is \(problem)")
    }

    @Test("All references without a value are reported")
    func severalUnset() throws {
        let template = try template("a${T}${U}${V}")
        let error = #expect(throws: ConfigurationError.self) {
            try template.resolved(environment: ["U": "u"], relativeTo: "")
        }
        #expect(
            error?.diagnostics.map(\.problem) == [
                "the environment variable `T` is not set", "the environment variable `V` is not set",
            ])
    }

    @Test("A file is read relative to the configuration's folder, or to the home, without the last line break")
    func files() throws {
        let folder = try TemporaryFolder()
        try Data("päss\r\n".utf8).write(to: URL(filePath: folder.file("token")))
        try Data("\n".utf8).write(to: URL(filePath: folder.file("empty")))
        try Data([0x66, 0xFF]).write(to: URL(filePath: folder.file("binary")))
        try Data(count: 70_000).write(to: URL(filePath: folder.file("large")))

        let relative = try template("${file:token}").resolved(environment: [:], relativeTo: folder.path)
        let home = ["HOME": folder.path]
        #expect(relative == (try template("${file:~/token}").resolved(environment: home, relativeTo: "/")))
        #expect(relative.text == "päss")
        #expect(relative.secrets == ["päss"])

        for (name, problem) in [
            ("none", "cannot be read: No such file or directory"), ("empty", "is empty"),
            ("binary", "is not valid UTF-8"),
            ("large", "is larger than 64 KiB"), (".", "cannot be read: Is a directory"),
        ] {
            let template = try template("${file:\(name)}")
            let error = #expect(throws: ConfigurationError.self) {
                try template.resolved(environment: [:], relativeTo: folder.path)
            }
            #expect(error?.diagnostics.first?.problem == "`\(folder.file(name))` \(problem)")
        }
    }
}
