internal import Concurrency
package import HTTPServer

/// An upstream that says what changed since a token: a place in its log of changes.
package final class ChangeLogList: Sendable {
    /// The way a token comes and goes out.
    package enum Form: String, Sendable, CaseIterable {
        /// A URL on the last page, as Microsoft Graph has it.
        case url
        /// A parameter, as Google Calendar has it.
        case parameter
        /// A member of the body that comes on each page, as Todoist and CouchDB have it.
        case body
        /// A header, both ways.
        case header
    }

    /// The items, and what happened to them.
    package struct State: Sendable {
        /// Changes by their number; nil for an item that was removed.
        fileprivate var log: [(id: Int, name: String?)] = []
        /// The first change that is still known.
        fileprivate var oldest = 0
        /// The status for a token that is too old.
        package var goneStatus = 410
        /// The origin of URLs; nil for the server's own.
        package var origin: String?
        /// The end of URLs.
        package var suffix = ""
        /// Called before each answer.
        package var beforeAnswer: (@Sendable (inout State) -> Void)?
        /// The answers before one that fails; nil for none.
        package var answersBeforeFailure: Int?

        /// Adds or changes an item.
        package mutating func set(_ id: Int, _ name: String) { log.append((id, name)) }

        /// Removes an item.
        package mutating func remove(_ id: Int) { log.append((id, nil)) }

        /// Makes every token so far too old.
        package mutating func forgetChanges() {
            log.append((0, nil))
            oldest = log.count
        }

        /// The last change of each item since a place in the log, in the order of ids.
        fileprivate func changes(from place: Int, to end: Int) -> [(id: Int, name: String?)] {
            var last: [Int: String?] = [:]
            for change in log[place..<end] where change.id > 0 { last[change.id] = .some(change.name) }
            return last.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        }
    }

    private let form: Form
    private let state = Lock(State())

    /// A list with items from 1 on.
    package init(_ form: Form, items: Int) {
        self.form = form
        edit { state in for id in 1...items { state.set(id, "name \(id)") } }
    }

    /// Changes the items, or what happens.
    package func edit(_ change: (inout State) -> Void) { state.withLock { change(&$0) } }

    /// The items as rows, by id.
    package var rows: [String] {
        state.withLock { state in
            state.changes(from: 0, to: state.log.count).compactMap { item in item.name.map { "\(item.id)|\($0)" } }
        }
    }

    /// The members of `sync` besides the mode.
    package var rule: String {
        switch form {
        case .url: "token: \"@odata.deltaLink\""
        case .parameter: "token: nextSyncToken, param: syncToken"
        case .body: "token: sync_token, param: sync.token"
        case .header: "token: {header: X-Token}, header: X-Since"
        }
    }

    /// Further members of the feed.
    package var members: String { form == .body ? "method: POST\nbody: {sync: {token: \"*\"}}" : "" }

    /// The feed's pagination.
    package var paging: String {
        switch form {
        case .url: "pagination: {style: next_url, next: '\"@odata.nextLink\"'}"
        case .parameter, .header: "pagination: {style: cursor, param: page, next: next}"
        case .body: "pagination: {style: cursor, param: sync.page, next: next}"
        }
    }

    /// Answers a request: the list, or the changes since its token, ten a page. A page token holds the way from place to
    /// place.
    package func answer(_ request: ServerRequest, at url: String) -> ServerResponse {
        state.withLock { state in
            state.beforeAnswer?(&state)
            if let left = state.answersBeforeFailure {
                state.answersBeforeFailure = left - 1
                if left <= 0 { return .status(500) }
            }
            let (since, page) = asked(request)
            let place = since.flatMap { Int($0) }
            if since != nil, since != "*", (place ?? -1) < state.oldest {
                return .json(#"{"error":{"code":"stale"}}"#, status: state.goneStatus)
            }
            // `FROM-END-SKIPPED` of the page.
            let parts = page?.split(separator: "-").compactMap { Int($0) } ?? []
            let (from, end) = parts.count == 3 ? (parts[0], parts[1]) : (place ?? 0, state.log.count)
            let skipped = parts.count == 3 ? parts[2] : 0
            let all = state.changes(from: from, to: end).filter { $0.name != nil || from > 0 }
            let items = all.dropFirst(skipped).prefix(10).map { item in
                item.name.map { #"{"id":\#(item.id),"name":"\#($0)"}"# } ?? #"{"id":\#(item.id),"gone":true}"#
            }
            let next = all.count > skipped + 10 ? "\(from)-\(end)-\(skipped + 10)" : nil
            return response(items, next: next, token: "\(end)", state, at: url)
        }
    }

    private func asked(_ request: ServerRequest) -> (since: String?, page: String?) {
        switch form {
        case .url: return (request.parameter("since"), request.parameter("page"))
        case .parameter: return (request.parameter("syncToken"), request.parameter("page"))
        case .header: return (request.header("X-Since"), request.parameter("page"))
        case .body:
            let body = String(decoding: request.body, as: UTF8.self)
            let value = { (name: String) -> String? in
                body.components(behind: "\"\(name)\":\"")
            }
            return (value("token"), value("page"))
        }
    }

    private func response(
        _ items: [String], next: String?, token: String, _ state: State, at url: String
    ) -> ServerResponse {
        let list = "\"items\":[\(items.joined(separator: ","))]"
        let origin = state.origin ?? url
        switch form {
        case .url:
            let link =
                next.map { "\"@odata.nextLink\":\"\(url)/delta?page=\($0)\(state.suffix)\"" }
                ?? "\"@odata.deltaLink\":\"\(origin)/delta?since=\(token)\(state.suffix)\""
            return .json("{\(list),\(link)}")
        case .parameter:
            return .json("{\(list),\(next.map { "\"next\":\"\($0)\"" } ?? "\"nextSyncToken\":\"\(token)\"")}")
        case .body:
            return .json("{\(list),\"sync_token\":\"\(token)\"\(next.map { ",\"next\":\"\($0)\"" } ?? "")}")
        case .header:
            return .json(
                "{\(list)\(next.map { ",\"next\":\"\($0)\"" } ?? "")}",
                headers: next == nil ? [(name: "X-Token", value: token)] : [])
        }
    }
}

extension String {
    /// The text behind a mark, up to the next quotation mark; nil where there is no such mark.
    fileprivate func components(behind mark: String) -> String? {
        firstRange(of: mark).map { String(self[$0.upperBound...].prefix { $0 != "\"" }) }
    }
}
