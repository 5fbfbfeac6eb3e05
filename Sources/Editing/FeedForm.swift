package import FeedSync
internal import Reports

/// The fields of the form that adds a feed.
package struct FeedForm: Sendable, Hashable {
    /// A step of the form, in their order.
    package enum Step: String, Sendable, CaseIterable {
        case name, source, request, look
    }

    /// The state of a step.
    package struct State: Sendable, Hashable {
        package let step: Step
        /// True if the previous steps are valid.
        package var isOpen = false
        /// True if this step is valid.
        package var isRight = false
        /// The fault of the step; nil if there is none, also while a field is empty.
        package var problem: String?
        /// The next thing to try.
        package var advice: String?
        /// A remark.
        package var note: String?
    }

    /// The name of the feed.
    package var name = ""
    /// A URL, or a preset's name.
    package var source = ""
    /// `name=value`, one a line.
    package var parameters = ""
    /// `Name: value`, one a line.
    package var headers = ""
    /// True if the feed keeps the stored items of a removed one of its name.
    package var goesOn = false

    package init() {}

    /// The most bytes of all fields together.
    package static let mostBytes = 64 << 10

    /// The reason for refusing secrets.
    package static let whyNoSecrets =
        "do not type a secret here: it would be written into the configuration file, where others may read it. "
        + "${NAME} is taken for a variable that a configured feed of the same server uses already"
}

extension FeedForm {
    /// The form to be shown again, without fields that have a secret written out in them.
    package var withoutSecrets: FeedForm {
        var form = self
        if FeedSource.holdsSecret(source) { form.source = "" }
        let parameters = try? FeedWords.parameters(Self.lines(parameters))
        if Self.holdsSecret("query", parameters ?? []) { form.parameters = "" }
        // A header that cannot be read may be a credential.
        let headers = Self.lines(headers).map(FeedWords.header)
        if headers.contains(nil) || Self.holdsSecret("headers", headers.compactMap(\.self)) { form.headers = "" }
        return form
    }

    private static func holdsSecret(_ name: String, _ members: [FeedEntry.Member]) -> Bool {
        FeedEntry(name: "", members: [.init(name, .mapping(members))]).holdsCredential
    }

    /// The lines of a field that has one thing a line.
    static func lines(_ text: String) -> [String] {
        text.split(whereSeparator: \.isNewline).map(\.trimmed).filter { !$0.isEmpty }
    }
}

/// The checks of the form that need no request: the rules of `feedsync add`, step by step.
///
/// A step that does not apply yet is valid.
package struct FeedFormRules: Sendable {
    private let file: ConfigurationFile
    private let text: [UInt8]
    private let options: EngineOptions
    private let removed: [String: Int]
    private let presets: UserPresets
    private let variables: KnownVariables

    /// The rules for a feed that is to be in a file.
    ///
    /// - Parameters:
    ///   - text: The text of the file.
    ///   - feeds: The configured feeds.
    ///   - removed: The number of stored items of each feed that is not in the configuration.
    package init(
        file: ConfigurationFile, text: [UInt8], options: EngineOptions, feeds: [FeedDefinition], removed: [String: Int]
    ) {
        (self.file, self.text, self.options, self.removed) = (file, text, options, removed)
        variables = KnownVariables(of: feeds)
        presets = UserPresets(beside: file.path)
    }

    /// The states of the steps, and the feed that they describe; nil while one is invalid.
    ///
    /// The last step, a look at the upstream, is valid only after the look.
    package func check(_ form: FeedForm) -> (states: [FeedForm.State], draft: FeedDraft?) {
        var states = FeedForm.Step.allCases.map { FeedForm.State(step: $0) }
        var draft: FeedDraft?
        for (place, step) in FeedForm.Step.allCases.enumerated() {
            states[place].isOpen = true
            guard step != .look else { break }
            do throws(EditingError) {
                switch step {
                case .name:
                    guard !form.name.isEmpty else { break }
                    try check(name: form.name, goesOn: form.goesOn)
                    states[place].isRight = true
                case .source:
                    let note = try note(of: form)
                    (states[place].isRight, states[place].note) = (note.isRight, note.text)
                case .request, .look:
                    draft = try self.draft(form)
                    states[place].isRight = true
                }
            } catch {
                states[place].problem = error.messages.first
                states[place].advice = error.advice
            }
            guard states[place].isRight else { break }
        }
        return (states, draft)
    }

    /// Checks the name of a feed.
    ///
    /// - Parameter goesOn: True if the feed keeps the stored items of a removed one of that name.
    /// - Throws: `EditingError` of `words` for a name that is invalid or taken.
    package func check(name: String, goesOn: Bool = false) throws(EditingError) {
        _ = try draft(name, [.init("url", .text("https://example.org"))]).definition(in: text)
        guard let count = removed[name], !goesOn else { return }
        throw .words(
            "\(name) was removed before, and the store has \(NumberFormat.count(count, "item")) of it",
            advice: "go on with them, or choose another name")
    }

    private func note(of form: FeedForm) throws(EditingError) -> (isRight: Bool, text: String?) {
        guard !form.source.isEmpty else { return (false, nil) }
        let source = try FeedSource(form.source, presets: presets)
        switch source {
        case .preset(let preset):
            let needs = preset.parameters.map { "\($0)=…" }.joined(separator: ", ")
            return (true, preset.description + (needs.isEmpty ? "" : "; it needs \(needs)"))
        case .url:
            _ = try draft(form.name, [source.member]).withParent(in: text).definition(in: text)
            try checkSecrets(FeedEntry(name: form.name, members: [source.member]))
            return (true, nil)
        }
    }

    private func draft(_ form: FeedForm) throws(EditingError) -> FeedDraft {
        let source = try FeedSource(form.source, presets: presets)
        let parameters = try source.distributed(try FeedWords.parameters(FeedForm.lines(form.parameters)))
        var headers: [FeedEntry.Member] = []
        for line in FeedForm.lines(form.headers) {
            // Not shown: it may be a credential.
            guard let header = FeedWords.header(line) else {
                throw .words(
                    "a header must have the form `Name: value`", advice: "for example Accept: application/json")
            }
            headers.append(header)
        }
        try FeedWords.checkNames(of: headers)
        var members = [source.member]
        members.add("with", parameters.values)
        members.add("query", parameters.query)
        members.add("headers", headers)
        try checkSecrets(FeedEntry(name: form.name, members: members))
        var draft = try draft(form.name, members).withParent(in: text)
        if case .url = source { draft.isOpen = true }
        let definition = try draft.definition(in: text)
        if let problem = variables.problem(of: definition) {
            throw .words(problem, advice: "write the feed into \(file.path)")
        }
        // The requests of a feed with `for_each` depend on the parent's rows.
        guard definition.forEach == nil else { return draft }
        do throws(FeedSyncError) {
            _ = try RequestPlan(
                definition, environment: options.environment, folder: file.folder, salt: "", commands: options.commands,
                tokens: options.tokens
            ).page(for: nil)
        } catch {
            throw EditingError(error)
        }
        return draft
    }

    private func draft(_ name: String, _ members: [FeedEntry.Member]) -> FeedDraft {
        FeedDraft(
            file: file, environment: options.environment, entry: FeedEntry(name: name, members: members))
    }

    private func checkSecrets(_ entry: FeedEntry) throws(EditingError) {
        guard !entry.holdsCredential else { throw .words(FeedForm.whyNoSecrets) }
    }
}
