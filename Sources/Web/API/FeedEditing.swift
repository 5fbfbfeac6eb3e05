internal import Concurrency
internal import Editing
internal import FeedSync
internal import HTTPServer
internal import Reports

/// A change of a feed itself, by the words of the API.
enum FeedAction: String, CaseIterable, Sendable {
    case pause, resume, rename, definition, remove, restore
}

/// The feeds that were removed since the server began, so that a removal can be undone.
final class Removals: Sendable {
    private let undos = Lock<[(feed: String, undo: FeedRemoval.Undo)]>([])
    private static let most = 20

    func keep(_ undo: FeedRemoval.Undo, of feed: String) {
        undos.withLock { undos in
            undos.removeAll { $0.feed == feed }
            undos = undos.suffix(Self.most - 1) + [(feed, undo)]
        }
    }

    func undo(of feed: String) -> FeedRemoval.Undo? { undos.withLock { $0.first { $0.feed == feed }?.undo } }

    func drop(_ feed: String) { undos.withLock { $0.removeAll { $0.feed == feed } } }
}

/// Feeds that are renamed, paused, edited and removed over HTTP, with the rules of the commands.
struct FeedEditing {
    private let name: String
    private let visit: Visit
    private let site: Site

    init(_ name: String, _ visit: Visit) { (self.name, self.visit, site) = (name, visit, visit.site) }

    /// The reason why the visitor may not change a feed; nil if they may.
    func obstacle(to feed: KnownFeed) -> FeedSyncError? {
        if site.settings.isReadOnly {
            return FeedSyncError(.refused, "this server only shows feeds: it was started read-only")
        }
        guard visit.mayChange else { return FeedSyncError(.refused, "sign in to change this feed") }
        guard site.settings.newFeedsFile != nil else {
            return FeedSyncError(.refused, "this server changes no configuration")
        }
        if let owner = FeedPart.feed(ofPart: feed.name) {
            return FeedSyncError(.configuration, "it is a list of \(owner): change that feed")
        }
        guard feed.definition != nil else {
            return FeedSyncError(.configuration, "it is not in the configuration any more")
        }
        return nil
    }

    /// Changes a feed, and answers with the feed; for a form of a page, with the page.
    func perform(_ action: FeedAction) async throws(FeedSyncError) -> SharedAnswer {
        let known = try await visit.served.feed(named: name)
        guard known != nil || site.removals.undo(of: name) != nil else { return visit.unknownFeed(name) }
        let feed = known ?? KnownFeed(definition: nil, record: nil)
        if let obstacle = obstacle(to: feed), action != .restore || !visit.mayAdd {
            return .finished(Responses.problem(obstacle.kind == .refused ? 403 : 409, obstacle))
        }
        do throws(EditingError) {
            switch action {
            case .pause, .resume: try lines().pause(action == .pause)
            case .rename: return try await rename(to: form["name"] ?? "")
            case .definition: return try await edit()
            case .remove:
                let undo = try FeedRemoval(of: try lines()).perform()
                site.removals.keep(undo, of: name)
                await site.shelf.refresh(configuration: true)
                let fields: JSONFields = ["feed": name, "item_count": feed.record?.itemCount ?? 0]
                return answered(.own(query: [("removed", name)])) { Responses.json(fields.json) }
            case .restore:
                guard let undo = site.removals.undo(of: name) else {
                    throw EditingError.words(
                        "nothing to undo: \(name) was not removed since this server began", advice: "add it again")
                }
                try undo.perform()
                site.removals.drop(name)
            }
        } catch {
            return try await refused(error)
        }
        return try await changed(name, action == .restore ? .own("list", name) : .own("settings", name))
    }

    private var form: [String: String] { Doorkeeper.form(visit.request) }

    /// The lines of the feed in the configuration.
    func lines() throws(EditingError) -> FeedLines {
        let file: ConfigurationFile
        do throws(FeedSyncError) { file = try site.settings.readNewFeedsFile() } catch { throw EditingError(error) }
        return try FeedLines(of: name, from: file, environment: site.settings.options.environment)
    }

    private func rename(to new: String) async throws(EditingError) -> SharedAnswer {
        guard !new.isEmpty, new != name else { throw .words("give it another name") }
        let renaming = try FeedRenaming(of: try lines(), to: new)
        do throws(FeedSyncError) {
            switch try await perform(renaming, of: [name, new]) {
            case .success: return try await changed(new, .own("settings", new))
            case .failure(let error): return try await refused(error)
            }
        } catch {
            throw EditingError(error)
        }
    }

