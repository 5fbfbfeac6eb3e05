internal import Editing
internal import FeedSync
internal import HTTPServer
internal import JSON
internal import Time

/// The form that adds a feed. A step opens when the previous one is right. Without scripts all steps are open, and the
/// server reports problems. It has the typed values, but for secrets, which are never written into a page.
struct AddPage: Page {
    private let visit: Visit
    private let typed: FeedForm
    /// The typed values without secrets.
    private let form: FeedForm
    private let states: [FeedForm.State]
    private let look: TypedFeed.Outcome?
    private let status: Int

    /// The form with the values of a link to it; nil for a visitor who may not add feeds.
    init?(_ visit: Visit) async throws(FeedSyncError) {
        guard visit.mayAdd else { return nil }
        let request = visit.request
        var form = FeedForm()
        form.name = String((request.parameter("name") ?? "").prefix(63))
        form.source = String((request.parameter("source") ?? "").prefix(4_000))
        form.parameters = String((request.parameter("parameters") ?? "").prefix(4_000))
        self.init(visit, form, try await FeedAdding(visit).rules().check(form).states)
    }

    init(
        _ visit: Visit, _ typed: FeedForm, _ states: [FeedForm.State], look: TypedFeed.Outcome? = nil, status: Int = 200
    ) {
        (self.visit, self.typed, form) = (visit, typed, typed.withoutSecrets)
        (self.states, self.look, self.status) = (states, look, status)
    }

    var response: ServerResponse {
        visit.frame.page("add", title: "Add a feed", status: status) { html in
            html.element("h1", text: "Add a feed")
            html.element("form", .id("add-form"), .class("steps"), .plain(.method, "post"), .action(.own("add"))) {
                html in
                visit.frame.writeToken(to: &html)
                html.void("input", .plain(.type, "hidden"), .plain(.name, "as"), .plain(.value, ""))
                for var state in states {
                    let isCleared =
                        switch state.step {
                        case .source: form.source != typed.source
                        case .request: form.parameters != typed.parameters || form.headers != typed.headers
                        case .name, .look: false
                        }
                    // Also if an earlier step is wrong and this one was not checked.
                    if isCleared, state.problem == nil { state.problem = FeedForm.whyNoSecrets }
                    step(state, to: &html)
                }
                html.element("p", .class("hint")) { html in
                    html.text("Adds the feed to the configuration, and stores its first page.")
                }
                html.element("p", .class("actions")) { html in
                    html.element(
                        "button", .id("add"), .class("primary"), .plain(.type, "submit"), text: "Add the feed")
                    html.element("noscript") { html in
                        html.element(
                            "button", .plain(.type, "submit"), .plain(.name, "do"), .plain(.value, "look"),
                            text: "Look first")
                    }
                }
            }
        }
    }

    private func step(_ state: FeedForm.State, to html: inout HTMLWriter) {
        let name = state.step.rawValue
        html.element("fieldset", .id("step-\(name)"), .class(state.isRight ? "step right" : "step")) { html in
            html.element("legend", text: Self.title(of: state.step))
            switch state.step {
            case .name:
                field(
                    "name", "Name", form.name, state.step, hint: "Letters, digits, - and _: it names a table, too.",
                    isFirst: true, to: &html)
            case .source:
                field(
                    "source", "URL or preset", form.source, state.step,
                    hint:
                        "https://… of an API, a web feed or a page that names one; or a preset such as github.search.",
                    list: "presets", to: &html)
                html.element("datalist", .id("presets")) { html in
                    for preset in presetNames { html.void("option", .plain(.value, preset)) }
                }
            case .request:
                area(
                    "parameters", "Parameters", form.parameters, state.step,
                    hint: "One name=value per line: of the preset, or of the URL's query. You may need none.", to: &html
                )
                area(
                    "headers", "Headers and credentials", form.headers, state.step,
                    hint: "One Name: value per line, as in Authorization: Bearer ${TOKEN}. "
                        + FeedForm.whyNoSecrets.prefix(1).uppercased() + FeedForm.whyNoSecrets.dropFirst() + ".",
                    to: &html)
            case .look:
                html.indicator("look-indicator", "Looking…")
                html.element("div", .id("look"), .plain(.ariaLive, "polite")) { html in
                    if let look {
                        LookResult(outcome: look).write(to: &html)
                    } else {
                        html.element(
                            "p", .class("hint"), text: "The server's items are shown here, as soon as it can be asked.")
                    }
                }
            }
            html.element(
                "p", .id("\(name)-note"), .class("note"), .flag(.hidden, state.note == nil), text: state.note ?? "")
            html.element("div", .id("\(name)-problem"), .class("wrong"), .plain(.ariaLive, "polite")) { html in
                if let problem = state.problem { html.element("p", text: Shown.text(problem, most: 400)) }
                if let advice = Shown.advice(state.advice) {
                    html.element("p", .class("hint"), text: "Try: \(Shown.text(advice, most: 400))")
                }
            }
            if state.step == .name {
                html.element("p", .id("goes-on"), .flag(.hidden, state.problem == nil && !form.goesOn)) { html in
                    html.element("label") { html in
                        html.void(
                            "input", .plain(.type, "checkbox"), .plain(.name, "goes_on"), .plain(.value, "1"),
                            .flag(.checked, form.goesOn))
                        html.text(" Go on with what the store has of that name")
                    }
                }
            }
        }
    }

