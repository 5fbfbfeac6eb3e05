import Foundation
import HTTP
import HTTPServer
import Platform
import ScriptedServer
import TemporaryFolder
import Testing

/// A client for one test.
func makeClient(maximumPerHost: Int = 1, caFile: String? = nil) -> Client {
    Client(userAgent: "http-tests/1", maximumPerHost: maximumPerHost, caFile: caFile)
}

extension Client {
    /// The error of a request that must fail.
    func failure(_ request: Request) async throws -> HTTPError {
        try await #require(throws: HTTPError.self) { try await send(request) }
    }
}

extension ScriptedServer {
    /// The URL of a path on this server.
    func url(_ path: String) throws -> WebURL { try WebURL(url + path) }
}

/// Runs a program, and ignores its output.
///
/// Foundation's `Process` waits until every process with its descriptors has ended, which a daemon never does.
func run(_ program: String, _ arguments: String...) throws {
    var actions = emptySpawnActions()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
        posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    // A daemon that inherits the socket of another test's server would keep its port open.
    for descriptor in STDERR_FILENO + 1..<256 { posix_spawn_file_actions_addclose(&actions, descriptor) }
    var words = ([program] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var child = pid_t()
    var status: Int32 = posix_spawn(&child, program, &actions, nil, &words, platform_environment())
    guard status == 0, waitpid(child, &status, 0) == child, status == 0 else {
        throw ProgramFailure(program: program, status: status)
    }
}

struct ProgramFailure: Error {
    let program: String
    let status: Int32
}

extension TemporaryFolder {
    func read(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: file(name)))) }

    func write(_ bytes: some Sequence<UInt8>, to name: String) throws {
        try Data(bytes).write(to: URL(filePath: file(name)))
    }
}
