import Foundation
import SchemaChecker
import Testing

@testable import Feeds

@Suite("The schema of a configuration") struct ConfigurationSchemaTests {
    private static let docs = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Docs")

    @Test("The schema has the members that the reader takes and the documentation lists")
    func members() throws {
        let names = ConfigurationSchema.members.map(\.name)
        #expect(Set(names) == Set(FeedReader.memberNames + ["each"]))
        let page = try String(contentsOf: Self.docs.appending(path: "configuration.md"), encoding: .utf8)
        let table = try #require(
            page.split(separator: "## Members of a feed").last?.split(separator: "\nA feed's own").first)
        for name in names { #expect(table.contains("`\(name)`"), "\(name)") }
    }

    private func problems(_ yaml: String) throws -> [String] {
        try SchemaChecker(ConfigurationSchema.json).problems(with: yaml)
    }

    @Test("The schema accepts every example of the documentation")
    func examples() throws {
        var count = 0
        let files = try FileManager.default.contentsOfDirectory(at: Self.docs, includingPropertiesForKeys: nil)
        for file in files where file.pathExtension == "md" {
            let page = try String(contentsOf: file, encoding: .utf8)
            for block in page.components(separatedBy: "```yaml\n").dropFirst() {
                let yaml = block.components(separatedBy: "```")[0]
                guard yaml.contains("feeds:\n") else { continue }
                #expect(try problems(yaml) == [], "\(file.lastPathComponent): \(yaml)")
                count += 1
            }
        }
        #expect(count > 10)
    }

    @Test(
        "The schema refuses the values that the reader refuses",
        arguments: [
            "feed: {}", "feeds: {a: {ulr: x}}", "feeds: {a: {every: soon}}", "feeds: {a: {format: jsn}}",
            "feeds: {a: {columns: {id: {path: id, type: int}}}}", "feeds: {a: {show: {titel: x}}}",
            "defaults: {preset: x}", "feeds: {a: {on_change: {exe: [x]}}}",
        ])
    func mistakes(yaml: String) throws {
        #expect(try !problems(yaml).isEmpty)
    }
}
