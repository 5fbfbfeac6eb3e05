internal import Editing
internal import FeedSync
internal import Reports

extension Inspection {
    /// The findings, with their certainty and evidence.
    func lines(_ palette: Palette, width: Int?) -> [String] {
        let indentation = String(repeating: " ", count: 12)
        let room = (width ?? 100) - indentation.count
        let findings = evidence.flatMap { finding in
            let subject = finding.subject.rawValue
            let gap = String(repeating: " ", count: max(1, indentation.count - subject.count))
            let certainty = finding.certainty == .nothing ? "" : "\(finding.certainty.rawValue): "
            let lines = TextLayout.wrapped(certainty + finding.text, to: room)
            let found = TextLayout.wrapped(found(finding, most: 12) ?? "not found", to: room)
            let shown = found.map { finding.found == nil ? palette.failure($0) : palette.name($0) }
            return zip([palette.faint(subject) + gap] + found.dropFirst().map { _ in indentation }, shown).map(+)
                + lines.map { indentation + Self.paint(palette, finding.certainty, $0) }
        }
        let hints = hints.flatMap { TextLayout.wrapped($0, to: room) }.map { indentation + palette.attention($0) }
        return findings + hints + [palette.faint("(\(summary))"), ""]
    }

    /// Each finding as a JSON object.
    var json: [String] {
        evidence.map { finding in
            let fields: JSONFields = [
                "subject": finding.subject.rawValue,
                "found": found(finding),
                "certainty": finding.certainty.rawValue,
                "evidence": finding.text,
            ]
            return fields.json
        }
    }

    private static func paint(_ palette: Palette, _ certainty: Evidence.Certainty, _ text: String) -> String {
        switch certainty {
        case .certain, .likely: palette.faint(text)
        case .guess, .nothing: palette.attention(text)
        }
    }
}
