internal import HTTP

/// The request that a feed's next command makes, safe to show because it contains no secret.
package struct NextRequest: Sendable, Hashable, JSONRecord {
    /// The command that makes the request: `more` if pages are left to read, otherwise `reload`.
    package let command: String
    /// The method.
    package let method: String
    /// The URL with its query; `***` for credentials.
    package let url: String
    /// The header fields other than those that every request has, including the conditions; `***` for credentials.
    package let headers: [NamedValue]
    /// The body, with secrets masked.
    package let body: String?
    /// True if the request asks for the page only if it has changed.
    package let isConditional: Bool

    /// Builds the next request of a feed, without making it.
    ///
    /// - Parameters:
    ///   - definition: The feed, with its discovered settings.
    ///   - store: The store; nil if there is none yet.
    ///   - options: The environment and the folder for references.
    /// - Throws: `FeedSyncError` of kind `configuration` for a reference that cannot be resolved; `unfollowable` for a
    ///   page cursor that may not be requested; `store`.
    package init(of definition: FeedDefinition, store: Store?, options: EngineOptions) async throws(FeedSyncError) {
        let next = try await store?.feed(named: definition.name)?.nextPage
        let plan = RequestPlan(definition, salt: store?.salt ?? "", options: options)
        let first = try await store?.firstPartition(of: definition.name)
        let start = definition.partitioning?.start(at: options.wallClock.seconds, known: first)
        let page = try plan.page(for: next.map(PageCursor.init) ?? start)
        let stored = try await store?.conditions(for: page.key, at: page.cursor, of: definition)
        let conditions = [
            stored?.etag.map { NamedValue(name: "If-None-Match", value: $0) },
            stored?.lastModified.map { NamedValue(name: "If-Modified-Since", value: $0) },
        ].compactMap(\.self)
        let request = page.request
        var headers = request.headers.fields.map {
            NamedValue(name: $0.name, value: page.secrets.mask($0.value))
        }
        var url = page.shown(request.url)
        for credential in request.credentials {
            switch credential {
            case .header(let name, _): headers.append(NamedValue(name: name, value: Secrets.mask))
            case .account, .aws:
                headers.append(NamedValue(name: "Authorization", value: Secrets.mask))
            case .query(let name, _): url += "\(url.contains("?") ? "&" : "?")\(name)=\(Secrets.mask)"
            }
        }
        command = next == nil ? "reload" : "more"
        method = request.method
        self.url = url
        self.headers = headers + conditions
        body = request.body.map { page.secrets.mask(String(decoding: $0, as: UTF8.self)) }
        isConditional = !conditions.isEmpty
    }

    package var fields: JSONFields {
        [
            "command": command,
            "method": method,
            "url": url,
            "headers": JSONFields(headers.map { ($0.name, $0.value) }),
            "body": body,
            "conditional": isConditional,
        ]
    }
}
