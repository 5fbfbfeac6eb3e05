package import HTTP

/// The course of the attempts at one page, and the words for their end.
package struct FetchReport {
    let page: PreparedPage
    private let meter: RequestMeter
    /// The last word on each quota.
    private var readings = FetchCost()
    /// The credential that the present request carries, if it had the choice.
    private(set) var credential: CredentialChoices.Choice?

    package init(_ page: PreparedPage, meter: RequestMeter = RequestMeter()) {
        self.page = page
        self.meter = meter
    }

    /// The credentials of the next request.
    mutating func credentials(at now: Int64) -> [Credential] {
        credential = page.credentialChoices?.take(at: now)
        return credential?.credentials ?? page.request.credentials
    }

    /// Counts a response and keeps its findings.
    mutating func add(_ response: Response, now: Int64) {
        meter.add(FetchCost(requestCount: 1 + response.redirectCount, byteCount: response.wireByteCount))
        endRequest()
        note(reading(of: response, now: now), now)
    }

    /// Keeps the request's credential from being used for a time, as the host asks.
    ///
    /// - Returns: The choice for the next request; nil where there is none to choose.
    mutating func rest(after response: Response, for wait: Duration, now: Int64) -> CredentialQuota.Choice? {
        guard let choices = page.credentialChoices, response.url.origin == page.request.credentialOrigin else {
            return nil
        }
        // A wait of nothing would try it again at once.
        note(reading(of: response, now: now, ownWait: max(wait, .seconds(1))), now)
        return choices.choice(at: now)
    }

    private func reading(of response: Response, now: Int64, ownWait: Duration? = nil) -> QuotaReading? {
        QuotaReading(of: response, to: page, with: credential?.fingerprint, now: now, ownWait: ownWait)
    }

    /// Marks the end of a request, whatever came of it.
    func endRequest() {
        if let credential { page.credentialChoices?.end(credential) }
    }

    /// Counts a request that brought no response.
    func addFailedRequest() {
        meter.add(FetchCost(requestCount: 1))
        endRequest()
    }

    private mutating func note(_ reading: QuotaReading?, _ now: Int64) {
        guard var reading else { return }
        if let choices = page.credentialChoices {
            choices.note(reading)
            reading.nextCredential = choices.next(at: now)
        }
        readings.note(reading)
        meter.add(FetchCost(quota: [reading]))
    }

    func fetched(_ kind: FetchedPage.Kind, _ response: Response) -> FetchedPage {
        FetchedPage(kind: kind, response: response, quota: readings.quota)
    }

    /// A failure with the upstream's response.
    package func failure(_ kind: FeedSyncError.Kind, _ response: Response, attempts: Int = 1) -> FeedSyncError {
        FeedSyncError(
            kind, sentence(about: response, attempts), advice: FetchAdvice.advice(kind, response.status),
            httpStatus: response.status, url: page.shown(response.url)
        ).keeping(response, to: page)
    }

    /// The host permits no request for a time; `isTooLong` means that the permitted wait is shorter.
    mutating func limited(
        _ response: Response, wait: Duration, isTooLong: Bool, attempts: Int, now: Int64
    ) -> FeedSyncError {
        let time: String?
        let until: String
        if case .later(_, let end)? = page.credentialChoices?.choice(at: now) {
            time = Timestamp.text(ofSecond: end)
            until = time.map { ", and every credential in `auth` is spent until \($0)" } ?? ""
        } else {
            let blockedUntil = reading(of: response, now: now)?.blockedUntil.flatMap(Timestamp.text(ofSecond:))
            // A host that names no time is left alone for as long as we would have waited before another attempt.
            let reading = reading(of: response, now: now, ownWait: wait)
            note(reading, now)
            time = reading?.blockedUntil.flatMap(Timestamp.text(ofSecond:))
            until = blockedUntil.map { ", and asked us to wait until \($0)" } ?? ""
        }
        return FeedSyncError(
            .limited, sentence(about: response, attempts) + until,
            advice: "run it again after \(time ?? "a while")"
                + (isTooLong ? ", or allow a longer wait with --max-wait" : ""),
            httpStatus: response.status, url: page.shown(response.url))
    }

    /// There was no response.
    func failure(_ error: HTTPError, attempts: Int) -> FeedSyncError {
        let kind = FetchAdvice.kind(of: error.kind)
        let message = error.kind == .cancelled ? "the request was cancelled" : page.secrets.mask(error.message)
        return FeedSyncError(
            kind, message + Self.times(attempts), advice: FetchAdvice.advice(error.kind),
            url: Self.wholeURL(of: error).map(page.secrets.mask) ?? page.shown(page.request.url))
    }

    private func sentence(about response: Response, _ attempts: Int) -> String {
        let quotation = UpstreamText.quotation(of: response, secrets: page.secrets)
        // A 304 is a failure only if the request had no validators.
        let question = response.isModified ? "" : " to an unconditional request"
        let words = quotation.map { ": \($0)" } ?? ""
        return "the upstream answered \(StatusText.text(response.status))\(question)\(words)\(Self.times(attempts))"
    }

    /// The error's URL, unless it could not be parsed: then it is cut, perhaps within a secret.
    private static func wholeURL(of error: HTTPError) -> String? {
        error.kind == .invalidURL || error.kind == .unsupportedScheme ? nil : error.url
    }

    private static func times(_ attempts: Int) -> String { attempts > 1 ? " (\(attempts) attempts)" : "" }
}
