import Feeds
import Platform
import PostgreSQLServer
import Testing

@testable import Fleet
@testable import PostgreSQL
@testable import PostgreSQLStore

@Suite("A connection to PostgreSQL")
struct ConnectionTests {
    @Test(
        "The name of a connection to PostgreSQL has no password",
        arguments: [
            ("postgres://me:s3cret@h/db", "postgres://me:***@h/db"),
            ("postgres://me:s@3/cret@h/db?host=a@b", "postgres://me:***@h/db?host=a@b"),
            (
                "postgres://me@h:5432/db?password=s3cret&sslpassword=other&x=1",
                "postgres://me@h:5432/db?password=***&sslpassword=***&x=1"
            ),
            ("postgres://me:s3c?ret@h/db?host=/run", "postgres://me:***@h/db?host=/run"),
            ("postgres://me:s3cret@[::1/db", "postgres://me:***@[::1/db"),
            ("postgres://h/db?PASSWORD=s3cret", "postgres://h/db?PASSWORD=***"),
            ("postgres://h/db?pass%77ord=s3cret&passfile=/f", "postgres://h/db?pass%77ord=***&passfile=/f"),
            ("postgres:///db?host=/run/a@b&user=me", "postgres:///db?host=/run/a@b&user=me"), ("feeds.db", "feeds.db"),
        ])
    func masked(uri: String, shown: String) { #expect(StoreAddress.masked(uri) == shown) }

    @Test(
        "A password that libpq would read otherwise is refused, and not repeated",
        arguments: ["my%secret", "my@secret", "my/secret", "my:secret", "secret%4", "secret%", "sec#ret"])
    func unreadable(password: String) {
        for uri in ["postgres://me:\(password)@127.0.0.1:9/db", "postgres://127.0.0.1:9/db?password=\(password)"] {
            let error = #expect(throws: PostgreSQLError.self) { try PostgreSQL.Connection(uri: uri) }
            #expect(error?.message.contains("write @ as %40") == true)
            #expect(error?.message.contains("ecret") == false)
        }
    }

    @Test("An error of libpq that repeats the URI has no password")
    func repeated() {
        let error = #expect(throws: PostgreSQLError.self) {
            try PostgreSQL.Connection(uri: "postgres://me:s3cret@[::1/db")
        }
        #expect(error?.message.contains("me:***@[::1/db") == true, "\(error?.message ?? "")")
    }

    @Test(
        "A password is read with its characters percent-encoded as in a URI",
        arguments: ["my%25secret%40", "plain", ""])
    func readable(password: String) {
        let error = #expect(throws: PostgreSQLError.self) {
            try PostgreSQL.Connection(uri: "postgres://me:\(password)@127.0.0.1:9/db")
        }
        #expect(error?.message.contains("Connection refused") == true)
    }

    @Test("A connection does not depend on the settings of its database")
    func settings() throws {
        let uri = try PostgreSQLServer.database()
        let name = try #require(try PostgreSQL.Connection(uri: uri).scalar("SELECT current_database()"))
        try PostgreSQL.Connection(uri: uri).execute(
            """
            ALTER DATABASE "\(name)" SET default_transaction_isolation = 'serializable';
            ALTER DATABASE "\(name)" SET array_nulls = off; ALTER DATABASE "\(name)" SET quote_all_identifiers = on
            """)
        let connection = try PostgreSQL.Connection(uri: uri)
        #expect(try connection.scalar("SHOW transaction_isolation") == "read committed")
        #expect(try connection.scalar("SELECT (CAST('{NULL}' AS text[]))[1] IS NULL") == "t")
        #expect(try connection.scalar("SELECT format_type('timestamptz'::regtype, NULL)") == "timestamp with time zone")
    }

    @Test("The error for a missing database has the command that creates one")
    func missing() throws {
        let uri = try PostgreSQLServer.database()
        let other = uri.replacing(#/(postgres(?:ql)?:\/\/[^\/]*\/)[^?]*/#) { "\($0.1)nowhere" }
        let error = try #require(#expect(throws: PostgreSQLError.self) { try PostgreSQL.Connection(uri: other) })
        #expect(
            FeedSyncError(copying: error, path: "").advice
                == "make the database first: createdb NAME, or CREATE DATABASE")
    }

    @Test(
        "The error for a refused statement has advice",
        arguments: [
            ("25006", "takes no writes"), ("42501", "see Rights"), ("28P01", "the password"),
            ("2BP01", "change what refuses it"), ("53200", "max_locks_per_transaction"),
        ])
    func advice(code: String, advice: String) {
        let error = FeedSyncError(copying: PostgreSQLError("no", code: code, sql: "SELECT"), path: "")
        #expect(error.advice?.contains(advice) == true, "\(error.advice ?? "")")
    }

    @Test("The numbers of blocks end before the largest row id")
    func numbers() throws {
        let connection = try PostgreSQL.Connection(uri: PostgreSQLServer.database())
        try StoreDatabase(connection: connection).migrate(now: "2026-11-21T02:20:11.123Z")
        _ = try NumberBlock(of: connection)
        try connection.execute("SELECT setval('_number_block', 1::bigint << 40)")
        #expect(throws: CopyProblem.self) { try NumberBlock(of: connection) }
    }

    @Test("An encrypted connection is made as the URI says, or refused with the reason and advice")
    func encryption() throws {
        let port = try Self.freePort()
        let root = "\(try PostgreSQLServer.withTLS(port: port))/root.pem"
        let uri = { (host: String, options: String) in "postgres://feedsync@\(host):\(port)/postgres?\(options)" }
        for (options, isEncrypted) in [
            ("sslmode=verify-full&sslrootcert=\(root)", "t"), ("sslmode=require", "t"), ("sslmode=disable", "f"),
        ] {
            let connection = try PostgreSQL.Connection(uri: uri("localhost", options))
            let ssl = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
            #expect(try connection.scalar(ssl) == isEncrypted, "\(options)")
        }
        for (host, options, words) in [
            ("127.0.0.1", "sslmode=verify-full&sslrootcert=\(root)", "does not match host name"),
            ("localhost", "sslmode=verify-full&sslrootcert=/nowhere/root.pem", "/nowhere/root.pem"),
        ] {
            let error = #expect(throws: PostgreSQLError.self) { try PostgreSQL.Connection(uri: uri(host, options)) }
            let shown = FeedSyncError(copying: try #require(error), path: "x")
            #expect(shown.message.contains(words) && shown.advice?.contains("sslrootcert") == true, "\(shown)")
        }
    }

    private static func freePort() throws -> UInt16 {
        let listener = platform_socket(AF_INET, platform_stream, 0, 1)
        defer { close(listener) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        try #require(isBound)
        return UInt16(bigEndian: address.sin_port)
    }
}

extension StoreAddress {
    fileprivate static func masked(_ text: String) -> String { StoreAddress(text).shown }
}
