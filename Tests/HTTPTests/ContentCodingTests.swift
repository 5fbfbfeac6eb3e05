import Foundation
import HTTP
import HTTPServer
import ScriptedServer
import TemporaryFolder
import Testing

@Suite("A body with a content coding") struct ContentCodingTests {
    /// The decoded text of all of them.
    private static let plain = Array(
        ("id,a\n" + (0..<40).map { "\($0),\($0 * 7919 % 1_000_003)\n" }.joined()).utf8)

    /// The body as gzip, Brotli and zstd write it; "deflate" with and without zlib's wrapping.
    private static let bodies: [(coding: String, base64: String)] = [
        (
            "gzip",
            "H4sIAAAAAAACAyWQu40EUAgDc9dCgM2/nJMuuf4b2KfbiAkQY/z3az9wc9DmeJCxNhZhiqlBWrCnURZXV2jLKSbGqjICax1RwtlQQ9D/77x7tB36gbIr14Jhd"
                + "F0OmEb6doP1aGcLbKN6PMExRrYCXGOqUuC9XJ5NyL8JHaKxW/dCv9ST4kLPsWIM9BznXg09x81NQW3y2kto7G0tA1qTOCHoHl0XEf793hE0ZeUe"
                + "QqaK9FfN66YZGkQ+OmUjyjTDLsRzbPkm4jku3AOx9uZJiHu0m8QH6cUi9XkBAAA="
        ),
        (
            "deflate",
            "eJwlkLuNBFAIA3PXQoDNv5yTLrn+G9in24gJEGP892s/cHPQ5niQsTYWYYqpQVqwp1EWV1doyykmxqoyAmsdUcLZUEPQ/++8e7Qd+oGyK9eCYXRdDphG+naD"
                + "9WhnC2yjejzBMUa2AlxjqlLgvVyeTci/CR2isVv3Qr/Uk+JCz7FiDPQc514NPcfNTUFt8tpLaOxtLQNakzgh6B5dFxH+/d4RNGXlHkKmivRXzeum"
                + "GRpEPjplI8o0wy7Ec2z5JuI5LtwDsfbmSYh7tJvEBzZqRR4="
        ),
        (
            "Deflate",
            "JZC7jQRQCANz10KAzb+cky65/hvYp9uICRBj/PdrP3Bz0OZ4kLE2FmGKqUFasKdRFldXaMspJsaqMgJrHVHC2VBD0P/vvHu0HfqBsivXgmF0XQ6YRvp2g/Vo"
                + "Zwtso3o8wTFGtgJcY6pS4L1cnk3IvwkdorFb90K/1JPiQs+xYgz0HOdeDT3HzU1BbfLaS2jsbS0DWpM4IegeXRcR/v3eETRl5R5Cpor0V83rphka"
                + "RD46ZSPKNMMuxHNs+SbiOS7cA7H25kmIe7SbxAc="
        ),
        (
            "br",
            "G3gB6B0Hbqw8aFcb2hTLMLI0GHKerwrDDcY+azMwMEoS6ILlzBHEBTgfD4mvDtFaLzaL2cFh7zcu9zoaw+OuwuOtcuJzIjeAOB8vEHwbepD8Vh4oovxe0CR0"
                + "M8Akbs9gSM6qwZLqyQJHOt0Jnlg9AUV8dYJBZvIfJtnOOFjkMmphk5c80OT313CofN9wadRFwaMZWwmf5o8DidZ6hYK2+x4ldbUOFZ2oXNR0PnuQ"
                + "6W6M0dCzrtHSL6nQMekz0TOdAA=="
        ),
        (
            "zstd",
            "KLUv/QRYVQYAhtYuELAlbQdUkgKRSyt3+pmJnA4qACgAKAAuq80I03VXjyeRUKPIELU4ppoG0tFJiaGCpcOikldoYuSe56ua0WBQQCCuz4jTYYLcMz/0cc2U"
                + "hxG3zIkKd4NJVmaXzBAs7I5Zcw9XTHvQ9eZFjBCawv2981L+a6fYxG+dc0bxhpPq6lw6A0WcO2eJb66c5k+5P+8eQvSYhfSE/0VITSgRcm8Jx4Ls"
                + "DUIKrnpJGOYX3hHWxeEVocUIvReeDc1rCQNAGV7ADq5kIy1XCKjgt6o="
        ),
    ]

    private let server: ScriptedServer
    private let client = makeClient()

    init() throws { server = try ScriptedServer() }

