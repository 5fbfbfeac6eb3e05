package import HTTP

/// The course of the attempts at one page, and the words for their end.
package struct FetchReport {
    let page: PreparedPage
    let bodyValue: BodyValue
    private let meter: RequestMeter
    /// The last word on each quota.
    private var readings = FetchCost()

    package init(_ page: PreparedPage, meter: RequestMeter = RequestMeter(), bodyValue: @escaping BodyValue) {
        self.page = page
        self.meter = meter
        self.bodyValue = bodyValue
    }

    /// Counts a response and keeps its findings.
    mutating func add(_ response: Response, now: Int64) {
        meter.add(FetchCost(requestCount: 1 + response.redirectCount, byteCount: response.wireByteCount))
        note(QuotaReading(of: response, to: page, now: now))
    }

    /// Counts a request that brought no response.
    func addFailedRequest() { meter.add(FetchCost(requestCount: 1)) }

    private mutating func note(_ reading: QuotaReading?) {
        guard let reading else { return }
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
        let blockedUntil = QuotaReading(of: response, to: page, now: now)?.blockedUntil.flatMap(
            Timestamp.text(ofSecond:))
        // A host that names no time is left alone for as long as we would have waited before another attempt.
        let reading = QuotaReading(of: response, to: page, now: now, ownWait: wait)
        note(reading)
        let time = reading?.blockedUntil.flatMap(Timestamp.text(ofSecond:))
        let until = blockedUntil.map { ", and asked us to wait until \($0)" } ?? ""
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
        let quotation = UpstreamText.quotation(of: response, secrets: page.secrets, bodyValue: bodyValue)
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
