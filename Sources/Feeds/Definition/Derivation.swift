internal import Patterns
internal import YAML

/// The making of a column's value where it is not a member of the item as it came.
package enum Derivation: Sendable, Hashable {
    /// The same text for every item: a constant, or values of the parent's row.
    case value(Template)
    /// The member, its text changed.
    case change(TextChange)

    /// The value of every item; nil for a change of a member.
    package var value: Template? { if case .value(let template) = self { template } else { nil } }

    /// The key of the hash; nil without one.
    package var maskKey: Template? { if case .change(let change) = self { change.maskKey } else { nil } }
}

/// A change of a text: matches of a pattern are replaced, then it is hashed.
package struct TextChange: Sendable, Hashable {
    /// The pattern, as the definition has it.
    package let pattern: String?
    /// The text in the place of each match.
    package let replacement: String
    /// The key of the hash that takes the text's place; nil to keep the text.
    package let maskKey: Template?

    /// The shortest key: a shorter one could be found by trying.
    package static let shortestKey = 16
    /// The variable with the key where a definition names none.
    static let keyVariable = "FEEDSYNC_MASK_KEY"
}

extension MappingDecoder {
    /// `value` of a column: the text that every item has.
    func columnValue() -> Template? {
        guard let template = template("value") else { return nil }
        if !template.references.isEmpty {
            report("`value` of \(subject) is stored, and may not refer to anything in `${…}`", at: "value")
        }
        return template
    }

    /// The type of a `value` that is a number, `true` or `false`, as YAML reads it.
    func typeOfValue() -> ColumnType? {
        guard case .scalar(let scalar)? = node("value")?.content else { return nil }
        return switch scalar.resolution {
        case .boolean: .boolean
        case .integer: .integer
        case .real: .real
        case .null, .oversizedInteger, .text: nil
        }
    }

    /// `replace` and `mask` of a column; nil if it has neither.
    func textChange() -> TextChange? {
        let (replace, key) = (replacement("replace"), maskKey("mask"))
        guard replace != nil || key != nil else { return nil }
        return TextChange(pattern: replace?.pattern, replacement: replace?.text ?? "", maskKey: key)
    }

    /// A list of a pattern and the text in the place of its matches.
    private func replacement(_ name: String) -> (pattern: String, text: String)? {
        guard let node = node(name) else { return nil }
        let words = strings(name)
        guard node.elements?.count == 2, words.count == 2 else {
            report(
                "`\(name)` of \(subject) is a pattern and a text, as in [\"^Dr\\\\. \", \"\"]",
                at: SourcePosition(node.mark))
            return nil
        }
        do throws(PatternError) {
            let pattern = try Pattern(words[0].text)
            if let fault = pattern.fault(ofReplacement: words[1].text) {
                report("in `\(name)` of \(subject): \(fault)", at: SourcePosition(words[1].node.mark))
            }
        } catch {
            report(
                "in `\(name)` of \(subject): \(error.problem)",
                at: error.offset.map { SourcePosition(words[0].node, offset: $0) } ?? SourcePosition(words[0].node.mark)
            )
        }
        return (words[0].text, words[1].text)
    }

    /// `hash`, or `{hash: key}`.
    private func maskKey(_ name: String) -> Template? {
        guard let node = node(name) else { return nil }
        guard node.pairs != nil else {
            guard choice(name, [(word: "hash", value: true)]) != nil else { return nil }
            return Template([.environment(TextChange.keyVariable)], position: SourcePosition(node.mark))
        }
        guard let mask = reader(name) else { return nil }
        defer { mask.finish() }
        mask.require("hash", "give the key, as in `{hash: \"${MASK_KEY}\"}`")
        return mask.template("hash")
    }
}
