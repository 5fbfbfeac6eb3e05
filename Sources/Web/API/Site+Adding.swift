internal import DemoFeed
internal import Editing
internal import FeedSync
internal import HTTPServer

/// Feeds that are added by a page, with the rules of `feedsync add`.
extension Site {
    /// True if a page may add feeds.
    var mayAdd: Bool { mayChange && settings.newFeedsFile != nil }

    /// The states of a form's steps, as far as they need no request to another server.
    func checkForm(_ request: ServerRequest) async throws(FeedSyncError) -> SharedAnswer {
        guard mayAdd else { return notFound(request) }
        let (form, page) = Self.feedForm(request)
        let (states, draft) = try await rules().check(form)
        if draft == nil { await forms.drop(page: page) }
        let fields: JSONFields = [
            "steps": JSONDocument("[\(states.map(\.json).joined(separator: ","))]"),
            "goes_on": form.goesOn,
        ]
        return finished(Responses.json(fields.json, headers: [("Cache-Control", "no-store")]))
    }

    /// The result of a look at a form's feed, if its steps are right.
    func lookForm(_ request: ServerRequest) async throws(FeedSyncError) -> SharedAnswer {
        guard mayAdd else { return notFound(request) }
        let (form, page) = Self.feedForm(request)
        guard let draft = try await rules().check(form).draft,
            let outcome = await forms.outcome(of: draft, page: page)
        else { return finished(.status(204)) }
        var html = HTMLWriter()
        write(outcome, to: &html)
        return finished(
            ServerResponse(
                headers: [("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store")],
                body: html.bytes))
    }

    /// Adds a form's feed and stores its first page. Returns the form again if something is wrong.
    func add(_ request: ServerRequest) async throws(FeedSyncError) -> SharedAnswer {
        guard mayAdd else { return notFound(request) }
        let (form, page) = Self.feedForm(request)
        var (states, draft) = try await rules().check(form)
        let isLook = Doorkeeper.form(request)["do"] == "look"
        guard let draft, let outcome = await forms.outcome(of: draft, page: page) else {
            return finished(addForm(form, states, look: nil, status: 422))
        }
        guard !isLook, case .success(let look) = outcome else {
            return finished(addForm(form, states, look: outcome, status: isLook ? 200 : 422))
        }
        do throws(EditingError) {
            try await write([look.draft.named(form.name)])
        } catch {
            (states[0].problem, states[0].advice) = (error.messages.first, error.advice)
            return finished(addForm(form, states, look: outcome, status: 422))
        }
        return finished(.status(303, headers: [("Location", "/list/\(form.name)")]))
    }

    /// Writes feeds into the configuration, loads them, and stores their first pages.
    ///
    /// If a first page cannot be stored, the feed stays, and its page shows the error.
    ///
    /// - Throws: `EditingError` for a feed that the configuration cannot take. The feeds before it stay.
    func write(_ drafts: [FeedDraft]) async throws(EditingError) {
        for draft in drafts { _ = try draft.write() }
        await shelf.refresh(configuration: true)
        let configuration = await shelf.served.configuration
        await withTaskGroup(of: Void.self) { group in
            for draft in drafts {
                guard let definition = configuration?.feed(named: draft.entry.name) else { continue }
                group.addTask { _ = try? await run(.reload, on: definition) }
            }
        }
    }

    /// The rules for the form, with the present configuration and store.
    ///
    /// - Throws: `FeedSyncError` if the configuration cannot be read.
    func rules() async throws(FeedSyncError) -> FeedFormRules {
        let served = await shelf.served
        let file = try newFeedsFile()
        let known = Set(served.configuration?.feeds.map(\.name) ?? [])
        let stored = try await served.pages?.feeds() ?? []
        let removed = stored.filter { !known.contains($0.name) }.map { ($0.name, $0.itemCount) }
        return FeedFormRules(
            file: file, text: try file.text(), options: settings.options,
            feeds: served.configuration?.feeds ?? [],
            removed: Dictionary(removed) { first, _ in first })
    }

