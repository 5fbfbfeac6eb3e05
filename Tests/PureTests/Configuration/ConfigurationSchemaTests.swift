import Foundation
import JSON
import Testing
import YAML

@testable import Feeds

@Suite("The schema of a configuration") struct ConfigurationSchemaTests {
    private static let docs = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Docs")

    @Test("has the members that the reader takes, and that the documentation lists")
    func members() throws {
        let names = ConfigurationSchema.members.map(\.name)
        #expect(Set(names) == Set(FeedReader.memberNames + ["each"]))
        let page = try String(contentsOf: Self.docs.appending(path: "configuration.md"), encoding: .utf8)
        let table = try #require(
            page.split(separator: "## Members of a feed").last?.split(separator: "\nA feed's own").first)
        for name in names { #expect(table.contains("`\(name)`"), "\(name)") }
    }

    /// What is wrong with a value by the schema.
    private func problems(_ node: Node, _ schema: JSONValue, _ root: JSONValue, at path: String) -> [String] {
        guard case .object(let members) = schema else { return [] }
        var found: [String] = []
        if case .string(let reference)? = members["$ref"], case .object(let top) = root,
            case .object(let definitions)? = top["$defs"],
            let other = definitions[reference.replacing("#/$defs/", with: "")]
        {
            found += problems(node, other, root, at: path)
        }
        if case .array(let choices)? = members["anyOf"] {
            let each = choices.map { problems(node, $0, root, at: path) }
            if !each.contains([]) { found += ["\(path): \(each.flatMap(\.self).joined(separator: " | "))"] }
        }
        if let type = members["type"] {
            let types: [String] =
                switch type {
                case .string(let name): [name]
                case .array(let names): names.compactMap { if case .string(let name) = $0 { name } else { nil } }
                default: []
                }
            if types.allSatisfy({ !node.isOf($0) }) { found.append("\(path) is not \(types)") }
        }
        if case .array(let words)? = members["enum"], !words.contains(.string(node.text ?? "")) {
            found.append("\(path) is none of the words")
        }
        if case .string(let pattern)? = members["pattern"], let text = node.text,
            (try? Regex(pattern).firstMatch(in: text)) == nil
        {
            found.append("\(path) does not match")
        }
        if case .string(let word)? = members["const"], node.text != word { found.append("\(path) is not \(word)") }
        for pair in node.pairs ?? [] {
            let name = pair.key.text ?? ""
            if case .object(let properties)? = members["properties"], let own = properties[name] {
                found += problems(pair.value, own, root, at: "\(path).\(name)")
            } else if case .bool(false)? = members["additionalProperties"] {
                found.append("\(path).\(name) is unknown")
            } else if let other = members["additionalProperties"] {
                found += problems(pair.value, other, root, at: "\(path).\(name)")
            }
        }
        if case .array(let required)? = members["required"], node.pairs != nil {
            for case .string(let name) in required where node[name] == nil { found.append("\(path) lacks \(name)") }
        }
        if let items = members["items"] {
            for element in node.elements ?? [] { found += problems(element, items, root, at: "\(path)[]") }
        }
        return found
    }

    private func problems(_ yaml: String) throws -> [String] {
        let schema = try JSONValue(parsing: ConfigurationSchema.json)
        let node = try #require(try Node.parse(yaml, source: "example"))
        return problems(node, schema, schema, at: "")
    }

    @Test("takes every example of the documentation")
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
        "refuses what the reader refuses",
        arguments: [
            "feed: {}", "feeds: {a: {ulr: x}}", "feeds: {a: {every: soon}}", "feeds: {a: {format: jsn}}",
            "feeds: {a: {columns: {id: {path: id, type: int}}}}", "feeds: {a: {show: {titel: x}}}",
            "defaults: {preset: x}", "feeds: {a: {on_change: {exe: [x]}}}",
        ])
    func mistakes(yaml: String) throws {
        #expect(try !problems(yaml).isEmpty)
    }
}

extension Node {
    fileprivate func isOf(_ type: String) -> Bool {
        switch type {
        case "object": pairs != nil
        case "array": elements != nil
        case "null": isNull
        case "boolean": if case .boolean? = scalar?.resolution { true } else { false }
        case "integer": if case .integer? = scalar?.resolution { true } else { false }
        case "number":
            switch scalar?.resolution {
            case .integer, .real, .oversizedInteger: true
            default: false
            }
        case "string": scalar?.resolution == .text
        default: false
        }
    }
}
