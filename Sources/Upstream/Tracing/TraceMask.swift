package import HTTP

/// Redacts traced requests and responses.
struct TraceMask: Sendable {
    let secrets: Secrets
    /// True if the response is a credential itself.
    let hidesBody: Bool

    init(_ page: PreparedPage) { self.init(secrets: page.secrets, hidesBody: page.isForToken) }

    init(secrets: Secrets, hidesBody: Bool) {
        self.secrets = secrets
        self.hidesBody = hidesBody
    }

    func request(_ request: SentRequest) -> TracedRequest {
        TracedRequest(
            number: request.id, method: request.method, url: secrets.mask(request.url.redacted),
            headers: headers(request.headers),
            body: request.body.map { secrets.mask(String(decoding: $0, as: UTF8.self)) })
    }

    func exchange(_ exchange: Exchange) -> TracedExchange {
        TracedExchange(
            request: request(exchange.request), startedAt: exchange.startedAt, timings: exchange.timings,
            address: exchange.address, answer: exchange.answer.map { TracedExchange.Answer($0, self) },
            failure: exchange.failure.map { secrets.mask($0.message) })
    }

    /// Values of fields that carry credentials are masked whole, cookies too.
    func headers(_ headers: Headers) -> [NamedValue] {
        headers.fields.map { field in
            let isSecret = SecretName.matches(field.name)
            let value = isSecret ? Secrets.mask : SecretParameters.masked(in: secrets.mask(field.value))
            return NamedValue(name: field.name, value: value)
        }
    }

    /// A body as text; the end beyond the limit is left out before a secret could be cut.
    func text(of body: Body, limit: Int) -> String {
        if hidesBody { return Secrets.mask }
        return body.withUnsafeBytes { bytes in
            let seen = bytes.prefix(limit + secrets.reach)
            return secrets.mask(Array(seen), in: 0..<min(limit, seen.count))
        }
    }

    /// An observer that passes masked exchanges to `trace`.
    func observer(telling trace: @escaping TraceHandler) -> ExchangeObserver {
        ExchangeObserver(
            began: { trace(.began(request($0))) }, ended: { trace(.ended(exchange($0))) })
    }
}

extension FeedSyncError {
    /// The error with its response, unless it has one already.
    package func keeping(_ response: Response, to page: PreparedPage) -> FeedSyncError {
        guard self.response == nil, httpStatus != nil else { return self }
        let mask = TraceMask(page)
        var error = self
        error.response = FailedResponse(
            status: response.status, url: page.shown(response.url),
            headers: mask.headers(response.headers),
            body: mask.text(of: response.body, limit: FailedResponse.mostBytes), byteCount: response.body.count)
        return error
    }
}
