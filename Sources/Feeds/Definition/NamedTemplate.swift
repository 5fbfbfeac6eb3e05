internal import YAML

/// A header or query parameter as the definition gives it.
package struct NamedTemplate: Sendable, Hashable {
    /// The name as written.
    package let name: String
    /// The value, references not yet followed.
    package let value: Template

    /// A named value.
    package init(name: String, value: Template) {
        self.name = name
        self.value = value
    }
}

extension MappingDecoder {
    /// A mapping of query parameters; a list gives a parameter several times.
    func parameters(_ name: String) -> [NamedTemplate] {
        guard let members = reader(name) else { return [] }
        return members.entries().flatMap { entry in
            (entry.value.elements ?? [entry.value]).compactMap { value in
                members.template(entry.name, value).map { NamedTemplate(name: entry.name, value: $0) }
            }
        }
    }

    /// A mapping of header fields.
    func headers(_ name: String) -> [NamedTemplate] { headerFields(name) { _, value in [value] }.flatMap(\.self) }

    /// A mapping of header fields, each with the values that `values` finds in what is written.
    func headerFields(_ name: String, values: (_ field: String, Node) -> [Node]) -> [[NamedTemplate]] {
        guard let members = reader(name) else { return [] }
        var seen: Set<String> = []
        return members.entries().compactMap { entry in
            let place = SourcePosition(entry.key.mark)
            guard entry.name.isHTTPToken else {
                report("`\(entry.name)` cannot be the name of a header", at: place, word: entry.name)
                return nil
            }
            guard seen.insert(entry.name.lowercased()).inserted else {
                report("the header `\(entry.name)` is given twice", at: place, word: entry.name)
                return nil
            }
            return values(entry.name, entry.value).compactMap { members.header(entry.name, $0) }
        }
    }

    private func header(_ name: String, _ node: Node) -> NamedTemplate? {
        guard let value = template(name, node) else { return nil }
        guard node.text?.unicodeScalars.allSatisfy({ $0.value >= 32 && $0.value != 127 || $0 == "\t" }) == true
        else {
            report("the header `\(name)` has a control character in its value", at: value.position)
            return nil
        }
        return NamedTemplate(name: name, value: value)
    }
}
