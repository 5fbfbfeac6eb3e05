internal import YAML

/// Reads the members of one mapping of a configuration by name and type.
///
/// A getter returns nil for a member that is absent and for one that is wrong. It records a diagnostic and goes on, so
/// that all diagnostics of a file are reported together. The result of a wrong mapping is never used. `finish()`
/// completes a mapping: it reports the members that no getter has read.
///
/// - Isolation: that of the caller; it is not to be shared.
package final class MappingDecoder {
    /// The owner of the mapping, as in "feed `x`".
    let subject: String
    let log: Diagnostics
    private let pairs: [Node.Pair]
    private let position: SourcePosition
    private let isMapping: Bool
    private var known: [String] = []

    /// A reader of a node, which is wrong if it is no mapping; missing members are reported at `place`.
    init(_ node: Node, of subject: String, at place: SourcePosition? = nil, log: Diagnostics) {
        self.subject = subject
        self.log = log
        position = place ?? SourcePosition(node.mark)
        pairs = node.pairs ?? []
        isMapping = node.pairs != nil
        if !isMapping {
            report("\(subject) must be a mapping, not \(node.kind)", at: SourcePosition(node.mark))
        }
        for pair in pairs where pair.key.text == nil {
            report("the name of a member must be text, not \(pair.key.kind)", at: SourcePosition(pair.key.mark))
        }
    }

    /// The names that were read.
    var names: [String] { known }

    /// True if the mapping has this member; the name is known from now on.
    package func has(_ name: String) -> Bool { node(name) != nil }

    /// Reports the members that no getter has read, each with the nearest known name.
    package func finish() {
        for pair in pairs {
            guard let name = pair.key.text, !known.contains(name) else { continue }
            report(
                "unknown member `\(name)` in \(subject)", at: SourcePosition(pair.key.mark), word: name,
                suggestion: NearestWord.suggestion(for: name, among: known))
        }
    }

    /// Reports a fault of a member, or of the mapping if it has no such member.
    package func report(_ problem: String, at name: String? = nil) {
        let place = name.flatMap { name in pairs.first { $0.key.text == name }?.value.mark }.map { SourcePosition($0) }
        report(problem, at: place ?? position)
    }

    /// Reports the absence of a member. What is no mapping at all is reported as that alone.
    func require(_ name: String, _ problem: String) {
        if !has(name), isMapping { report("\(subject) has no `\(name)`: \(problem)") }
    }
}

extension MappingDecoder {
    /// The node of a member.
    func node(_ name: String) -> Node? {
        if !known.contains(name) { known.append(name) }
        return pairs.first { $0.key.text == name }?.value
    }

    /// All members, each of them known from now on: for mappings whose names the user chooses.
    func entries() -> [(key: Node, name: String, value: Node)] {
        pairs.compactMap { pair in
            pair.key.text.map { name in
                known.append(name)
                return (pair.key, name, pair.value)
            }
        }
    }

    /// A reader of a member that is a mapping.
    func reader(_ name: String, of subject: String) -> MappingDecoder? {
        node(name).map { MappingDecoder($0, of: subject, log: log) }
    }

    func report(_ problem: String, at position: SourcePosition, word: String? = nil, suggestion: String? = nil) {
        log.add(Diagnostic(position: position, problem: problem, word: word, suggestion: suggestion))
    }

    /// Reports that a member is not of the kind it should be.
    func mismatch(_ name: String, _ node: Node, expected: String) {
        report("`\(name)` of \(subject) must be \(expected), not \(node.kind)", at: SourcePosition(node.mark))
    }
}

extension Node {
    /// The kind of node, for messages; never its text, which may be a credential.
    var kind: String {
        switch content {
        case .sequence: "a list"
        case .mapping: "a mapping"
        case .scalar(let scalar):
            switch scalar.resolution {
            case .null: "nothing"
            case .boolean: "true or false"
            case .integer, .oversizedInteger, .real: "a number"
            case .text: "text"
            }
        }
    }
}
