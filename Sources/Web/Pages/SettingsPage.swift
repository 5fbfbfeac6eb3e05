internal import Editing
internal import FeedSync
internal import HTTPServer
internal import Reports

/// The words of a form of the settings' page that could not be used, or are to be looked at first.
struct SettingsDraft: Sendable {
    /// The typed lines of the definition; nil for those of the file.
    var text: String?
    /// The difference that they make.
    var diff: LineDiff?
    /// The typed name.
    var name: String?
    var error: EditingError?
}

/// The page that syncs, pauses, edits, renames, exports and removes a feed.
struct SettingsPage: Page {
    private let visit: Visit
    private let feed: KnownFeed
    private let state: StateRow
    private let draft: SettingsDraft
    /// The reason why the visitor may not change the feed; nil if they may.
    private let obstacle: FeedSyncError?
    /// The lines of the feed, or the reason why they are not shown; nil where nothing may be changed.
    private let source: Result<String, EditingError>?

    init?(_ name: String, _ visit: Visit, draft: SettingsDraft = SettingsDraft()) async throws(FeedSyncError) {
        guard let feed = try await visit.served.feed(named: name),
            let state = try await StateRow.rows(of: [feed], in: visit.served.pages).first
        else { return nil }
        (self.visit, self.feed, self.state, self.draft) = (visit, feed, state, draft)
        let editing = FeedEditing(name, visit)
        obstacle = editing.obstacle(to: feed)
        let source = { () throws(EditingError) in try FeedEdit(of: try editing.lines()).source }
        self.source = obstacle == nil ? Result(catching: source) : nil
    }

    private var name: String { feed.name }

    var response: ServerResponse {
        visit.frame.page("settings", title: "Settings of \(name)", status: draft.error == nil ? 200 : 422) { html in
            html.element("div", .class("bar")) { html in
                html.element("div", .class("heading")) { html in
                    html.element("h1", text: name)
                    html.element("p", .class("meta")) { html in
                        StateBadge.write(state, to: &html)
                        html.element("span", text: NumberFormat.count(feed.record?.itemCount ?? 0, "item"))
                    }
                }
            }
            FeedTabs.write(feed, here: .settings, to: &html)
            if let error = draft.error { notice(error, to: &html) }
            syncing(to: &html)
            if let source { definition(source, to: &html) }
            exports(to: &html)
            if obstacle == nil { naming(to: &html) }
            if let obstacle {
                // Of a removed feed, its state tells already.
                if !state.isRemoved {
                    html.element("p", .class("hint"), .id("obstacle"), text: Shown.sentence(obstacle.message))
                }
                if visit.site.removals.undo(of: name) != nil, visit.mayAdd { visit.frame.restoring(name, to: &html) }
            }
        }
    }

    private func notice(_ error: EditingError, to html: inout HTMLWriter) {
        html.element("div", .class("notice"), .plain(.role, "alert")) { html in
            for message in error.messages.prefix(5) { html.element("p", text: Shown.sentence(message)) }
            if let advice = error.advice { html.element("p", .class("hint"), text: Shown.sentence(advice)) }
        }
    }

    private func syncing(to html: inout HTMLWriter) {
        html.element("section", .class("part")) { html in
            html.element("h2", text: "Sync")
            html.element("p", .class("why")) { html in
                Shown.why(state, to: &html)
                guard let plan = state.plan else { return }
                html.text(plan.isPaused ? " Paused: nothing syncs it by itself." : " Due \(state.due).")
            }
            guard visit.mayCommand(feed) else { return }
            html.element("div", .class("actions")) { html in
                visit.frame.commandForm("sync", of: name, label: "Sync now", to: &html)
                guard obstacle == nil else { return }
                let isPaused = state.plan?.isPaused == true
                visit.frame.commandForm(
                    isPaused ? "resume" : "pause", of: name, label: isPaused ? "Resume" : "Pause", to: &html)
            }
        }
    }

