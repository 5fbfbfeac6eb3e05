internal import HTTP

/// Discovers the settings that a feed's definition leaves open, from its first page and a few requests for a second
/// one.
///
/// The definition's own settings are taken as given. Requests are sent one after the other, at most `mostTrials`.
///
/// - Isolation: any; it stores nothing, and keeps nothing but the count of its requests.
package struct Discovery: Sendable {
    /// The effort for the pagination.
    package enum Effort: Sendable, Hashable {
        /// Self-describing signs are believed; other signs are tried; without any, the page is the only one.
        case signs
        /// As `signs`, and where nothing on the page says how to continue, the usual ways are tried.
        case search
        /// As `search`, and self-describing signs are tried, too.
        case verify
    }

    /// The most requests for a second page.
    package static let mostTrials = 8

    private let definition: FeedDefinition
    private let options: EngineOptions
    private let salt: String
    private let span: SyncSpan?
    private let mostRetries: Int
    private let meter: RequestMeter
    private let progress: @Sendable (FetchProgress) -> Void

    /// A discovery for a feed.
    ///
    /// - Parameters:
    ///   - definition: The known settings.
    ///   - options: The client for requests, the environment for `${NAME}`, and the time to wait.
    ///   - salt: Goes into the fingerprint of the credentials, which the quota readings carry.
    ///   - span: The part of the list that its requests ask for; nil for all of it.
    ///   - mostRetries: The most further tries, whatever the definition permits: fewer if a user waits.
    ///   - meter: Counts its requests, too.
    ///   - progress: Receives activities that would otherwise look like a stall.
    package init(
        _ definition: FeedDefinition, options: EngineOptions, salt: String, span: SyncSpan? = nil,
        mostRetries: Int = .max, meter: RequestMeter? = nil,
        progress: @escaping @Sendable (FetchProgress) -> Void = { _ in }
    ) {
        self.definition = definition
        self.options = options
        self.salt = salt
        self.span = span
        self.mostRetries = mostRetries
        self.meter = RequestMeter(within: meter)
        self.progress = progress
    }

    /// Fetches the first page and discovers all open settings, and verifies them if possible.
    ///
    /// - Throws: `FeedSyncError` of kind `configuration` if the body has no items or no key, `undecodable` if it is no
    ///   JSON, or the error of a failed request.
    package func discover() async throws(FeedSyncError) -> DiscoveryResult {
        let requests = plan(definition)
        try await requests.runCommands()
        let (page, result) = await AuthorizedFetcher(requests: requests, fetcher: fetcher())
            .fetch(try requests.page(for: nil), validators: nil)
        return try await discover(from: try result.get(), of: page, effort: .verify)
    }

    /// Discovers the open settings from a first page that has already been fetched.
    ///
    /// A page without content or items shows little, and is no failure: its findings may not be enough to store it.
    ///
    /// - Parameter known: The earlier findings. A page with no more elements than one with which a search failed is
    ///   only examined for other signs, unless it is as long and has other items: one may have left it.
    /// - Throws: `FeedSyncError`: a page that is no JSON, or has no items or no key; with the effort `verify` also a
    ///   host that cannot be reached or permits no request now. Nothing is learned then. With less effort, such a host
    ///   is no obstacle to the use of the first page.
    package func discover(
        from first: FetchedPage, of page: PreparedPage, effort: Effort, known: Findings = Findings()
    ) async throws(FeedSyncError) -> DiscoveryResult {
        var trials = SecondPageTrials(
            first: first, of: page, definition: definition, fetcher: fetcher(mostRetries: 1),
            meter: meter, plan: plan)
        guard first.kind == .content else { return trials.discovered([], itemCount: 0) }
        if effort == .verify, case .html? = BodyFormat(of: first.response.body) {
            var result = trials.discovered([], itemCount: 0)
            result.alternates = AlternateLink.all(in: first.response.body, at: first.response.url)
            if !result.alternates.isEmpty { return result }
        }
        var structure = try self.structure(of: first, page, isStrict: effort == .verify)
        trials.findings = structure.findings
        var paging: Evidence?
        if definition.hasOpenPagination {
            let isInVain =
                known.triedElementCount.map { tried in
                    let count = structure.reading.elementCount
                    return count < tried || count == tried && known.triedKeys == structure.hashOfKeys
                } ?? false
            let effort = isInVain && effort == .search ? .signs : effort
            if isInVain, effort == .signs { trials.triedSigns = known.triedSigns }
            trials.mayBeUntried = !isInVain
            trials.failedSearchesBefore = known.failedSearchCount
            paging = try await pagination(structure, effort, &trials)
            if let place = trials.betterPlace {
                structure = try self.structure(of: first, at: place, page)
                trials.findings = structure.findings
                paging = try await pagination(structure, effort, &trials)
            }
            if let refutation = trials.refutation {
                structure = try self.structure(
                    of: first, besides: refutation.items, at: trials.betterPlace, page)
                trials.findings = structure.findings
                paging = try await pagination(structure, effort, &trials)
            }
        }
        let evidence = structure.evidence + [paging].compactMap(\.self)
        var result = trials.discovered(
            evidence.map { evidence in
                Evidence(
                    evidence.subject, evidence.certainty, found: evidence.found.map { Self.shown($0, page) },
                    Self.shown(evidence.text, page))
            }, itemCount: structure.reading.items.count)
        result.sample = structure.reading.items.prefix(DiscoveryResult.sampleCount).map { item in
            result.definition.columns.map { item.value(at: $0.path)?.json }
        }
        return result
    }

    private func pagination(
        _ structure: StructureSearch, _ effort: Effort, _ trials: inout SecondPageTrials
    ) async throws(FeedSyncError) -> Evidence {
        guard !structure.isSingle else {
            return Evidence(.pagination, .nothing, "the body is a single item, so there are no pages")
        }
        return try await trials.findPagination(structure, effort: effort)
    }

    /// - Parameters:
    ///   - others: Items of another page, which the key must distinguish, too.
    ///   - place: The path of the items; nil for the best place.
    ///   - isStrict: True if a given key that does not hold is an error.
    private func structure(
        of first: FetchedPage, besides others: [ItemsCandidate.Item] = [], at place: Path? = nil, _ page: PreparedPage,
        isStrict: Bool = false
    ) throws(FeedSyncError) -> StructureSearch {
        do throws(FeedSyncError) {
            // A body that is not UTF-8 cannot be stored, so nothing is discovered from it.
            guard String(validating: first.response.body.bytes, as: UTF8.self) != nil else {
                throw DiscoveryFault.notUTF8(contentType: first.response.contentType)
            }
            let body: JSONValue
            do throws(JSONSyntaxError) {
                body = try JSONValue(first.response.body, memory: definition.memory)
            } catch {
                let other =
                    error.isTooLarge
                    ? nil
                    : FeedSyncError.otherFormat(
                        first.response.body, contentType: first.response.contentType, secrets: page.secrets)
                throw other ?? DiscoveryFault.notJSON(error, contentType: first.response.contentType)
            }
            do throws(FeedSyncError) {
                let structure = try StructureSearch(
                    definition, body: body, url: first.response.url, others: others, place: place,
                    format: first.format)
                let key = GivenKey(definition, structure.reading.items, format: first.format)
                if isStrict, let fault = key?.fault { throw fault }
                return structure
            } catch {
                throw ErrorBody.failure(first.response, secrets: page.secrets) ?? error
            }
        } catch {
            throw FeedSyncError(
                error.kind, Self.shown(error.message, page), advice: error.advice.map { Self.shown($0, page) },
                httpStatus: first.response.status, url: page.shown(first.response.url))
        }
    }

    /// Names come from the upstream: secrets masked, controls escaped, cut.
    private static func shown(_ text: String, _ page: PreparedPage) -> String {
        Excerpt.of(text, limit: 600, secrets: page.secrets) ?? ""
    }

    private var plan: @Sendable (FeedDefinition) -> RequestPlan {
        { [options, salt, span] definition in
            RequestPlan(
                definition, environment: options.environment, folder: options.folder, salt: salt,
                commands: options.commands, tokens: options.tokens, quotas: options.credentialQuotas
            ).asking(for: span)
        }
    }

    private func fetcher(mostRetries: Int = .max) -> Fetcher {
        options.fetcher(for: definition, mostRetries: min(mostRetries, self.mostRetries), progress: progress)
            .counting(in: meter)
    }
}