    /// Renames a feed in the configuration and in the store.
    ///
    /// - Parameter names: The name and the new one.
    private func perform(
        _ renaming: FeedRenaming, of names: [String]
    ) async throws(FeedSyncError) -> Result<Bool, EditingError> {
        @Sendable func rename(in store: Store?) async -> Result<Bool, EditingError> {
            await Result { () async throws(EditingError) in try await renaming.perform(in: store) }
        }
        guard let runner = site.settings.runner else { return await rename(in: site.shelf.writer) }
        return try await runner.change(names, of: site.shelf.served.configuration) { store in await rename(in: store) }
    }

    /// Checks other lines for the feed, or writes them.
    private func edit() async throws(EditingError) -> SharedAnswer {
        let form = form
        let edit = try FeedEdit(of: try lines())
        let text = form["text"] ?? ""
        if let base = form["base"], base != Self.base(of: edit.source) {
            throw .words("the definition was changed meanwhile", advice: "load the page again")
        }
        let isWrite = form["do"] == "write"
        if isWrite { try edit.write(text) } else { try edit.check(text) }
        let diff = LineDiff(from: edit.source, to: text)
        do throws(FeedSyncError) {
            if isWrite { await site.shelf.refresh(configuration: true) }
            guard !visit.isOfForm else {
                if isWrite { return .finished(Responses.redirect(to: .own("settings", name))) }
                let draft = SettingsDraft(text: text, diff: diff)
                return try await page(draft)
            }
            let fields: JSONFields = ["feed": name, "is_written": isWrite, "diff": diff.text]
            return .finished(Responses.json(fields.json, headers: [("Cache-Control", "no-store")]))
        } catch {
            throw EditingError(error)
        }
    }

    private func page(_ draft: SettingsDraft) async throws(FeedSyncError) -> SharedAnswer {
        let visit = await visit.later
        return visit.answer(try await SettingsPage(name, visit, draft: draft))
    }

    /// The mark of the lines that a page was made with.
    static func base(of source: String) -> String { Responses.tag(of: Array(source.utf8)) }

    private func changed(_ name: String, _ page: Link) async throws(FeedSyncError) -> SharedAnswer {
        await site.shelf.refresh(configuration: true)
        let served = await site.shelf.served
        let known = try await served.feed(named: name)
        let rows = try await StateRow.rows(of: [known].compactMap(\.self), in: served.pages)
        return answered(page) {
            Responses.json(rows.first?.result ?? "null", headers: [("Cache-Control", "no-store")])
        }
    }

    private func answered(_ page: Link, _ document: () -> ServerResponse) -> SharedAnswer {
        .finished(visit.isOfForm ? Responses.redirect(to: page) : document())
    }

    /// The reason why a change is not made: on the page that asked for it, or for a program.
    private func refused(_ error: EditingError) async throws(FeedSyncError) -> SharedAnswer {
        guard !visit.isOfForm else {
            let form = form
            let draft = SettingsDraft(text: form["text"], name: form["name"], error: error)
            return try await page(draft)
        }
        let kind: FeedSyncError.Kind = if case .feed(let kind) = error.place { kind } else { .configuration }
        let problem = FeedSyncError(kind, error.messages.joined(separator: "; "), advice: error.advice)
        return .finished(Responses.problem(Responses.status(of: problem), problem))
    }

    /// The lines of the feed, as YAML.
    func definition() async throws(FeedSyncError) -> SharedAnswer {
        guard let feed = try await visit.served.feed(named: name) else { return visit.unknownFeed(name) }
        if !site.settings.isReadOnly, !visit.visitor.mayChange { return .finished(Responses.tokenNeeded) }
        if let obstacle = obstacle(to: feed) {
            return .finished(Responses.problem(obstacle.kind == .refused ? 403 : 409, obstacle))
        }
        do throws(EditingError) {
            let source = try FeedEdit(of: try lines()).source
            let headers = [(name: "Content-Type", value: "text/yaml; charset=utf-8")]
            return visit.shown(ServerResponse(headers: headers, body: Array((source + "\n").utf8)))
        } catch {
            return .problem(422, .configuration, error.messages.joined(separator: "; "), advice: error.advice)
        }
    }
}
