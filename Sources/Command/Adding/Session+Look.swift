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

extension Session {
    /// Requests a feed's pages to discover the settings that its draft leaves open.
    ///
    /// - Throws: `Failure`, as for a page that a feed's command requests.
    func look(at draft: FeedDraft, _ store: Store?) async throws(Failure) -> FeedLook {
        let options = try engineOptions(folder: draft.file.folder)
        let name = draft.entry.name
        defer { console.showProgress("") }
        do throws(EditingError) {
            return try await FeedLook(
                at: draft, options: options, store: store, hasColumns: invocation.has(.columns)
            ) { [console] step in
                let progress: String
                switch step {
                case .requesting(let address): progress = "requesting \(address)"
                case .retry(let attempt, let reason):
                    progress = "attempt \(attempt): \(DisplayWidth.printable(reason))"
                case .note(let text):
                    console.showProgress("")
                    return console.note(text)
                }
                guard let width = console.progressWidth else { return }
                console.showProgress(DisplayWidth.cut("\(name)  \(progress)", to: width - 1))
            }
        } catch {
            throw Failure(error)
        }
    }
}

extension Failure {
    /// The failure for a feed that cannot be added or changed.
    init(_ error: EditingError) {
        let code: ExitCode =
            switch error.place {
            case .words: .usage
            case .configuration: .configuration
            case .page: .data
            case .feed(let kind): ExitCode(kind)
            }
        self.init(code, error.messages, explanation: error.explanation, advice: error.advice)
    }
}

/// Runs `body`, and turns why a feed cannot be added or changed into a failure.
func editing<Result>(_ body: () throws(EditingError) -> Result) throws(Failure) -> Result {
    do throws(EditingError) { return try body() } catch { throw Failure(error) }
}