    /// The file for new feeds.
    ///
    /// - Throws: `FeedSyncError` of kind `configuration` for a file that must not be used.
    func newFeedsFile() throws(FeedSyncError) -> ConfigurationFile {
        do throws(ConfigurationProblem) {
            if let file = try settings.newFeedsFile?() { return file }
        } catch {
            throw FeedSyncError(.configuration, error.lines.joined(separator: "; "))
        }
        throw FeedSyncError(.configuration, "this server adds no feeds")
    }

    private static func feedForm(_ request: ServerRequest) -> (form: FeedForm, page: String) {
        guard request.body.count <= FeedForm.mostBytes else { return (FeedForm(), "") }
        let fields = Doorkeeper.form(request)
        func line(_ name: String) -> String {
            (fields[name] ?? "").split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
        var form = FeedForm()
        (form.name, form.source) = (line("name"), line("source"))
        (form.parameters, form.headers) = (fields["parameters"] ?? "", fields["headers"] ?? "")
        form.goesOn = fields["goes_on"] != nil
        return (form, String((fields["as"] ?? "").prefix(40)))
    }
}

/// Searches that become feeds.
extension Site {
    /// Turns a search into a feed that is like the searched feed, except for its text.
    func keep(_ name: String, _ request: ServerRequest) async throws(FeedSyncError) -> SharedAnswer {
        let served = await shelf.served
        guard mayAdd, let definition = served.configuration?.feed(named: name), definition.search?.parameter != nil
        else { return notFound(request) }
        let fields = Doorkeeper.form(request)
        let text = String((fields["q"] ?? "").prefix(200))
        let new = fields["name"] ?? ""
        let (rules, file) = (try await rules(), try newFeedsFile())
        do throws(EditingError) {
            try rules.check(name: new)
            let draft = try FeedDraft(
                keeping: text, of: definition, as: new, in: file, environment: settings.options.environment)
            try await write([draft])
        } catch {
            let problem = error.messages.first ?? ""
            guard request.header("X-FeedSync-Token") == nil else {
                return finished(Responses.problem(422, .configuration, problem, advice: error.advice))
            }
            return searchPage(name, served, request, text: text, keeping: (new, problem))
        }
        return finished(.status(303, headers: [("Location", "/list/\(new)")]))
    }
}

/// The feeds of the demo, which request this server.
extension Site {
    /// The URL of the demo's upstream; nil if a feed of this server could not reach it.
    var demoURL: String? {
        guard settings.newFeedsFile != nil, !settings.isReadOnly, !settings.access.isPrivate, case .tcp = address else {
            return nil
        }
        return "http://\(address)/demo"
    }

    private static let demoFeed = DemoFeed()

    /// Answers a request to the demo's upstream.
    func demo(_ request: ServerRequest) -> SharedAnswer {
        guard let demoURL else { return notFound(request) }
        var inner = request
        inner.path = String(request.path.dropFirst("/demo".count))
        inner.rawPath = String(request.rawPath.dropFirst("/demo".count))
        return finished(Self.demoFeed.answer(inner, at: demoURL))
    }

    func addDemo(_ request: ServerRequest) async throws(FeedSyncError) -> SharedAnswer {
        guard let demoURL else { return notFound(request) }
        let file = try newFeedsFile()
        let drafts = DemoEntries.all(url: demoURL).map {
            FeedDraft(file: file, environment: settings.options.environment, entry: $0)
        }
        do throws(EditingError) {
            try await write(drafts)
        } catch {
            return finished(
                messagePage("The demo's feeds cannot be added", error.messages.joined(separator: "; "), status: 422))
        }
        return finished(.status(303, headers: [("Location", "/")]))
    }
}

extension FeedForm.State {
    /// The state for the script.
    fileprivate var json: String {
        let fields: JSONFields = [
            "step": step.rawValue, "open": isOpen, "right": isRight, "problem": problem,
            "advice": Shown.advice(advice), "note": note,
        ]
        return fields.json
    }
}
