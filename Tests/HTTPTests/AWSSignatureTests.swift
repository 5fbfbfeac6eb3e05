import HTTP
import Testing

@Suite("A signature of AWS") struct AWSSignatureTests {
    struct Case: Sendable {
        var method = "GET"
        let url: String
        var service: String?
        var headers: Headers = [:]
        var body = ""
        let signature: String
    }

    // The first two are in https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html; the others
    // were computed with botocore 1.44, AWS's own library.
    @Test(
        "A request is signed as AWS signs it, whatever is in its path, its query and its body",
        arguments: [
            Case(
                url: "https://examplebucket.s3.amazonaws.com?lifecycle", service: "s3",
                signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
            Case(
                url: "https://examplebucket.s3.amazonaws.com/?prefix=J&max-keys=2", service: "s3",
                signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
            Case(
                url: "https://examplebucket.s3.amazonaws.com/a%20b/(ü)+%7e"
                    + "?continuation-token=1/%2B=&b=x%2by+z~*/ü&a", service: "s3",
                signature: "a6d7a01e1138d63f4fadf8235d90bee8f9dfa164cf9e1f3e6489b3808f37fa25"),
            Case(
                url: "https://service.us-east-1.amazonaws.com/a%20b/(%c3%bc)?b=x%2By+z~*%2F%C3%BC&a=&b=1",
                signature: "4ca78129731f702d1a3f4ddbf297dd2a3ecd0085e4faef6dcd98e72973a2d48a"),
            Case(
                method: "POST", url: "https://service.us-east-1.amazonaws.com:8443",
                headers: [
                    "X-Amz-Target": "T.List  Things", "Accept": "*/*", "X-Amz-Security-Token": "t0ken==",
                    "Content-Type": "application/x-amz-json-1.0",
                ], body: #"{"a":"ü"}"#,
                signature: "141fc40dcce52b1f74942f4a61a8d3bbc1c2a14bc681e02273fac4ad71892d2d"),
        ])
    func signs(_ example: Case) throws {
        let url = try WebURL(example.url)
        let signature = try #require(
            AWSSignature(
                accessKey: "AKIAIOSFODNN7EXAMPLE", secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
                region: example.service == nil ? nil : "us-east-1", service: example.service, host: url.origin.host))
        // 2013-05-24T00:00:00Z
        let headers = signature.signed(
            example.headers, method: example.method, url: url.inCodingOfAWS, body: Array(example.body.utf8),
            second: 1_369_353_600)
        #expect(headers["X-Amz-Date"] == "20130524T000000Z")
        let given = try #require(headers["Authorization"])
        #expect(given.hasPrefix("AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s"), "\(given)")
        #expect(given.hasSuffix(", Signature=\(example.signature)"), "\(given)")
    }

    @Test(
        "A URL has AWS's coding, and its parameters AWS's order",
        arguments: [
            ("https://a.b/", "https://a.b/"), ("https://a.b:8080?", "https://a.b:8080/"),
            ("https://a.b/x%2fy//(z)", "https://a.b/x%2Fy//%28z%29"),
            ("https://a.b/?b=2&a=%zz&&b=1&a==", "https://a.b/?a=%25zz&a=%3D&b=1&b=2"),
            ("https://a.b/?B=1&a=1&%61=0", "https://a.b/?B=1&a=0&a=1"), ("https://a.b/?a=%ff", "https://a.b/?a=%FF"),
        ])
    func coding(written: String, expected: String) throws {
        let url = try WebURL(written).inCodingOfAWS
        #expect(url.text == expected)
        #expect(url.inCodingOfAWS == url)
    }

    @Test(
        "A host says for which service and region to sign, as far as that is not given",
        arguments: [
            ("sqs.eu-west-1.amazonaws.com", nil, nil, "/eu-west-1/sqs/"),
            ("sqs.eu-west-1.amazonaws.com", "us-east-1", nil, "/us-east-1/sqs/"),
            ("localhost", "us-east-1", "s3", "/us-east-1/s3/"), ("localhost", nil, nil, nil),
            ("localhost", "us-east-1", nil, nil), ("example.com", nil, nil, nil),
        ] as [(String, String?, String?, String?)])
    func scope(host: String, region: String?, service: String?, expected: String?) throws {
        let signature = AWSSignature(accessKey: "A", secretKey: "s", region: region, service: service, host: host)
        let url = try WebURL("https://\(host)/")
        let headers = signature?.signed([:], method: "GET", url: url, body: [], second: 0)
        let given = headers?["Authorization"]
        #expect((given == nil) == (expected == nil))
        if let expected { #expect(given?.contains("Credential=A/19700101\(expected)aws4_request,") == true) }
    }
}
