internal import YAML

extension MappingDecoder {
    /// A scalar's text as written: `1.10` stays `1.10`.
    package func string(_ name: String) -> String? {
        node(name).flatMap { string(name, $0) }
    }

    /// A whole number within a range.
    package func integer(_ name: String, in range: ClosedRange<Int>) -> Int? {
        guard let node = node(name) else { return nil }
        guard case .integer(let value)? = node.scalar?.resolution else {
            if node.scalar?.resolution == .oversizedInteger {
                outOfRange(name, node, "\(range.lowerBound)", "\(range.upperBound)")
            } else {
                mismatch(name, node, expected: "a whole number")
            }
            return nil
        }
        guard let integer = Int(exactly: value), range.contains(integer) else {
            outOfRange(name, node, "\(range.lowerBound)", "\(range.upperBound)")
            return nil
        }
        return integer
    }

    /// `true` or `false`.
    package func boolean(_ name: String) -> Bool? {
        guard let node = node(name) else { return nil }
        guard case .boolean(let value)? = node.scalar?.resolution else {
            mismatch(name, node, expected: "true or false")
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

    private func measure<Value>(
        _ name: String, in range: ClosedRange<Value>, _ kind: String, _ parse: (String) -> Value?,
        _ shown: (Value) -> String
    ) -> Value? {
        guard let node = node(name), let text = string(name, node) else { return nil }
        guard let value = parse(text) else {
            report(
                "`\(name)` of \(subject) must be \(kind), not `\(text)`", at: SourcePosition(node.mark), word: text)
            return nil
        }
        guard range.contains(value) else {
            outOfRange(name, node, shown(range.lowerBound), shown(range.upperBound))
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
    package func choice<Value>(_ name: String, _ choices: [(word: String, value: Value)]) -> Value? {
        guard let node = node(name), let word = string(name, node) else { return nil }
        if let choice = choices.first(where: { $0.word == word }) { return choice.value }
        let words = choices.map(\.word)
        report(
            "unknown \(name) `\(word)` in \(subject), which can be \(Self.list(words))", at: SourcePosition(node.mark),
            word: word, suggestion: NearestWord.suggestion(for: word, among: words))
        return nil
    }

    /// Reads one of the words of an enumeration.
    func choice<Choice: RawRepresentable<String> & CaseIterable>(_ name: String, _: Choice.Type) -> Choice? {
        choice(name, Choice.allCases.map { (word: $0.rawValue, value: $0) })
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

    private func outOfRange(_ name: String, _ node: Node, _ lowest: String, _ highest: String) {
        let text = node.text ?? ""
        report(
            "`\(name)` of \(subject) must be from \(lowest) to \(highest), not `\(text)`",
            at: SourcePosition(node.mark),
            word: text)
    }

    /// Words as a sentence lists them.
    static func list(_ words: [String]) -> String {
        let quoted = words.map { "`\($0)`" }
        guard let last = quoted.last, quoted.count > 1 else { return quoted.first ?? "" }
        return quoted.dropLast().joined(separator: ", ") + " or " + last
    }
}
