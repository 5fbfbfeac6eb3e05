internal import Text

/// The hops of one `send`: the redirect rules, and the hops that get the credentials.
///
/// Source: https://www.rfc-editor.org/rfc/rfc9110#section-15.4
struct Route {
    private let request: Request
    /// Signs the hops that have credentials; nil if they have no key of AWS.
    private var signature: AWSSignature?
    private(set) var method: String
    private(set) var url: WebURL
    private(set) var body: [UInt8]?
    private(set) var redirectCount = 0
    /// True if there were redirects, and each said that it holds from now on.
    private(set) var isForGood = false
    private var headers: Headers
    /// The hops so far, from the first redirect on.
    private var visited: Set<Stop> = []

    private struct Stop: Hashable {
        let method: String
        let url: WebURL
    }

    /// - Throws: `HTTPError` of kind `invalidRequest` for a method or header that must not be sent, and for a host that
    ///   does not say for which service and region to sign.
    init(_ request: Request) throws(HTTPError) {
        self.request = request
        method = request.method
        url = request.url
        body = request.body
        headers = request.headers
        guard method.isHTTPToken else { throw refusal(.invalidRequest, "the method is not a valid HTTP token") }
        for field in outgoingHeaders.fields where !field.isValidField {
            // The value may be a secret and the name may hold a line break: neither is quoted.
            let name = field.name.isHTTPToken ? " \(field.name)" : ""
            throw refusal(.invalidRequest, "the header\(name) has a name or value that HTTP does not allow")
        }
        for case .aws(let accessKey, let secretKey, let region, let service) in request.credentials {
            let host = request.credentialOrigin.host
            signature = AWSSignature(
                accessKey: accessKey, secretKey: secretKey, region: region, service: service, host: host)
            guard signature != nil else {
                throw refusal(
                    .invalidRequest,
                    "\(host) does not have the form SERVICE.REGION.amazonaws.com: give `region` and `service` in `auth.aws`"
                )
            }
        }
    }

    /// The connection options of this hop: the client's certificate is a credential, too.
    var connection: ConnectionOptions {
        var options = request.connection
        if !hasCredentials { options.clientCertificate = nil }
        return options
    }

    private var hasCredentials: Bool { url.origin == request.credentialOrigin }

    /// The account of this hop that libcurl signs in with.
    var account: (user: String, password: String, scheme: Credential.Scheme)? {
        guard hasCredentials else { return nil }
        for case .account(let user, let password, let scheme) in request.credentials {
            return (user, password, scheme)
        }
        return nil
    }

    /// The URL of this hop as it is requested, query credentials included.
    var outgoingURL: WebURL {
        guard hasCredentials else { return url }
        let complete = url.replacingQuery(
            request.credentials.compactMap { credential in
                if case .query(let name, let value) = credential { NamedValue(name: name, value: value) } else { nil }
            })
        return signature == nil ? complete : complete.inCodingOfAWS
    }

    /// The header fields of this hop as they are sent, credentials included, but for AWS's signature.
    var outgoingHeaders: Headers {
        var outgoing = headers
        guard hasCredentials else { return outgoing }
        for case .header(let name, let value) in request.credentials { outgoing[name] = value }
        return outgoing
    }

    /// The header fields of this hop, with AWS's signature where the credentials have its key.
    func signedHeaders(at second: Int64) -> Headers {
        guard hasCredentials, let signature else { return outgoingHeaders }
        return signature.signed(outgoingHeaders, method: method, url: outgoingURL, body: body ?? [], second: second)
    }

    /// Moves on to where a response points; false if the response is the one to deliver.
    ///
    /// - Throws: `HTTPError` for a redirect that must not be followed.
    mutating func follow(status: Int, location: String?) throws(HTTPError) -> Bool {
        guard [301, 302, 303, 307, 308].contains(status), let location, !location.isEmpty else { return false }
        guard redirectCount < request.limits.redirects else {
            throw refusal(.tooManyRedirects, "more than \(request.limits.redirects) redirects")
        }
        var target: WebURL
        do throws(HTTPError) {
            target = try url.resolving(location)
        } catch {
            throw refusal(error.kind, "a redirect cannot be followed: \(error.message)")
        }
        guard target.origin.isSecure || !url.origin.isSecure else {
            throw refusal(.insecureRedirect, "a redirect leads from https to http, to \(target.origin)")
        }
        let becomesGet = status == 303 ? method != "HEAD" : (status == 301 || status == 302) && method == "POST"
        try check(target, status: status, becomesGet: becomesGet)
        if target.origin != request.credentialOrigin {
            let redaction = Redaction(request.credentials)
            target = target.removingQuery(where: redaction.carriesSecret)
        }
        if target.origin != url.origin {
            for name in ["Authorization", "Cookie", "Proxy-Authorization"] { headers[name] = nil }
        }
        if becomesGet {
            method = "GET"
            body = nil
            for name in ["Content-Type", "Content-Length", "Content-Encoding", "Content-Language"] {
                headers[name] = nil
            }
        }
        if redirectCount == 0 { visited.insert(Stop(method: request.method, url: request.url)) }
        url = target
        isForGood = (isForGood || redirectCount == 0) && (status == 301 || status == 308)
        redirectCount += 1
        guard visited.insert(Stop(method: method, url: url)).inserted else {
            throw refusal(.redirectLoop, "the redirects go in a circle")
        }
        return true
    }

    /// - Throws: `HTTPError` of kind `refusedRedirect` if the request's rule does not allow it.
    private func check(_ target: WebURL, status: Int, becomesGet: Bool) throws(HTTPError) {
        let objection: String
        switch request.redirects {
        case .none:
            objection = "and no redirect is followed here"
        case .sameRequest where becomesGet, .sameRequestAtOrigin where becomesGet:
            objection = "which would turn the \(method) into a GET of something else"
        case .sameRequestAtOrigin where target.origin != request.credentialOrigin:
            objection = "another origin, and the request's body holds a credential"
        case .any, .sameRequest, .sameRequestAtOrigin: return
        }
        let place = Redaction(request.credentials).masking(target)
        throw refusal(.refusedRedirect, "a redirect (\(status)) leads to \(place), \(objection)")
    }

    /// An error of this hop, its secrets masked.
    func refusal(_ kind: HTTPError.Kind, _ message: String, code: Int32? = nil) -> HTTPError {
        let redaction = Redaction(request.credentials)
        return HTTPError(kind, redaction.masking(message), code: code, url: redaction.masking(url))
    }
}
