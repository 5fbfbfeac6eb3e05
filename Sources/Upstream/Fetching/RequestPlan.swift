package import BodyFormats
internal import HTTP
internal import Platform

/// The requests for the pages of one feed.
///
/// References such as `${NAME}` are resolved when a page is prepared, not earlier: a definition may be read, checked
/// and shown without its credentials. References to files are resolved for each page, so that a rotated credential is
/// found; environment and command outputs stay the same for the life of the plan.
package final class RequestPlan: Sendable {
    private let definition: FeedDefinition
    /// Converts bodies of other formats to JSON.
    package let bodies: BodyReader
    private let environment: [String: String]
    private let folder: String
    private let salt: String
    private let pagination: any Paginator
    private let commands: CommandSecrets
    private let kept: KeptRequestBase
    private let commandTexts: [String]
    /// The time of all its requests, so that the pages of a crawl are those of one list.
    private let now: Int64
    /// The access tokens of OAuth 2.
    let tokens: AccessTokens
    private let quotas: CredentialQuotas
    /// The part of the list that a sync by watermark asks for; nil for all of it.
    package let span: SyncSpan?
    /// The number of elements of the previous page with which a page should begin, if the paginator can request that: 0
    /// or 1.
    package let overlap: Int

    /// A plan for a feed.
    ///
    /// - Parameters:
    ///   - definition: The feed.
    ///   - environment: The environment variables.
    ///   - folder: The folder of the configuration file, where relative paths of `${file:PATH}` start.
    ///   - pagination: The style that was found, where it is not for the definition to say.
    ///   - commands: The output of each `${command: …}`; shared by the feeds of a process.
    ///   - tokens: The access tokens of OAuth 2; shared likewise.
    ///   - quotas: The quotas of credentials that take turns; shared likewise.
    ///   - now: The time, in seconds since 1970.
    ///   - salt: Goes into the fingerprint of the credentials; the same for as long as fingerprints are compared.
    ///   - overlap: The number of elements of the previous page with which a page should begin.
    package init(
        _ definition: FeedDefinition, pagination: (any Paginator)? = nil, environment: [String: String],
        folder: String, salt: String, commands: CommandSecrets = CommandSecrets(),
        tokens: AccessTokens = AccessTokens(), quotas: CredentialQuotas = CredentialQuotas(),
        now: Int64 = WallClock.system.seconds, overlap: Int = 0
    ) {
        self.now = now
        self.definition = definition
        bodies = BodyReader(
            definition.format, items: definition.items, columns: definition.columns,
            rowNames: definition.rowNames,
            key: definition.key.compactMap { name in definition.columns.first { $0.name == name }?.path },
            memory: definition.memory)
        self.environment = environment
        self.folder = folder
        self.salt = salt
        self.commands = commands
        self.tokens = tokens
        self.quotas = quotas
        self.pagination = pagination ?? definition.pagination
        kept = KeptRequestBase(for: definition)
        commandTexts = definition.templates.flatMap(\.commands)
        span = nil
        self.overlap = overlap
    }

    private init(_ plan: RequestPlan, span: SyncSpan?, overlap: Int) {
        (definition, bodies, pagination, kept) = (plan.definition, plan.bodies, plan.pagination, plan.kept)
        (environment, folder, salt, now) = (plan.environment, plan.folder, plan.salt, plan.now)
        (commands, commandTexts, tokens, quotas) = (plan.commands, plan.commandTexts, plan.tokens, plan.quotas)
        (self.span, self.overlap) = (span, overlap)
    }

    /// The same plan for a part of the list.
    package func asking(for span: SyncSpan?) -> RequestPlan { RequestPlan(self, span: span, overlap: overlap) }

    /// The same plan for pages that begin with this number of elements of the previous page.
    package func overlapping(by overlap: Int) -> RequestPlan { RequestPlan(self, span: span, overlap: overlap) }

    /// Runs the commands that the definition refers to, unless they have run before; call this before the first page.
    ///
    /// `page` reports a failed command.
    ///
    /// - Throws: `FeedSyncError` of kind `cancelled` if the task is.
    package func runCommands() async throws(FeedSyncError) {
        for command in commandTexts {
            try await commands.run(command, folder: folder, environment: environment)
        }
    }

    /// Follows every reference of the definition, and requests nothing.
    ///
    /// A run does this before it changes the store, so that an unset variable changes nothing there.
    ///
    /// - Throws: `FeedSyncError` of kind `configuration` for a reference that cannot be resolved, a URL that is not
    ///   one, or a value that no request can hold; `cancelled` if the task is.
    package func checkReferences() async throws(FeedSyncError) {
        try await runCommands()
        let parts = try resolvedParts()
        let url = try url(of: parts)
        do throws(HTTPError) {
            try request(for: url, body: nil, at: url.origin, parts).check()
        } catch {
            throw FeedSyncError(
                FetchAdvice.kind(of: error.kind), parts.secrets.mask(error.message),
                advice: FetchAdvice.advice(error.kind), url: parts.shown(url))
        }
    }

    /// The request for a page.
    ///
    /// - Parameter cursor: The page's cursor, secrets in it concealed; nil for the first page.
    /// - Throws: `FeedSyncError` of kind `configuration` for a reference that leads nowhere or a URL that is none;
    ///   `unfollowable` for a page cursor that leads to an origin that is not allowed.
    package func page(for cursor: PageCursor?) throws(FeedSyncError) -> PreparedPage {
        let common = try kept.base { () throws(FeedSyncError) in
            let parts = try resolvedParts()
            return RequestBase(parts: parts, url: try url(of: parts), salt: salt)
        }
        let (parts, base) = (common.parts, common.url)
        // The paginator must get the upstream's own value, or a number would not be one.
        let revealed = cursor.map { PageCursor(parts.secrets.reveal($0.text)) }
        var own = PageRequest(url: base.text, query: parts.query, body: parts.body)
        var tokenHeader: (name: String, value: String)?
        switch (span, definition.sync) {
        case (let span?, .since(let rule)):
            for parameter in span.parameters(rule) { own.set(parameter.name, to: parameter.value) }
        case (.delta(let token)?, .delta(let rule)):
            let token = parts.secrets.reveal(token)
            switch rule.target {
            case .url: own = PageRequest(url: token, body: parts.body)
            case .parameter(let name):
                if let address = rule.address { own = own.moved(to: address) }
                own.set(name, toToken: token)
            case .header(let name): tokenHeader = (name, token)
            }
        default: break
        }
        own.overlap = definition.partitioning == nil ? overlap : 0
        let wanted: PageRequest
        var page = revealed
        do throws(PagingError) {
            if let scheme = definition.partitioning, let revealed {
                let place = try scheme.place(of: revealed)
                own = scheme.request(for: place.partition, base: own, at: now)
                page = place.page
            }
            wanted = try pagination.request(for: page, base: own)
        } catch {
            throw FeedSyncError(.unfollowable, parts.secrets.mask(error.problem), url: parts.shown(base))
        }
        // A style that follows a URL says nothing of the body: it stays.
        let body = (wanted.body ?? parts.body).map { parts.written($0, places: wanted.places) }
        let target = try followed(wanted, body: body, from: base, parts)
        var request = request(for: target, body: body, at: base.origin, parts)
        if let tokenHeader { request.headers[tokenHeader.name] = tokenHeader.value }
        let identity =
            [request.method, parts.secrets.key(for: target.text)] + (body.map { [parts.secrets.key(for: $0)] } ?? [])
            + (tokenHeader.map { [parts.secrets.key(for: $0.value)] } ?? [])
        return PreparedPage(
            request: request, identity: identity.joined(separator: " "),
            credentialFingerprint: common.fingerprint, cursor: cursor,
            mayBeBeyondEnd: page != nil && pagination.mayAskBeyondEnd, secrets: parts.secrets,
            tokenRequest: parts.tokenRequest, accessToken: parts.accessToken,
            credentialChoices: common.choices.isEmpty
                ? nil
                : CredentialChoices(
                    common.choices, of: FeedPart.feed(ofPart: definition.name) ?? definition.name, quotas: quotas),
            maskKeys: parts.maskKeys, interval: definition.connection.rate?.interval,
            overlap: page == nil ? 0 : wanted.overlap)
    }

    private func request(for target: WebURL, body: String?, at origin: Origin, _ parts: ResolvedParts) -> Request {
        var request = Request(
            target, headers: parts.headers,
            credentials: parts.credentials + (parts.alternatives.first?.credentials ?? []), credentialOrigin: origin,
            timeouts: timeouts, limits: ResponseLimits(body: definition.memory.body),
            maximumPerHost: pagination.prefetch > 1 ? pagination.prefetch : nil)
        request.connection = parts.connection
        if definition.format == nil || definition.format == .events {
            request.stream = StreamEnd(count: definition.stream.count, time: definition.stream.time)
        }
        request.method = definition.method.rawValue
        guard let body, !body.isEmpty else { return request }
        request.body = Array(body.utf8)
        if request.headers["Content-Type"] == nil {
            let isText = definition.body?.plainText != nil
            request.headers["Content-Type"] = isText ? TextBody.mediaType(of: body) : "application/json"
        }
        let holdsSecret = parts.bodyHoldsSecret || parts.secrets.occur(in: body)
        request.redirects = holdsSecret ? .sameRequestAtOrigin : .sameRequest
        return request
    }

    private var timeouts: Timeouts {
        let usual = Timeouts()
        // The time-outs end a stream that is silent.
        guard definition.format != .events else {
            let time = definition.stream.time
            return Timeouts(connect: usual.connect, total: usual.connect + time, stall: time)
        }
        let total = definition.timeout
        // A longer timeout allows longer silence, too.
        return Timeouts(
            connect: min(usual.connect, total), total: total, stall: min(total, max(usual.stall, total / 2)))
    }

    private func resolvedParts() throws(FeedSyncError) -> ResolvedParts {
        do throws(HTTPError) {
            // Here, or each URL below would be taken for a bad one.
            try CurlLibrary.load()
        } catch {
            throw FeedSyncError(FetchAdvice.kind(of: error.kind), error.message, advice: FetchAdvice.advice(error.kind))
        }
        do throws(ConfigurationError) {
            let resolve = { [self] (template: Template, isURL: Bool) throws(ConfigurationError) in
                try template.resolved(
                    environment: environment, relativeTo: folder, isURL: isURL, commands: commands, now: now)
            }
            return try ResolvedParts(
                definition, address: try resolve(definition.url, true), token: { tokens.current($0) },
                file: { file throws(ConfigurationError) in try readable(file) },
                place: { FilePath.resolve($0, in: folder, home: environment["HOME"]) }, resolve: resolve)
        } catch {
            throw FeedSyncError(.configuration, error.description, advice: adviceOnReferences)
        }
    }

    /// The request for the feed's tokens, with the secrets of all its requests; nil if it needs none.
    ///
    /// - Throws: `FeedSyncError` of kind `configuration` for a reference that leads nowhere.
    func tokenRequest() throws(FeedSyncError) -> (
        request: TokenRequest, secrets: Secrets, connection: ConnectionOptions, timeouts: Timeouts
    )? {
        let parts = try resolvedParts()
        return parts.tokenRequest.map { ($0, parts.secrets, parts.connection, timeouts) }
    }

    private var adviceOnReferences: String {
        let missing = definition.templates.flatMap(\.references).lazy.compactMap { [environment] part -> String? in
            guard case .environment(let name) = part, environment[name] == nil else { return nil }
            return name
        }.first
        return missing.map { "export \($0)=…  # then run it again" }
            ?? "set what the definition refers to, then run it again"
    }

    /// The path of a file that the definition names.
    private func readable(_ file: ConnectionRule.File) throws(ConfigurationError) -> String {
        let path = FilePath.resolve(file.path, in: folder, home: environment["HOME"])
        guard access(path, R_OK) != 0 else { return path }
        let reason = String(cString: strerror(errno))
        throw ConfigurationError(Diagnostic(position: file.position, problem: "`\(path)` cannot be read: \(reason)"))
    }

    private func url(of parts: ResolvedParts) throws(FeedSyncError) -> WebURL {
        do throws(HTTPError) {
            return try WebURL(parts.url)
        } catch {
            throw FeedSyncError(
                .configuration, "the `url` cannot be requested: \(parts.secrets.mask(error.message))",
                advice: "check the `url` and what it refers to",
                url: String(definition.url.description.prefix { $0 != "?" }))
        }
    }

    /// The URL of a page, if it may be requested.
    private func followed(
        _ wanted: PageRequest, body: String?, from base: WebURL, _ parts: ResolvedParts
    ) throws(FeedSyncError) -> WebURL {
        let page: WebURL
        do throws(HTTPError) {
            // Most styles change the query of the feed's own URL, which has been read already.
            let resolved = wanted.url == base.text ? base : try base.resolving(wanted.url).upgraded(toMatch: base)
            page = resolved.replacingQuery(wanted.query)
        } catch {
            throw FeedSyncError(
                .unfollowable, "the next page's URL cannot be requested: \(parts.secrets.mask(error.message))",
                url: UpstreamText.excerpt(String(wanted.url.prefix { $0 != "?" }), parts.secrets))
        }
        guard page.origin != base.origin else { return page }
        let origin = parts.secrets.mask(page.origin.description)
        guard try allowedOrigins().contains(page.origin) else {
            throw FeedSyncError(
                .unfollowable, "the next page is at another origin, \(origin)",
                advice: "if you trust it, add `allow_origins: [\(origin)]` to the feed", url: parts.shown(page))
        }
        // Credentials stay behind by themselves; one that the upstream wrote into the URL would not.
        guard !parts.secrets.occur(in: page.text) else {
            throw FeedSyncError(
                .unfollowable, "the next page is at another origin, \(origin), and its URL holds a credential",
                url: parts.shown(page))
        }
        if let body, parts.bodyHoldsSecret || parts.secrets.occur(in: body) {
            throw FeedSyncError(
                .unfollowable,
                "the next page is at another origin, \(origin), and the request's body holds a credential",
                url: parts.shown(page))
        }
        return page
    }

    private func allowedOrigins() throws(FeedSyncError) -> [Origin] {
        do throws(HTTPError) {
            return try definition.allowOrigins.map { text throws(HTTPError) in try Origin(text) }
        } catch {
            throw FeedSyncError(.configuration, "`allow_origins` has an entry that is not an origin: \(error.message)")
        }
    }
}

extension RequestPlan: SecretHolder {
    /// The feed's name; the environment is private.
    package var description: String { "request plan of feed `\(definition.name)`" }
}