    private static func title(of step: FeedForm.Step) -> String {
        switch step {
        case .name: "1. Name"
        case .source: "2. Source"
        case .request: "3. Parameters and headers"
        case .look: "4. First items"
        }
    }

    private var presetNames: [String] {
        UserPresets(beside: (try? visit.site.settings.readNewFeedsFile())?.path ?? "").names
    }

    private func field(
        _ name: String, _ label: String, _ value: String, _ step: FeedForm.Step, hint: String, list: String? = nil,
        isFirst: Bool = false, to html: inout HTMLWriter
    ) {
        html.element("label", .plain(.for, name), text: label)
        let described = HTMLAttribute.plain(.ariaDescribedby, "\(name)-hint \(step.rawValue)-problem")
        html.void(
            "input", .id(name), .plain(.name, name), .plain(.value, value), .plain(.spellcheck, "false"),
            .plain(.autocomplete, "off"), .plain(.list, list), described, .flag(.autofocus, isFirst))
        html.element("p", .id("\(name)-hint"), .class("hint"), text: hint)
    }

    private func area(
        _ name: String, _ label: String, _ value: String, _ step: FeedForm.Step, hint: String,
        to html: inout HTMLWriter
    ) {
        html.element("label", .plain(.for, name), text: label)
        html.element(
            "textarea", .id(name), .plain(.name, name), .plain(.rows, "2"), .plain(.spellcheck, "false"),
            .plain(.autocomplete, "off"), .plain(.ariaDescribedby, "\(name)-hint \(step.rawValue)-problem"), text: value
        )
        html.element("p", .id("\(name)-hint"), .class("hint"), text: hint)
    }
}

/// The result of a look: each finding with its certainty, or the error.
struct LookResult {
    let outcome: TypedFeed.Outcome

    func write(to html: inout HTMLWriter) {
        let isRight = if case .success = outcome { true } else { false }
        html.element("div", .data(.right, String(isRight))) { html in
            switch outcome {
            case .success(let look):
                preview(look.inspection, to: &html)
                write(look.inspection, to: &html)
            case .failure(let error):
                for message in error.messages.prefix(3) {
                    html.element("p", .class("wrong"), text: Shown.text(message, most: 400))
                }
                if let advice = Shown.advice(error.advice) {
                    html.element("p", .class("hint"), text: "Try: \(Shown.text(advice, most: 400))")
                }
            }
        }
    }

    /// Writes the first items as the list will show them, but for their pictures.
    private func preview(_ inspection: Inspection, to html: inout HTMLWriter) {
        guard !inspection.sample.isEmpty else { return }
        let definition = inspection.definition
        let columns = definition.columns.map { RowColumn(name: $0.name, type: $0.type, path: $0.path.description) }
        let rows = inspection.sample.map { values in
            zip(values, columns).map { StoredValue(shown: $0, as: $1.type) }
        }
        let listing = Listing(columns: columns, unstored: rows)
        html.element("div", .class("preview")) { html in
            ItemRows(
                feed: definition.name, shape: RowShape(definition.show, listing), listing: listing, sections: [],
                isStored: false, hasWebLinks: false
            ).write(to: &html)
        }
    }

    private func write(_ inspection: Inspection, to html: inout HTMLWriter) {
        html.element("dl", .class("findings")) { html in
            for (subject, said) in inspection.given {
                html.element("dt", text: subject.rawValue)
                html.element("dd") { html in
                    html.element("code", text: Shown.text(said, most: 300))
                    html.element("span", .class("certainty"), text: "given")
                }
            }
            for finding in inspection.evidence {
                html.element("dt", text: finding.subject.rawValue)
                html.element("dd") { html in
                    html.element(
                        "code", text: Shown.text(inspection.found(finding, most: 12) ?? "not found", most: 600))
                    html.element(
                        "span", .class("certainty \(finding.certainty.rawValue)"), text: finding.certainty.rawValue)
                    html.element("span", .class("why"), text: Shown.text(finding.text, most: 400))
                }
            }
        }
        for hint in inspection.hints { html.element("p", .class("hint"), text: hint) }
        if let warning = inspection.warning { html.element("p", .class("wrong"), text: warning) }
        html.element("p", .class("hint"), text: "\(inspection.summary).")
    }
}

extension StoredValue {
    /// A value of a page as the store would have it, as far as a list shows that.
    ///
    /// - Parameter json: The value as JSON; nil for none.
    fileprivate init(shown json: String?, as type: ColumnType?) {
        switch json.flatMap({ try? JSONValue(parsing: $0) }) {
        case .string(let text)?: self = .text(type == .timestamp ? Timestamp(text)?.text ?? text : text)
        case .bool(let isTrue)?: self = .integer(isTrue ? 1 : 0)
        case .null?, nil: self = .null
        case .array?, .object?: self = .text(json ?? "")
        case .number(let number)?:
            let moment = type == .timestamp ? Double(number).flatMap { Timestamp(sinceEpoch: $0) } : nil
            self = moment.map { .text($0.text) } ?? Int64(number).map { .integer($0) } ?? .text(number)
        }
    }
}
