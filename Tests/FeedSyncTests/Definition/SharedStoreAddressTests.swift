import Testing

@testable import FeedSync

@Suite("The store in PostgreSQL that a configuration names")
struct SharedStoreAddressTests {
    private func resolved(_ store: String, _ environment: [String: String]) throws -> String? {
        var configuration = try Configuration.parse(Array("store: '\(store)'\nfeeds: {}".utf8), file: "f.yaml")
        try configuration.resolveStore(environment: environment)
        return configuration.sharedStore
    }

    @Test("The store's URI takes values from the environment, percent-encoded as in a URI")
    func values() throws {
        #expect(
            try resolved("postgres://me:${PW}@h/db?application_name=${NAME}", ["PW": "a@b/c%é", "NAME": "x y"])
                == "postgres://me:a%40b%2Fc%25%C3%A9@h/db?application_name=x%20y")
        #expect(try resolved("postgres://me@h/db", [:]) == "postgres://me@h/db")
    }

    @Test("The store's URI may be a single value, which stays as it is")
    func whole() throws {
        #expect(
            try resolved("${DATABASE_URL}", ["DATABASE_URL": "postgresql://me:a%40b@h/db"])
                == "postgresql://me:a%40b@h/db")
    }

    @Test("A missing value or an invalid URI of the store is reported with its place in the file")
    func wrong() {
        for (store, environment, message) in [
            ("postgres://me:${PW}@h/db", [:], "f.yaml:1:8: the environment variable `PW` is not set"),
            (
                "${DATABASE_URL}", ["DATABASE_URL": "feeds.db"],
                "f.yaml:1:8: the value of `store` must be a URI that begins with postgres://"
            ),
        ] as [(String, [String: String], String)] {
            let error = #expect(throws: ConfigurationError.self) { try resolved(store, environment) }
            #expect(error.map { "\($0)" }?.contains(message) == true, "\(error.map { "\($0)" } ?? "")")
        }
    }

    @Test("A store that is a path is a file")
    func file() throws { #expect(try resolved("feeds.db", [:]) == nil) }
}