    private func send(_ body: [UInt8], _ codings: [String]) async throws -> [UInt8] {
        server.route("/") { _ in
            ServerResponse(headers: codings.map { ("Content-Encoding", $0) }, body: body, delivery: .chunked)
        }
        return try await client.send(Request(server.url("/"))).body.bytes
    }

    private static func bytes(_ base64: String) throws -> [UInt8] { try Array(#require(Data(base64Encoded: base64))) }

    @Test(
        "A whole body with a coding is decoded, and one that is cut anywhere is an error of its own", arguments: bodies)
    func cut(coding: String, base64: String) async throws {
        let body = try Self.bytes(base64)
        #expect(try await send(body, [coding]) == Self.plain)
        for count in 1..<body.count {
            let error = await #expect(throws: HTTPError.self, "\(count) bytes") {
                try await send(Array(body.prefix(count)), [coding])
            }
            #expect(error?.kind == .truncated && error?.isRetryable == true, "\(count) bytes")
        }
    }

    @Test("A body with other bytes after its end is refused", arguments: bodies)
    func trailing(coding: String, base64: String) async throws {
        let body = try Self.bytes(base64)
        for rest in ["g", "garbage!", String(repeating: "\u{0}", count: 600_000)] {
            let error = await #expect(throws: HTTPError.self) { try await send(body + Array(rest.utf8), [coding]) }
            #expect(error?.kind == .contentCoding && error?.message.hasPrefix("more bytes follow the end") == true)
        }
    }

    @Test("A body that is not of its stated coding is refused, and is not read for ever", arguments: bodies)
    func broken(coding: String, base64: String) async throws {
        for byte: UInt8 in [0xff, 0x07] {
            let error = await #expect(throws: HTTPError.self) {
                try await send([UInt8](repeating: byte, count: 500), [coding])
            }
            #expect(error?.kind == .contentCoding || error?.kind == .truncated)
        }
    }

    @Test("A body may have several parts in a row, and several codings over one another")
    func several() async throws {
        for (coding, base64) in Self.bodies where ["gzip", "zstd"].contains(coding) {
            let body = try Self.bytes(base64)
            #expect(try await send(body + body, [coding]) == Self.plain + Self.plain)
        }
        let folder = try TemporaryFolder()
        try folder.write(Self.bytes(Self.bodies[3].base64), to: "inner")
        try run("/usr/bin/gzip", "\(folder.path)/inner")
        let body = try folder.read("inner.gz")
        #expect(try await send(body, ["br, gzip"]) == Self.plain)
        #expect(try await send(body, ["br", "x-gzip"]) == Self.plain)
        #expect(try await send(Self.plain, ["identity"]) == Self.plain)
        for codings in [["rot13"], ["gzip, rot13"], Array(repeating: "gzip", count: 6)] {
            #expect(await #expect(throws: HTTPError.self) { try await send(body, codings) }?.kind == .contentCoding)
        }
    }

    @Test("A body may not hide the output of an inner coding from the limit")
    func hidden() async throws {
        // An empty member, as gzip writes it: a thousand of them stand for nothing.
        let member: [UInt8] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        let folder = try TemporaryFolder()
        try folder.write(Array(repeating: member, count: 1_000).joined(), to: "members")
        try run("/usr/bin/gzip", "\(folder.path)/members")
        let body = try folder.read("members.gz")
        server.route("/") { _ in ServerResponse(headers: [("Content-Encoding", "gzip, gzip")], body: body) }
        var request = try Request(server.url("/"))
        #expect(try await client.send(request).body.isEmpty)
        request.limits.body = 19_999
        let error = await #expect(throws: HTTPError.self) { try await client.send(request) }
        #expect(error?.kind == .tooLarge)
    }

    @Test("A body with an unrequested transfer coding is refused")
    func transferCoding() async throws {
        let body = try Self.bytes(Self.bodies[0].base64)
        let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n\(String(body.count, radix: 16))\r\n"
        server.route("/") { _ in
            ServerResponse(body: Array(head.utf8) + body + Array("\r\n0\r\n\r\n".utf8), delivery: .verbatim)
        }
        let error = await #expect(throws: HTTPError.self) { try await client.send(Request(server.url("/"))) }
        #expect(error?.kind == .contentCoding && error?.message.contains("gzip") == true)
    }

    @Test("A body of no bytes is empty")
    func empty() async throws { #expect(try await send([], ["gzip"]) == []) }
}
