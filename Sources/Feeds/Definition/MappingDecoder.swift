internal import YAML

/// Reads the members of one mapping of a configuration by name and type.
///
/// A getter returns nil for a member that is absent and for one that is wrong. It records a diagnostic and goes on, so
/// that all diagnostics of a file are reported together. The result of a wrong mapping is never used. `finish()`
/// completes a mapping: it reports the members that no getter has read.
///
/// - Isolation: that of the caller; it is not to be shared.
package final class MappingDecoder {
    /// The owner of the mapping, as in "feed `x`"; only faults need its words.
    var subject: String { makeSubject() }
    private let makeSubject: () -> String
    let log: Diagnostics
    private let pairs: [Node.Pair]
    private let position: SourcePosition
    private let isMapping: Bool
    /// For each pair, true if a getter has read it.
    private var isRead: [Bool]
    /// The names that getters asked for, some of them several times.
    private var known: [String] = []

    /// A reader of a node, which is wrong if it is no mapping; missing members are reported at `place`.
    init(
        _ node: Node, of subject: @autoclosure @escaping () -> String, at place: SourcePosition? = nil,
        log: Diagnostics
    ) {
        makeSubject = subject
        self.log = log
        position = place ?? SourcePosition(node.mark)
        pairs = node.pairs ?? []
        isRead = Array(repeating: false, count: pairs.count)
        isMapping = node.pairs != nil
        // As many as most mappings have.
        known.reserveCapacity(8)
        if !isMapping {
            report("\(subject()) must be a mapping, not \(node.kind)", at: SourcePosition(node.mark))
        }
        for pair in pairs where pair.key.text == nil {
            report("the name of a member must be text, not \(pair.key.kind)", at: SourcePosition(pair.key.mark))
        }
    }

    /// The names that getters asked for, each once.
    var names: [String] {
        var seen: Set<String> = []
        return known.filter { seen.insert($0).inserted }
    }

    /// True if the mapping has this member; the name is known from now on.
    package func has(_ name: String) -> Bool { node(name) != nil }

    /// Reports the members that no getter has read, each with the nearest known name.
    package func finish() {
        for (pair, isRead) in zip(pairs, isRead) where !isRead {
            guard let name = pair.key.text else { continue }
            report(
                "unknown member `\(name)` in \(subject)", at: SourcePosition(pair.key.mark), word: name,
                suggestion: NearestWord.suggestion(for: name, among: names))
        }
    }

    /// Reports a fault of a member, or of the mapping if it has no such member.
    package func report(_ problem: String, at name: String? = nil) {
        let place = name.flatMap(index).map { SourcePosition(pairs[$0].value.mark) }
        report(problem, at: place ?? position)
    }

    /// Reports the absence of a member. What is no mapping at all is reported as that alone.
    func require(_ name: String, _ problem: String) {
        if !has(name), isMapping { report("\(subject) has no `\(name)`: \(problem)") }
    }

    /// The node of a member.
    func node(_ name: String) -> Node? {
        known.append(name)
        guard let index = index(of: name) else { return nil }
        isRead[index] = true
        return pairs[index].value
    }

    /// The index of a member's pair; nil if it is absent.
    private func index(of name: String) -> Int? {
        let length = name.utf8.count
        return pairs.firstIndex { pair in
            // A length is compared in less time than a text, and a definition has dozens of possible members.
            guard let text = pair.key.text, text.utf8.count == length else { return false }
            return text == name
        }
    }

    /// All members, each of them known from now on: for mappings whose names the user chooses.
    func entries() -> [(key: Node, name: String, value: Node)] {
        pairs.indices.compactMap { index in
            let pair = pairs[index]
            return pair.key.text.map { name in
                known.append(name)
                isRead[index] = true
                return (pair.key, name, pair.value)
            }
        }
    }

    /// A reader of a member that is a mapping.
    func reader(_ name: String) -> MappingDecoder? { node(name).map { reader(name, $0) } }

    /// A reader of a member's value.
    func reader(_ name: String, _ node: Node) -> MappingDecoder {
        MappingDecoder(node, of: "`\(name)` of \(self.subject)", log: log)
    }

    func report(_ problem: String, at position: SourcePosition, word: String? = nil, suggestion: String? = nil) {
        log.report(problem, at: position, word: word, suggestion: suggestion)
    }

    /// Reports that a member is not of the kind it should be.
    func mismatch(_ name: String, _ node: Node, expected: String) {
        report("`\(name)` of \(subject) must be \(expected), not \(node.kind)", at: SourcePosition(node.mark))
    }

    /// Reports that a member's value is not as it should be, and quotes it: for members that hold no credential.
    private func unfit(_ name: String, _ node: Node, expected: String) {
        guard let text = node.text, !node.isNull else { return mismatch(name, node, expected: expected) }
        report(
            "`\(name)` of \(subject) must be \(expected), not `\(text)`", at: SourcePosition(node.mark), word: text)
    }

    /// A scalar's text as written: `1.10` stays `1.10`.
    package func string(_ name: String) -> String? {
        node(name).flatMap { string(name, $0) }
    }

    /// A whole number within a range.
    package func integer(_ name: String, in range: ClosedRange<Int>) -> Int? {
        guard let node = node(name) else { return nil }
        guard case .integer(let value)? = node.scalar?.resolution, let integer = Int(exactly: value),
            range.contains(integer)
        else {
            let bounds =
                range.upperBound == .max
                ? ", \(range.lowerBound) or more" : " from \(range.lowerBound) to \(range.upperBound)"
            unfit(name, node, expected: "a whole number\(bounds)")
            return nil
        }
        return integer
    }

    /// `true` or `false`.
    package func boolean(_ name: String) -> Bool? {
        guard let node = node(name) else { return nil }
        guard case .boolean(let value)? = node.scalar?.resolution else {
            unfit(name, node, expected: "true or false")
            return nil
        }
        return value
    }

    /// A time such as `30s`, within a range.
    package func duration(_ name: String, in range: ClosedRange<Duration>) -> Duration? {
        let kind = "a time such as `500ms`, `30s`, `15m`, `2h` or `1d`"
        return measure(name, in: range, kind, DurationText.parse, DurationText.text)
    }

    /// A size in bytes, such as `256MB`, within a range.
    package func size(_ name: String, in range: ClosedRange<Int>) -> Int? {
        measure(name, in: range, "a size such as `64MB`, `256MiB` or `1GB`", SizeText.parse, SizeText.text)
    }

    /// A member's value as `read` takes its text.
    ///
    /// - Parameters:
    ///   - expected: The words for a text that is right.
    ///   - isQuoted: True if a fault quotes the text.
    func value<Value>(
        _ name: String, expected: @autoclosure () -> String, isQuoted: Bool = true, _ read: (String) -> Value?
    ) -> Value? {
        guard let node = node(name), let text = string(name, node) else { return nil }
        if let value = read(text) { return value }
        if isQuoted {
            unfit(name, node, expected: expected())
        } else {
            report("`\(name)` of \(subject) must be \(expected())", at: SourcePosition(node.mark))
        }
        return nil
    }

    private func measure<Value>(
        _ name: String, in range: ClosedRange<Value>, _ kind: String, _ parse: (String) -> Value?,
        _ shown: (Value) -> String
    ) -> Value? {
        guard let node = node(name), let value = value(name, expected: kind, parse) else { return nil }
        guard range.contains(value) else {
            unfit(name, node, expected: "from \(shown(range.lowerBound)) to \(shown(range.upperBound))")
            return nil
        }
        return value
    }

    /// A path into a JSON value.
    package func path(_ name: String) -> Path? {
        node(name).flatMap { path(name, $0) }
    }

    /// A text with references such as `${NAME}`.
    package func template(_ name: String) -> Template? {
        node(name).flatMap { template(name, $0) }
    }

    /// Reads one of several words.
    package func choice<Value>(
        _ name: String, _ choices: some Collection<(word: String, value: Value)>
    ) -> Value? {
        guard let node = node(name), let word = string(name, node) else { return nil }
        if let choice = choices.first(where: { $0.word == word }) { return choice.value }
        let words = choices.map { $0.word }
        report(
            "unknown value `\(word)` of `\(name)` in \(subject), which can be \(Self.list(words))",
            at: SourcePosition(node.mark),
            word: word, suggestion: NearestWord.suggestion(for: word, among: words))
        return nil
    }

    /// Reads one of the words of an enumeration.
    func choice<Choice: RawRepresentable<String> & CaseIterable>(_ name: String, _: Choice.Type) -> Choice? {
        choice(name, Choice.allCases.lazy.map { (word: $0.rawValue, value: $0) })
    }

    /// The texts of a list, or of a scalar in place of a list of one, with their positions.
    func strings(_ name: String) -> [(text: String, node: Node)] {
        guard let node = node(name) else { return [] }
        return (node.elements ?? [node]).compactMap { element in string(name, element).map { ($0, element) } }
    }

    func string(_ name: String, _ node: Node) -> String? {
        guard let text = node.text, !node.isNull else {
            mismatch(name, node, expected: "text")
            return nil
        }
        return text
    }

    func path(_ name: String, _ node: Node) -> Path? {
        parsedPath(name, node) { text throws(PathError) in try Path(text) }
    }

    /// The steps of a path between its `*`.
    func pathGroups(_ name: String, _ node: Node) -> [[Path.Segment]]? {
        parsedPath(name, node) { text throws(PathError) in try Path.groups(text) }
    }

    private func parsedPath<Result>(
        _ name: String, _ node: Node, _ parse: (String) throws(PathError) -> Result
    ) -> Result? {
        guard let text = string(name, node) else { return nil }
        do throws(PathError) {
            return try parse(text)
        } catch {
            report(
                "in the path `\(text)`: \(error.problem)", at: SourcePosition(node, offset: error.offset), word: text)
            return nil
        }
    }

    func template(_ name: String, _ node: Node) -> Template? {
        guard let text = string(name, node) else { return nil }
        if let mistake = RelativeMoment.mistake(in: text) {
            report(
                "in `\(name)` of \(subject): `\(mistake.words)` is no moment; write it as in \(RelativeMoment.forms)",
                at: SourcePosition(node, offset: mistake.offset))
            return nil
        }
        do throws(TemplateError) {
            return try Template(text, position: SourcePosition(node.mark))
        } catch {
            report("in `\(name)` of \(subject): \(error.problem)", at: SourcePosition(node, offset: error.offset))
            return nil
        }
    }

    /// Words as a sentence lists them.
    static func list(_ words: [String]) -> String {
        let quoted = words.map { "`\($0)`" }
        guard let last = quoted.last, quoted.count > 1 else { return quoted.first ?? "" }
        return quoted.dropLast().joined(separator: ", ") + " or " + last
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