    private func definition(_ source: Result<String, EditingError>, to html: inout HTMLWriter) {
        html.element("section", .class("part")) { html in
            html.element("h2", text: "Definition")
            switch source {
            case .failure(let error):
                for message in error.messages.prefix(5) {
                    html.element("p", .class("hint"), text: Shown.sentence(message))
                }
                if let advice = error.advice { html.element("p", .class("hint"), text: Shown.sentence(advice)) }
            case .success(let source):
                let text = draft.text ?? source
                html.element(
                    "form", .class("definition"), .plain(.method, "post"), .action(.feed(name, "definition"))
                ) { html in
                    visit.frame.writeToken(to: &html)
                    html.void(
                        "input", .plain(.type, "hidden"), .plain(.name, "base"),
                        .plain(.value, FeedEditing.base(of: source)))
                    html.element("label", .class("hidden-label"), .plain(.for, "text"), text: "Definition of \(name)")
                    html.element(
                        "textarea", .id("text"), .plain(.name, "text"), .class("code"), .plain(.spellcheck, "false"),
                        .plain(.rows, String(min(max(text.count(where: \.isNewline) + 2, 6), 40))),
                        .plain(.ariaDescribedby, "text-hint"), text: "\n" + text)
                    html.element(
                        "p", .id("text-hint"), .class("hint"),
                        text:
                            "The lines of the feed in the configuration. Files, commands and further variables of the "
                            + "environment are named only there.")
                    if let diff = draft.diff { write(diff, to: &html) }
                    html.element("div", .class("actions")) { html in
                        button("check", draft.diff == nil ? "Show what changes" : "Look again", to: &html)
                        if let diff = draft.diff, !diff.isEmpty { button("write", "Write", isPrimary: true, to: &html) }
                    }
                }
            }
        }
    }

    private func button(_ action: String, _ label: String, isPrimary: Bool = false, to html: inout HTMLWriter) {
        html.element(
            "button", .plain(.type, "submit"), .plain(.name, "do"), .plain(.value, action),
            .class(isPrimary ? "primary" : ""), text: label)
    }

    private func write(_ diff: LineDiff, to html: inout HTMLWriter) {
        guard !diff.isEmpty else { return html.element("p", .class("hint"), text: "Nothing changes.") }
        html.element("pre", .class("diff"), .plain(.tabindex, "0"), .plain(.ariaLabel, "Changes")) { html in
            for line in diff.lines {
                let text = "\(line.kind.rawValue) \(line.text)\n"
                switch line.kind {
                case .same: html.text(text)
                case .removed: html.element("del", text: text)
                case .added: html.element("ins", text: text)
                }
            }
        }
    }

    private func exports(to html: inout HTMLWriter) {
        html.element("section", .class("part")) { html in
            html.element("h2", text: "Export")
            html.element("p", .class("exports")) { html in
                for (label, format) in [("CSV", "csv"), ("JSON lines", "ndjson")] {
                    html.element("a", .href(.feed(name, "export", query: [("format", format)])), text: label)
                }
            }
            html.element("p", .class("hint"), text: "All items, in feed order.")
        }
    }

    private func naming(to html: inout HTMLWriter) {
        html.element("section", .class("part")) { html in
            html.element("h2", text: "Name")
            html.element("form", .class("naming"), .plain(.method, "post"), .action(.feed(name, "rename"))) { html in
                visit.frame.writeToken(to: &html)
                html.element("label", .class("hidden-label"), .plain(.for, "name"), text: "New name of \(name)")
                html.void(
                    "input", .id("name"), .plain(.name, "name"), .plain(.value, draft.name ?? name),
                    .plain(.autocomplete, "off"), .plain(.spellcheck, "false"))
                html.element("button", .plain(.type, "submit"), text: "Rename")
            }
            html.element("p", .class("hint"), text: "Its items, its history and its place go with it.")
        }
        html.element("section", .class("part")) { html in
            html.element("h2", text: "Remove")
            html.element("form", .class("command"), .plain(.method, "post"), .action(.feed(name, "remove"))) { html in
                visit.frame.writeToken(to: &html)
                html.element("button", .class("danger"), .plain(.type, "submit"), text: "Remove the feed")
            }
            html.element(
                "p", .class("hint"), text: "From the configuration; its items stay. It can be undone.")
        }
    }
}
