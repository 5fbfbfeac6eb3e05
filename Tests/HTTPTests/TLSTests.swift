import Foundation
import HTTP
import HTTPServer
import TemporaryFolder
import Testing

/// An nginx on loopback: TLS with a certificate of its own, HTTP/2, gzip.
private final class Nginx: Sendable {
    private static let program = "/usr/sbin/nginx"
    static var isInstalled: Bool {
        [program, "/usr/bin/openssl"].allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }
    }

    let secureURL: String
    let plainURL: String
    var certificate: String { "\(folder.path)/cert.pem" }
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        // No other server listens at this address, so nobody takes its ports before it does.
        let host = "127.\(UInt8.random(in: 100...254)).\(UInt8.random(in: 0...255)).\(UInt8.random(in: 1...254))"
        secureURL = "https://\(host):8443"
        plainURL = "http://\(host):8080"
        try run(
            "/usr/bin/openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
            "-nodes",
            "-days", "2", "-subj", "/CN=loopback", "-addext", "subjectAltName=IP:\(host)",
            "-keyout", "\(folder.path)/key.pem", "-out", "\(folder.path)/cert.pem")
        let places = """
            location /connection { default_type text/plain; return 200 "$connection $server_protocol"; }
            location /downgrade { return 302 \(plainURL)/connection; }
            location /upgrade { return 302 \(secureURL)/connection; }
            location /text { default_type text/plain; return 200 "\(String(repeating: "word ", count: 400))"; }
            """
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path \($0);" }
        try folder.write(
            """
            pid nginx.pid; error_log error.log;
            events {}
            http {
                access_log off; gzip on; gzip_types text/plain; gzip_min_length 1; \(temporary.joined(separator: " "))
                server {
                    listen \(host):8443 ssl http2; ssl_certificate cert.pem; ssl_certificate_key key.pem;
                    \(places)
                }
                server { listen \(host):8080; \(places) }
            }
            """.utf8, to: "nginx.conf")
        // It goes into the background once it listens, so there is nothing to wait for.
        try run(Self.program, "-p", folder.path, "-c", "nginx.conf", "-e", "error.log")
    }

    deinit {
        try? run(Self.program, "-p", folder.path, "-c", "nginx.conf", "-e", "error.log", "-s", "stop")
    }
}

@Suite("With a real web server, a client", .serialized, .enabled(if: Nginx.isInstalled)) struct TLSTests {
    private let nginx: Nginx

    init() throws { nginx = try Nginx() }

    private func text(_ client: Client, _ url: String) async throws -> String {
        String(decoding: try await client.send(Request(WebURL(url))).body.bytes, as: UTF8.self)
    }

    @Test("A client refuses an untrusted certificate, and does not try again")
    func untrusted() async throws {
        let client = makeClient()
        let request = Request(try WebURL("\(nginx.secureURL)/connection"))
        let error = try await client.failure(request)
        #expect(error.kind == .tls)
        #expect(!error.isRetryable)
    }

    @Test("A client speaks HTTP/2 with a host that it trusts, over one connection")
    func http2() async throws {
        let client = makeClient(caFile: nginx.certificate)
        let first = try await text(client, "\(nginx.secureURL)/connection")
        #expect(first.hasSuffix(" HTTP/2.0"))
        #expect(try await text(client, "\(nginx.secureURL)/connection") == first)
    }

    @Test("A client reuses an HTTP/1.1 connection")
    func keepAlive() async throws {
        let client = makeClient()
        let first = try await text(client, "\(nginx.plainURL)/connection")
        #expect(first.hasSuffix(" HTTP/1.1"))
        for _ in 0..<3 { #expect(try await text(client, "\(nginx.plainURL)/connection") == first) }
        #expect(try await text(makeClient(), "\(nginx.plainURL)/connection") != first)
    }

    @Test("A client follows a redirect from http to https, never back")
    func downgrade() async throws {
        let client = makeClient(caFile: nginx.certificate)
        #expect(try await text(client, "\(nginx.plainURL)/upgrade").hasSuffix(" HTTP/2.0"))
        let request = Request(try WebURL("\(nginx.secureURL)/downgrade"))
        let error = try await client.failure(request)
        #expect(error.kind == .insecureRedirect)
    }

    @Test("A client receives compressed bodies and counts their compressed bytes")
    func compressed() async throws {
        let response = try await makeClient().send(Request(WebURL("\(nginx.plainURL)/text")))
        #expect(response.headers["Content-Encoding"] == "gzip")
        #expect(response.body.count == 2_000)
        #expect(response.wireByteCount < 1_000)
    }
}
