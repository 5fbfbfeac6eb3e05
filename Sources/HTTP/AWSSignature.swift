internal import Text
internal import Time

/// Signs requests with version 4 of AWS's signatures.
///
/// libcurl can sign, too, but each version otherwise: 7.88 leaves the path as it is for every service, and 8.14 signs a
/// `+` of the query as a space.
///
/// Source: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
package struct AWSSignature {
    private let accessKey: String
    private let secretKey: String
    private let region: String
    private let service: String

    /// - Parameters:
    ///   - region: The region; nil for the second word of the host.
    ///   - service: The service; nil for the first word of the host.
    ///   - host: The host, as in `SERVICE.REGION.amazonaws.com`.
    /// - Returns: nil if the host does not have what is left out.
    package init?(accessKey: String, secretKey: String, region: String?, service: String?, host: String) {
        // The last label names no service and no region.
        let labels = host.split(separator: ".").dropLast().map(String.init)
        guard let service = service ?? labels.first, let region = region ?? labels.dropFirst().first else { return nil }
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.region = region
        self.service = service
    }

    /// The header fields with the signature and what it needs: the time, and the hash of the body.
    ///
    /// - Parameters:
    ///   - url: The URL as `WebURL.inCodingOfAWS` has it.
    ///   - second: Now, in seconds since 1970.
    package func signed(
        _ headers: Headers, method: String, url: WebURL, body: [UInt8], second: Int64
    ) -> Headers {
        // As in 20130524T000000Z.
        let time = (Timestamp.text(ofSecond: second) ?? "").filter { $0 != "-" && $0 != ":" }
        let hash = Hexadecimal.encoded(SHA256.hash(body))
        var headers = headers
        headers["X-Amz-Date"] = time
        // S3 demands it, and the others take it.
        headers["X-Amz-Content-Sha256"] = hash

        var lines: [String: [String]] = ["host": [headers["Host"] ?? url.origin.authority]]
        for field in headers.fields {
            let name = field.name.lowercasedASCII
            // A proxy may change the others.
            guard name == "content-type" || name.hasPrefix("x-amz-") else { continue }
            lines[name, default: []].append(field.value.split(separator: " ").joined(separator: " "))
        }
        let names = lines.keys.sorted()
        let request = [
            method, path(of: url), url.query ?? "",
            names.map { "\($0):\((lines[$0] ?? []).joined(separator: ","))\n" }.joined(),
            names.joined(separator: ";"), hash,
        ].joined(separator: "\n")

        let scope = [String(time.prefix(8)), region, service, "aws4_request"]
        let text = [
            "AWS4-HMAC-SHA256", time, scope.joined(separator: "/"),
            Hexadecimal.encoded(SHA256.hash(Array(request.utf8))),
        ].joined(separator: "\n")
        let key = scope.reduce(Array("AWS4\(secretKey)".utf8)) { SHA256.signature(of: Array($1.utf8), key: $0) }
        let signature = Hexadecimal.encoded(SHA256.signature(of: Array(text.utf8), key: key))
        headers["Authorization"] =
            "AWS4-HMAC-SHA256 Credential=\(accessKey)/\(scope.joined(separator: "/")), "
            + "SignedHeaders=\(names.joined(separator: ";")), Signature=\(signature)"
        return headers
    }

    /// The path to sign: every service but S3 encodes it a second time.
    private func path(of url: WebURL) -> String {
        let isOfS3 = ["s3", "s3express", "s3-express", "s3-outposts", "s3-object-lambda"].contains(service)
        return isOfS3 ? url.path : PercentCoding.encoded(url.path, keeping: "/")
    }
}

extension WebURL {
    /// The URL with its path and query in the encoding that AWS signs, and the parameters in its order.
    ///
    /// Hosts that encode them again, and hosts that do not, then compute the same signature.
    package var inCodingOfAWS: WebURL {
        let path = path.split(separator: "/", omittingEmptySubsequences: false)
            .map { PercentCoding.recoded($0.utf8, plus: "+") }.joined(separator: "/")
        let parameters = encodedQueryItems.map { item in
            let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                .map { PercentCoding.recoded($0.utf8, plus: " ") }
            return (name: parts[0], value: parts.count > 1 ? parts[1] : "")
        }
        let query = parameters.sorted { ($0.name, $0.value) < ($1.name, $1.value) }.map { "\($0.name)=\($0.value)" }
        return WebURL(text: "\(origin)\(path)", origin: origin).withQuery(query)
    }
}
