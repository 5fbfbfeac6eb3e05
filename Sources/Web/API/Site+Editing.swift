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
extension Site {
    /// The reason why whoever asks may not change a feed; nil if they may.
    func obstacle(to feed: KnownFeed) -> FeedSyncError? {
        if settings.isReadOnly {
            return FeedSyncError(.refused, "this server only shows feeds: it was started read-only")
        }
        guard mayChange else { return FeedSyncError(.refused, "sign in to change this feed") }
        guard settings.newFeedsFile != nil else {
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
    func perform(
        _ action: FeedAction, on name: String, _ request: ServerRequest
    ) async throws(FeedSyncError) -> SharedAnswer {
        let form = Doorkeeper.form(request)
        let isForm = request.header("X-FeedSync-Token") == nil && form["token"] != nil
        let served = await shelf.served
        let known = try await feed(name, served)
        guard known != nil || removals.undo(of: name) != nil else { return unknownFeed(name) }
        let feed = known ?? KnownFeed(definition: nil, record: nil)
        if let obstacle = obstacle(to: feed), action != .restore || !mayAdd {
            return finished(Responses.problem(obstacle.kind == .refused ? 403 : 409, obstacle))
        }
        do throws(EditingError) {
            switch action {
            case .pause, .resume: try await lines(of: name).pause(action == .pause)
            case .rename: return try await rename(name, to: form["name"] ?? "", isForm, request)
            case .definition: return try await edit(name, form, isForm, request)
            case .remove:
                let undo = try FeedRemoval(of: try await lines(of: name)).perform()
                removals.keep(undo, of: name)
                await shelf.refresh(configuration: true)
                let fields: JSONFields = ["feed": name, "item_count": feed.record?.itemCount ?? 0]
                return answered(.own(query: [("removed", name)]), isForm) { Responses.json(fields.json) }
            case .restore:
                guard let undo = removals.undo(of: name) else {
                    throw EditingError.words(
                        "\(name) was not removed since this server began", advice: "add it again")
                }
                try undo.perform()
                removals.drop(name)
            }
        } catch {
            return try await refused(error, on: name, isForm, request)
        }
        return try await changed(name, action == .restore ? .own("list", name) : .own("settings", name), isForm)
    }

    /// The lines of a feed in the configuration.
    func lines(of name: String) async throws(EditingError) -> FeedLines {
        let file: ConfigurationFile
        do throws(FeedSyncError) { file = try newFeedsFile() } catch { throw EditingError(error) }
        return try FeedLines(of: name, from: file, environment: settings.options.environment)
    }

    private func rename(
        _ name: String, to new: String, _ isForm: Bool, _ request: ServerRequest
    ) async throws(EditingError) -> SharedAnswer {
        guard !new.isEmpty, new != name else { throw .words("give it another name") }
        let renaming = try FeedRenaming(of: try await lines(of: name), to: new)
        do throws(FeedSyncError) {
            switch try await perform(renaming, of: [name, new]) {
            case .success: return try await changed(new, .own("settings", new), isForm)
            case .failure(let error): return try await refused(error, on: name, isForm, request)
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
            do throws(EditingError) {
                return .success(try await renaming.perform(in: store))
            } catch {
                return .failure(error)
            }
        }
        guard let runner = settings.runner else { return await rename(in: shelf.writer) }
        let feeds = await shelf.served.configuration?.feeds ?? []
        return try await runner.change(names, of: feeds) { store in await rename(in: store) }
    }

    /// Checks other lines for a feed, or writes them.
    private func edit(
        _ name: String, _ form: [String: String], _ isForm: Bool, _ request: ServerRequest
    ) async throws(EditingError) -> SharedAnswer {
        let edit = try FeedEdit(of: try await lines(of: name))
        let text = form["text"] ?? ""
        if let base = form["base"], base != Self.base(of: edit.source) {
            throw .words("the definition was changed meanwhile", advice: "load the page again")
        }
        let isWrite = form["do"] == "write"
        if isWrite { try edit.write(text) } else { try edit.check(text) }
        let diff = LineDiff(from: edit.source, to: text)
        do throws(FeedSyncError) {
            if isWrite { await shelf.refresh(configuration: true) }
            guard !isForm else {
                if isWrite { return finished(.status(303, headers: [("Location", Link.own("settings", name).text)])) }
                let draft = SettingsDraft(text: text, diff: diff)
                return try await settingsPage(name, await shelf.served, request, draft: draft)
            }
            let fields: JSONFields = ["feed": name, "is_written": isWrite, "diff": diff.text]
            return finished(Responses.json(fields.json, headers: [("Cache-Control", "no-store")]))
        } catch {
            throw EditingError(error)
        }
    }

    /// The mark of the lines that a page was made with.
    static func base(of source: String) -> String { Responses.tag(of: Array(source.utf8)) }

    private func changed(_ name: String, _ page: Link, _ isForm: Bool) async throws(FeedSyncError) -> SharedAnswer {
        await shelf.refresh(configuration: true)
        let served = await shelf.served
        let known = try await feed(name, served)
        let rows = try await StateRow.rows(of: [known].compactMap(\.self), in: served.pages)
        return answered(page, isForm) {
            Responses.json(rows.first?.result ?? "null", headers: [("Cache-Control", "no-store")])
        }
    }

    private func answered(_ page: Link, _ isForm: Bool, _ document: () -> ServerResponse) -> SharedAnswer {
        finished(isForm ? .status(303, headers: [("Location", page.text)]) : document())
    }

    /// The reason why a change is not made: on the page that asked for it, or for a program.
    private func refused(
        _ error: EditingError, on name: String, _ isForm: Bool, _ request: ServerRequest
    ) async throws(FeedSyncError) -> SharedAnswer {
        guard !isForm else {
            let form = Doorkeeper.form(request)
            let draft = SettingsDraft(text: form["text"], name: form["name"], error: error)
            return try await settingsPage(name, await shelf.served, request, draft: draft)
        }
        let kind: FeedSyncError.Kind = if case .feed(let kind) = error.place { kind } else { .configuration }
        let problem = FeedSyncError(kind, error.messages.joined(separator: "; "), advice: error.advice)
        return finished(Responses.problem(Responses.status(of: problem), problem))
    }

    /// The lines of a feed, as YAML.
    func definitionDocument(
        _ name: String, _ served: Served, _ request: ServerRequest
    ) async throws(FeedSyncError) -> SharedAnswer {
        guard let feed = try await feed(name, served) else { return unknownFeed(name) }
        if let obstacle = obstacle(to: feed) {
            return finished(Responses.problem(obstacle.kind == .refused ? 403 : 409, obstacle))
        }
        do throws(EditingError) {
            let source = try FeedEdit(of: try await lines(of: name)).source
            let headers = [(name: "Content-Type", value: "text/yaml; charset=utf-8")]
            return shown(ServerResponse(headers: headers, body: Array((source + "\n").utf8)), request)
        } catch {
            return finished(
                Responses.problem(422, .configuration, error.messages.joined(separator: "; "), advice: error.advice))
        }
    }
}
