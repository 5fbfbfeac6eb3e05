import Concurrency
import Foundation
import ScriptedServer
import Testing

/// Commands whose store is behind PgBouncer.
@Suite(.timeLimit(.minutes(5))) struct PoolerTests {
    /// A PgBouncer in a folder of its own, until it is released.
    private final class Pooler {
        let folder = "/tmp/feedsync-pooler-\(UUID().uuidString)"
        /// The pooler ends with its input.
        private let input: Int32

        /// - Parameter server: The URI of a database, which names the folder of its socket.
        init(mode: String, for server: String) async throws {
            let host = try #require(server.split(separator: "host=").last)
            let script = """
                mkdir -p \(folder)
                cat >\(folder)/pgbouncer.ini <<END
                [databases]
                * = host=\(host) user=feedsync
                [pgbouncer]
                listen_addr =
                listen_port = 6432
                unix_socket_dir = \(folder)
                auth_type = any
                pool_mode = \(mode)
                END
                if [ $(id -u) = 0 ]; then
                    chown -R postgres \(folder)
                    as="setpriv --reuid=postgres --regid=postgres --clear-groups"
                fi
                $as pgbouncer --quiet \(folder)/pgbouncer.ini </dev/null >/dev/null 2>&1 &
                cat >/dev/null
                kill $!
                rm -rf \(folder)
                """
            let pipe = try Pipe.open()
            input = pipe.write
            let environment = ["PATH": "/usr/sbin:/usr/bin:/bin"]
            _ = try ChildProcess.start(["/bin/bash", "-c", script], environment: environment, input: pipe.read)
            close(pipe.read)
            let deadline = ContinuousClock.now + .seconds(30)
            while !FileManager.default.fileExists(atPath: "\(folder)/.s.PGSQL.6432"), .now < deadline {
                try await Task.sleep(for: .milliseconds(20))
            }
        }

        deinit { close(input) }
    }

    /// A configuration whose store is behind a pooler.
    private func pooled(_ bench: WorkBench, _ mode: String) async throws -> Pooler {
        let pooler = try await Pooler(mode: mode, for: bench.uri)
        let start = try #require(bench.uri.split(separator: "host=").first)
        let text = try bench.place.text(of: "feedsync.yaml")
        try bench.place.write(
            "feedsync.yaml", text.replacing(bench.uri, with: "\(start)host=\(pooler.folder)&port=6432"))
        return pooler
    }

    @Test("A pooler with a session for each client is used as the server itself")
    func session() async throws {
        let bench = try WorkBench(hosts: 2, feeds: 1)
        let pooler = try await pooled(bench, "session")
        let run = try await bench.place.run("sync")
        #expect(run.code == 0, "\(run.errors)")
        let worker = try await bench.beginWorker()
        try await bench.end([worker])
        try await bench.expectTrue()
        withExtendedLifetime(pooler) {}
    }

    @Test("A pooler with a session for each transaction is refused with the reason, and nothing stays behind it")
    func transaction() async throws {
        let bench = try WorkBench(hosts: 1, feeds: 1)
        let pooler = try await pooled(bench, "transaction")
        for command in [
            "sync", "status", "work",
            "store copy \(bench.uri.split(separator: "host=")[0])host=\(pooler.folder)&port=6432 x.db",
        ] {
            let run = try await bench.place.run(command)
            #expect(run.code == 73, "\(command): \(run.output) \(run.errors)")
            #expect(run.errors.contains("a pooler that gives each transaction another session"), "\(run.errors)")
            #expect(run.errors.contains("(PgBouncer: pool_mode = session)"), "\(run.errors)")
        }
        // Other tests have databases of the same server.
        let locks =
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
        #expect(try bench.query(locks) == ["0"])
        #expect(try bench.query("SELECT count(*) FROM pg_class WHERE relname = 'feed'") == ["0"])
        withExtendedLifetime(pooler) {}
    }
}
