internal import Concurrency
internal import Foundation
internal import PostgreSQL

/// A PostgreSQL for the tests of this process, on a socket in a folder of its own. It ends with the process.
package enum PostgreSQLServer {
    private static let started = start()

    /// One more server, which listens to localhost at a port with TLS.
    ///
    /// - Returns: Its folder, where `root.pem` is the certificate that clients trust.
    package static func withTLS(port: UInt16) throws -> String {
        try start("-tls", ["--tls", "\(port)"]).get()
    }

    private static func start(_ suffix: String = "", _ words: [String] = []) -> Result<String, ServerFailure> {
        let folder = "/tmp/feedsync-postgresql-\(getpid())\(suffix)"
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "server").path
        do throws(ChildProcess.Failure) {
            // It runs until its input ends, which it does with this process, however that ends.
            let input = try Pipe.open()
            let output = try Pipe.open()
            _ = try ChildProcess.start(
                ["/bin/bash", script, folder] + words, environment: ProcessInfo.processInfo.environment,
                input: input.read,
                output: output.write, leadsGroup: true)
            close(input.read)
            close(output.write)
            var byte: UInt8 = 0
            var said = ""
            while read(output.read, &byte, 1) == 1, byte != UInt8(ascii: "\n") {
                said.append(Character(Unicode.Scalar(byte)))
            }
            return said == "ready" ? .success(folder) : .failure(ServerFailure())
        } catch {
            return .failure(ServerFailure())
        }
    }

    /// PostgreSQL does not run; the reason is on stderr.
    package struct ServerFailure: Error {}

    /// The URI of a new, empty database.
    ///
    /// - Parameter options: For CREATE DATABASE.
    package static func database(_ options: String = "") throws -> String {
        let name = "db_" + UUID().uuidString.lowercased().filter { $0 != "-" }
        try Connection(uri: uri(of: "postgres")).execute("CREATE DATABASE \(name) \(options)")
        return try uri(of: name)
    }

    /// The URI of a database by its name.
    package static func uri(of database: String) throws -> String {
        "postgres://feedsync@/\(database)?host=\(try started.get())"
    }
}
