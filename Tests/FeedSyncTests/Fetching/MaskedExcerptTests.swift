import HTTPServer
import ScriptedServer
import Testing

@testable import FeedSync

@Suite("The excerpt of a page") struct MaskedExcerptTests {
    private static let secret = "abcd,fghijklmnopqrst"

    /// The output and the traces of a reload with the secret, for an upstream that answers `body`.
    private func traces(
        of body: String, secret: String = Self.secret, paging: String = EngineBench.paging
    ) async throws -> String {
        let bench = try await EngineBench(members: "auth: {bearer: '\(secret)'}", paging: paging)
        bench.server.route("/things") { _ in .json(body) }
        let told: String
        do throws(FeedSyncError) {
            told = "\(try await bench.engine.perform(.reload).notices)"
        } catch {
            told = "\(error) \(error.json) \(error.advice ?? "")"
        }
        return told + (try bench.query("SELECT error FROM run")).joined()
            + (try bench.query("SELECT error FROM event")).joined()
    }

    @Test(
        "An excerpt holds no part of a secret that its edges cut",
        arguments: [
            "nonsense: your key is \(secret), go away", "\(String(repeating: "x", count: 39))\(secret)",
            "{\"items\":[abcd,\(secret)]}", "{\"items\":[1] } and your key is, to be sure, \(secret)",
            "{\"your key is, to be very sure\":\"\(secret)\"}",
        ])
    func brokenPage(body: String) async throws {
        let traces = try await traces(of: body)
        #expect(!traces.contains("fgh") && !traces.contains("abcd,f") && !traces.contains("qrst"), "\(traces)")
    }

    @Test("An excerpt holds no tail of a secret in the middle of which it begins")
    func tail() async throws {
        // The JSON breaks within the secret, at its `f`.
        let traces = try await traces(of: #"{"items":[{"id":[12,fghijklmnopqrst]}]}"#, secret: "12,fghijklmnopqrst")
        #expect(traces.contains("***") && !traces.contains("fgh") && !traces.contains("qrst"), "\(traces)")
    }

    static let long = "\(String(repeating: "x", count: 30))\(secret)"

    @Test(
        "An excerpt in a message about paging holds no part of a secret either",
        arguments: [
            (EngineBench.paging, #"{"items":[{"id":1}],"total_count":"\#(long)"}"#),
            ("pagination: {style: next_url, next: next}", #"{"items":[{"id":1}],"next":["\#(long)"]}"#),
            ("pagination: {style: cursor, next: next}", #"{"items":[{"id":1}],"next":"\#(long)"}"#),
            ("pagination: {style: cursor, next: next}", #"{"items":[{"id":1}],"next":["\#(long)"]}"#),
        ])
    func paging(paging: String, body: String) async throws {
        let traces = try await traces(of: body, paging: paging)
        #expect(traces.contains("xxx"), "\(traces)")
        #expect(!traces.contains("abcd"), "\(traces)")
    }

    @Test(
        "An excerpt of a page in HTML names the format, wherever it begins",
        arguments: ["<html>", "\u{FEFF}<html>", " \n <html>"])
    func html(body: String) async throws {
        let traces = try await traces(of: body)
        #expect(traces.contains("expected JSON, but got HTML") && traces.contains("login"), "\(traces)")
    }
}
