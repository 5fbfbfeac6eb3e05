import HTTPServer
import ScriptedServer
import Testing

@testable import HTTP

@Suite("The addresses that a request may connect to") struct AddressRuleTests {
    @Test(
        "Addresses of this machine, of networks of one's own and for special use are not public",
        arguments: [
            "0.0.0.0", "0.1.2.3", "10.0.0.1", "10.255.255.255", "100.64.0.1", "100.127.255.255", "127.0.0.1",
            "127.255.255.254", "169.254.0.1", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.0.0.8",
            "192.0.2.1", "192.88.99.1", "192.168.0.1", "192.168.255.255", "198.18.0.1", "198.19.255.255",
            "198.51.100.7", "203.0.113.9", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255", "::", "::1",
            "::127.0.0.1", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::ffff:169.254.169.254", "64:ff9b::7f00:1",
            "64:ff9b::a9fe:a9fe", "64:ff9b:1::808:808", "100::1", "2001::1", "2001:10::1", "2001:db8::1",
            "2002:7f00:1::", "2002:c0a8:1::1", "3fff::1", "fc00::1", "fd12:3456::1", "fe80::1", "fec0::1", "ff02::1",
            "5f00::1",
        ])
    func special(text: String) throws {
        #expect(try #require(SocketAddress(text)).isPublic == false)
    }

    @Test(
        "All other addresses are public",
        arguments: [
            "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
            "128.0.0.1", "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.0.1.1",
            "192.167.255.255", "192.169.0.0", "198.17.255.255", "198.20.0.0", "223.255.255.255", "2606:4700::1111",
            "2001:4860:4860::8888", "2a00:1450::1", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1",
        ])
    func usual(text: String) throws {
        #expect(try #require(SocketAddress(text)).isPublic)
    }

    @Test(
        "A host is this machine however it is written",
        arguments: [
            ("localhost", true), ("localhost.", true), ("a.localhost", true), ("127.0.0.1", true), ("127.9.9.9", true),
            ("0.0.0.0", true), ("[::1]", true), ("[::]", true), ("[::ffff:127.0.0.1]", true),
            ("[::ffff:7f00:1]", true), ("127.1", true), ("2130706433", true), ("example.com", false),
            ("localhost.example.com", false), ("128.0.0.1", false), ("[::2]", false), ("[::ffff:8.8.8.8]", false),
            ("127.0.0.1.example.com", false),
        ])
    func loopback(host: String, isLoopback: Bool) throws {
        #expect(try WebURL("http://\(host):8080/").origin.isLoopback == isLoopback)
    }

    @Test("This machine's own addresses are of its network")
    func own() throws {
        #expect(try #require(SocketAddress("127.0.0.1")).isOfOwnNetwork)
        #expect(try #require(SocketAddress("127.9.9.9")).isOfOwnNetwork)
        #expect(try #require(SocketAddress("2001:4860:4860::8888")).isOfOwnNetwork == false)
    }

    private func send(_ url: String, except origin: String? = nil) async throws -> Response {
        var request = Request(try WebURL(url))
        request.addresses = .publicOnly(except: try origin.map { try WebURL($0).origin })
        return try await Client(userAgent: "test").send(request)
    }

    private func refused(_ url: String, except origin: String? = nil) async throws -> String {
        do {
            _ = try await send(url, except: origin)
            return ""
        } catch let error as HTTPError {
            #expect(error.kind == .refusedAddress)
            return error.message
        }
    }

    @Test(
        "An address of this machine is not connected to, however it is written",
        arguments: [
            "127.0.0.1", "localhost", "127.1", "2130706433", "0x7f.1", "0.0.0.0", "127.0.0.2", "[::ffff:127.0.0.1]",
        ])
    func refusal(host: String) async throws {
        let server = try ScriptedServer()
        defer { server.stop() }
        server.route("/x") { _ in .json("1") }
        let port = server.url.split(separator: ":").last ?? ""
        #expect(try await refused("http://\(host):\(port)/x").contains("of this machine or its network"))
        #expect(server.requests.isEmpty)
    }

    @Test("One origin may be at any address, and a redirect from there to another may not")
    func redirects() async throws {
        let (own, other) = (try ScriptedServer(), try ScriptedServer())
        defer {
            own.stop()
            other.stop()
        }
        let target = other.url
        other.route("/x") { _ in .json("1") }
        own.route("/x") { _ in .json("2") }
        own.route("/away") { _ in .status(302, headers: [("Location", "\(target)/x")]) }
        own.route("/here") { _ in .status(302, headers: [("Location", "/x")]) }
        #expect(try await send("\(own.url)/x", except: own.url).status == 200)
        #expect(try await send("\(own.url)/here", except: own.url).body.bytes == Array("2".utf8))
        _ = try await refused("\(own.url)/away", except: own.url)
        #expect(other.requests.isEmpty)
    }

    @Test("A connection that is there already is not used by a request that may not make it")
    func pooled() async throws {
        let server = try ScriptedServer()
        defer { server.stop() }
        server.route("/x") { _ in .json("1") }
        let client = Client(userAgent: "test")
        var request = Request(try WebURL("\(server.url)/x"))
        #expect(try await client.send(request).status == 200)
        request.addresses = .publicOnly(except: nil)
        await #expect(throws: HTTPError.self) { _ = try await client.send(request) }
        #expect(server.requests.count == 1)
    }
}
