internal import DemoFeed
internal import Editing
internal import FeedSync
internal import HTTPServer

/// Feeds that are added by a page, with the rules of `feedsync add`.
struct FeedAdding {
    private let visit: Visit
    private let site: Site

    init(_ visit: Visit) { (self.visit, site) = (visit, visit.site) }

    /// The states of a form's steps, as far as they need no request to another server.
    func check() async throws(FeedSyncError) -> SharedAnswer {
        guard visit.mayAdd else { return visit.notFound() }
        let (form, page) = typedForm()
        let (states, draft) = try await rules().check(form)
        if draft == nil { await site.forms.drop(page: page) }
        let fields: JSONFields = [
            "steps": JSONDocument("[\(states.map(\.json).joined(separator: ","))]"),
            "goes_on": form.goesOn,
        ]
        return .finished(Responses.json(fields.json, headers: [("Cache-Control", "no-store")]))
    }

    /// The result of a look at a form's feed, if its steps are right.
    func look() async throws(FeedSyncError) -> SharedAnswer {
        guard visit.mayAdd else { return visit.notFound() }
        let (form, page) = typedForm()
        guard let draft = try await rules().check(form).draft,
            let outcome = await site.forms.outcome(of: draft, page: page)
        else { return .finished(.status(204)) }
        var html = HTMLWriter()
        LookResult(outcome: outcome).write(to: &html)
        return .finished(Responses.fragment(html, headers: [("Cache-Control", "no-store")]))
    }

    /// Adds a form's feed and stores its first page. Returns the form again if something is wrong.
    func add() async throws(FeedSyncError) -> SharedAnswer {
        guard visit.mayAdd else { return visit.notFound() }
        let (form, page) = typedForm()
        var (states, draft) = try await rules().check(form)
        let isLook = Doorkeeper.form(visit.request)["do"] == "look"
        guard let draft, let outcome = await site.forms.outcome(of: draft, page: page) else {
            return visit.answer(AddPage(visit, form, states, status: 422))
        }
        guard !isLook, case .success(let look) = outcome else {
            return visit.answer(AddPage(visit, form, states, look: outcome, status: isLook ? 200 : 422))
        }
        do throws(EditingError) {
            try await write([look.draft.named(form.name)])
        } catch {
            (states[0].problem, states[0].advice) = (error.messages.first, error.advice)
            return visit.answer(AddPage(visit, form, states, look: outcome, status: 422))
        }
        return .finished(Responses.redirect(to: .own("list", form.name)))
    }

    /// Writes feeds into the configuration, loads them, and stores their first pages.
    ///
    /// If a first page cannot be stored, the feed stays, and its page shows the error.
    ///
    /// - Throws: `EditingError` for a feed that the configuration cannot take. The feeds before it stay.
    private func write(_ drafts: [FeedDraft]) async throws(EditingError) {
        for draft in drafts { _ = try draft.write() }
        await site.shelf.refresh(configuration: true)
        let configuration = await site.shelf.served.configuration
        await withTaskGroup(of: Void.self) { group in
            for draft in drafts {
                guard let definition = configuration?.feed(named: draft.entry.name) else { continue }
                group.addTask { _ = try? await site.shelf.run(.reload, on: definition) }
            }
        }
    }

    /// The rules for the form, with the present configuration and store.
    ///
    /// - Throws: `FeedSyncError` if the configuration cannot be read.
    func rules() async throws(FeedSyncError) -> FeedFormRules {
        let served = visit.served
        let file = try site.settings.readNewFeedsFile()
        let known = Set(served.configuration?.feeds.map(\.name) ?? [])
        let stored = try await served.pages?.feeds() ?? []
        let removed = stored.filter { !known.contains($0.name) }.map { ($0.name, $0.itemCount) }
        return FeedFormRules(
            file: file, text: try file.text(), options: site.settings.options,
            feeds: served.configuration?.feeds ?? [],
            removed: Dictionary(removed) { first, _ in first })
    }

    private func typedForm() -> (form: FeedForm, page: String) {
        let request = visit.request
        guard request.body.count <= FeedForm.mostBytes else { return (FeedForm(), "") }
        let fields = Doorkeeper.form(request)
        func line(_ name: String) -> String { (fields[name] ?? "").onOneLine }
        var form = FeedForm()
        (form.name, form.source) = (line("name"), line("source"))
        (form.parameters, form.headers) = (fields["parameters"] ?? "", fields["headers"] ?? "")
        form.goesOn = fields["goes_on"] != nil
        return (form, String((fields["as"] ?? "").prefix(40)))
    }

    /// Turns a search into a feed that is like the searched feed, except for its text.
    func keep(searchOf name: String) async throws(FeedSyncError) -> SharedAnswer {
        guard visit.mayAdd, let definition = UpstreamSearch(feed: name, visit: visit).definition else {
            return visit.notFound()
        }
        let fields = Doorkeeper.form(visit.request)
        let text = String((fields["q"] ?? "").prefix(200))
        let new = fields["name"] ?? ""
        let (rules, file) = (try await rules(), try site.settings.readNewFeedsFile())
        do throws(EditingError) {
            try rules.check(name: new)
            let draft = try FeedDraft(
                keeping: text, of: definition, as: new, in: file, environment: site.settings.options.environment)
            try await write([draft])
        } catch {
            let problem = error.messages.first ?? ""
            guard visit.request.header("X-FeedSync-Token") == nil else {
                return .problem(422, .configuration, problem, advice: error.advice)
            }
            return visit.answer(SearchPage(name, visit, text: text, keeping: (new, problem)))
        }
        return .finished(Responses.redirect(to: .own("list", new)))
    }

    /// Adds the feeds of the demo, which request this server.
    func addDemo() async throws(FeedSyncError) -> SharedAnswer {
        guard let url = DemoUpstream(site).url else { return visit.notFound() }
        let file = try site.settings.readNewFeedsFile()
        let drafts = DemoEntries.all(url: url).map {
            FeedDraft(file: file, environment: site.settings.options.environment, entry: $0)
        }
        do throws(EditingError) {
            try await write(drafts)
        } catch {
            return .finished(
                visit.frame.message(
                    "The demo's feeds cannot be added", error.messages.joined(separator: "; "), status: 422))
        }
        return .finished(Responses.redirect(to: .own()))
    }
}

/// The upstream of the demo's feeds, which request this server.
struct DemoUpstream {
    /// The URL; nil if a feed of this server could not reach it.
    let url: String?

    private static let feed = DemoFeed()

    init(_ site: Site) {
        let settings = site.settings
        guard settings.newFeedsFile != nil, !settings.isReadOnly, !settings.access.isPrivate, case .tcp = site.address
        else {
            url = nil
            return
        }
        url = "http://\(site.address)/demo"
    }

    func answer(_ visit: Visit) -> SharedAnswer {
        guard let url else { return visit.notFound() }
        var inner = visit.request
        inner.path = String(inner.path.dropFirst("/demo".count))
        inner.rawPath = String(inner.rawPath.dropFirst("/demo".count))
        return .finished(Self.feed.answer(inner, at: url))
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
