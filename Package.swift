// swift-tools-version: 6.3
import PackageDescription

let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

/// glibc checks the bounds of copies where the compiler knows them: https://man7.org/linux/man-pages/man7/feature_test_macros.7.html
let checked: [CSetting] = [.define("_FORTIFY_SOURCE", to: "2", .when(configuration: .release))]
let checkedPlusPlus: [CXXSetting] = [.define("_FORTIFY_SOURCE", to: "2", .when(configuration: .release))]

let package = Package(
    name: "feedsync",
    // For what the library needs of Swift's concurrency: TaskExecutor, and AsyncSequence with the type of its failure.
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "feedsync", targets: ["Command"]),
        .library(name: "FeedSync", targets: ["FeedSync"]),
        .library(name: "FeedSyncTesting", targets: ["FeedSyncTesting"]),
    ],
    targets: [
        .systemLibrary(name: "CPlatform"),
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),
        .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]),
        // Opened when they are needed, not at every start.
        .target(name: "CCurl", dependencies: ["CLibraryLoader"], cSettings: checked),
        .target(name: "CCrypto", dependencies: ["CLibraryLoader"], cSettings: checked),
        .target(name: "CContentCoding", dependencies: ["CLibraryLoader"], cSettings: checked),
        .target(name: "CExpat", dependencies: ["CLibraryLoader"], cSettings: checked),
        .target(name: "CPCRE2", dependencies: ["CLibraryLoader"], cSettings: checked),
        .target(name: "CMicroHTTPD", dependencies: ["CLibraryLoader"], cSettings: checked),
        .target(name: "CPostgreSQL", dependencies: ["CLibraryLoader"], cSettings: checked),
        .target(name: "CLibraryLoader", cSettings: checked),
        .target(name: "CPageDecoder", cxxSettings: checkedPlusPlus, linkerSettings: [.linkedLibrary("simdjson")]),

        // The ground floor: each depends on nothing but what is named here, and on no library.
        // The system's C library, whichever it is.
        .target(name: "Platform", dependencies: ["CPlatform"], swiftSettings: settings),
        .target(name: "Concurrency", dependencies: ["Platform"], swiftSettings: settings),
        // ASCII, percent and form coding, hashes, excerpts; which names and values are secret, and their masks.
        .target(name: "Text", swiftSettings: settings),
        // The calendar, moments, durations and the clock of the day.
        .target(name: "Time", dependencies: ["Platform", "Text"], swiftSettings: settings),
        // One JSON value, its parser and its writer.
        .target(name: "JSON", dependencies: ["Text"], swiftSettings: settings),

        // Regular expressions, within limits.
        .target(name: "Patterns", dependencies: ["CPCRE2"], swiftSettings: settings),

        // Where a page leads, from what came with it: pure, without HTTP, YAML and SQLite.
        .target(name: "Pagination", dependencies: ["JSON", "Text", "Time"], swiftSettings: settings),

        // What the user wrote: definitions, templates, configuration, presets. Pure, without HTTP and SQLite.
        .target(
            name: "Feeds",
            dependencies: ["Concurrency", "JSON", "Pagination", "Patterns", "Platform", "Text", "Time", "YAML"],
            resources: [.embedInCode("Presets")], swiftSettings: settings, plugins: ["PresetList"]),
        .plugin(name: "PresetList", capability: .buildTool()),

        // One crawl as a value, its ranges, proofs and ends; which command wins; when a feed is due. Pure.
        .target(name: "Crawling", dependencies: ["Feeds"], swiftSettings: settings),

        // One numbered step of a schema, and which of them a store lacks. Pure.
        .target(name: "SchemaMigration", dependencies: ["Text"], swiftSettings: settings),
        .target(
            name: "SQLite", dependencies: ["CSQLite", "Concurrency", "Platform", "SchemaMigration", "Text"],
            swiftSettings: settings),
        .target(
            name: "PostgreSQL", dependencies: ["CPostgreSQL", "Concurrency", "Platform", "SchemaMigration", "Text"],
            swiftSettings: settings),
        .target(
            name: "HTTP", dependencies: ["CContentCoding", "CCurl", "Concurrency", "Platform", "Text", "Time"],
            swiftSettings: settings),
        .target(name: "XML", dependencies: ["CExpat", "Concurrency", "Text"], swiftSettings: settings),
        .target(name: "YAML", dependencies: ["CYAML"], swiftSettings: settings),
        .target(
            name: "Migrations", dependencies: ["SchemaMigration"], path: "Migrations",
            resources: [.embedInCode("sql"), .embedInCode("postgresql")],
            swiftSettings: settings),
        // What stands in a response's body, whatever the feed: one value, the whole as JSON, what it is if not JSON.
        .target(name: "ResponseBody", dependencies: ["CPageDecoder", "Feeds", "HTTP"], swiftSettings: settings),
        // Bodies that are not JSON, written as JSON.
        .target(
            name: "BodyFormats",
            dependencies: ["Concurrency", "Feeds", "HTTP", "JSON", "Platform", "ResponseBody", "Text", "Time", "XML"],
            swiftSettings: settings,
            // Elsewhere it belongs to the C library.
            linkerSettings: [.linkedLibrary("iconv", .when(platforms: [.macOS]))]),
        // Requests, credentials, fetching, and what is discovered from the first pages. Knows no store.
        .target(
            name: "Upstream",
            dependencies: [
                "BodyFormats", "CCrypto", "Concurrency", "Crawling", "HTTP", "Platform", "ResponseBody", "Text", "XML",
            ],
            swiftSettings: settings),
        // A store's file in SQLite: open, lock, migrate, commit, copy.
        .target(
            name: "StoreFile",
            dependencies: ["Concurrency", "Crawling", "Migrations", "Platform", "SQLite", "SchemaMigration", "Text"],
            swiftSettings: settings),
        // Feeds' tables: a page's items are decoded beside the table that they are written to.
        .target(
            name: "FeedTables",
            dependencies: [
                "CPageDecoder", "Concurrency", "Crawling", "HTTP", "Patterns", "ResponseBody", "SQLite", "StoreFile",
                "Text",
            ],
            swiftSettings: settings),
        // What a run writes: pages, crawls, lists for each row of another feed, schedules and quotas. Sends nothing.
        .target(
            name: "MirrorWriter",
            dependencies: ["Concurrency", "Crawling", "FeedTables", "HTTP", "SQLite", "StoreFile", "Text"],
            swiftSettings: settings),
        // What commands, pages and apps read of a store: rows, records, changes, search.
        .target(
            name: "MirrorReader",
            dependencies: ["Concurrency", "Crawling", "FeedTables", "SQLite", "StoreFile", "Text"],
            swiftSettings: settings),
        // The public face: the engine that fetches and stores, one command at a time, and what can be observed of it.
        .target(
            name: "FeedSync",
            dependencies: [
                "BodyFormats", "Concurrency", "Crawling", "FeedTables", "HTTP", "MirrorReader", "MirrorWriter",
                "Platform", "ResponseBody", "StoreFile", "Text", "Upstream",
            ],
            swiftSettings: settings),

        // A store in PostgreSQL: what a value becomes there, its tables and views, copies from SQLite and back.
        .target(
            name: "PostgreSQLStore",
            dependencies: [
                "Concurrency", "FeedTables", "Feeds", "JSON", "Migrations", "MirrorReader", "MirrorWriter", "Platform",
                "PostgreSQL", "SQLite", "SchemaMigration", "StoreFile", "Text", "Time",
            ],
            swiftSettings: settings),
        // Workers that share a store in PostgreSQL, claim by claim, and those who follow it.
        .target(
            name: "Fleet",
            dependencies: [
                "Concurrency", "Crawling", "FeedTables", "Feeds", "JSON", "MirrorReader", "MirrorWriter", "Platform",
                "PostgreSQL", "PostgreSQLStore", "SQLite", "StoreFile", "Text", "Time",
            ],
            swiftSettings: settings),
        .target(
            name: "HTTPServer", dependencies: ["CMicroHTTPD", "Concurrency", "Platform", "Text", "Time"],
            swiftSettings: settings),
        // What people and programs are told of feeds: states with reasons, times and numbers in words, the results' schema.
        .target(name: "Reports", dependencies: ["FeedSync", "Time"], swiftSettings: settings),
        // Feeds that are added, renamed, edited, paused and removed: the rules, a look at an upstream, and the file's lines.
        .target(
            name: "Editing", dependencies: ["Concurrency", "FeedSync", "HTTP", "Reports"], swiftSettings: settings),
        // Feeds that are defined already: the streams of a low-code connector, the lists of an OpenAPI document.
        .target(
            name: "Connectors",
            dependencies: ["BodyFormats", "Concurrency", "Feeds", "HTTP", "Platform", "Upstream", "YAML"],
            swiftSettings: settings),
        // The pages and the API of `feedsync serve`, over a store and its engines.
        .target(
            name: "Web",
            dependencies: [
                "Editing", "Concurrency", "DemoFeed", "FeedSync", "HTTP", "HTTPServer", "JSON", "Platform", "Reports",
                "Text", "Time", "XML",
            ],
            resources: [.embedInCode("Assets")], swiftSettings: settings),
        .target(
            name: "DemoFeed", dependencies: ["HTTPServer", "Concurrency", "JSON", "Platform", "Text", "Time"],
            swiftSettings: settings),
        .executableTarget(
            name: "Command",
            dependencies: [
                "Editing", "BodyFormats", "Connectors", "DemoFeed", "FeedSync", "HTTP", "HTTPServer",
                "JSON", "Concurrency", "CLibraryLoader", "Fleet", "Platform", "PostgreSQL", "PostgreSQLStore",
                "Reports", "Text", "Time", "Web", "XML",
            ],
            swiftSettings: settings),

        // For the tests and previews of apps: an upstream that is a function, a clock that is set, a mirror in memory.
        .target(
            name: "FeedSyncTesting",
            dependencies: ["Concurrency", "FeedSync", "HTTPServer", "Platform", "StoreFile", "Time", "Upstream"],
            swiftSettings: settings),

        // The samples of the library's pages: they see what a user of the library sees.
        .target(name: "Examples", dependencies: ["FeedSync"], path: "Examples", swiftSettings: settings),

        .target(name: "SeededGenerator", path: "Tests/SeededGenerator", swiftSettings: settings),
        .target(name: "TemporaryFolder", path: "Tests/TemporaryFolder", swiftSettings: settings),
        // Holds values against a JSON Schema.
        .target(
            name: "SchemaChecker", dependencies: ["JSON", "YAML"], path: "Tests/SchemaChecker", swiftSettings: settings),
        .target(
            name: "ScriptedServer", dependencies: ["HTTPServer", "Platform", "SeededGenerator", "Concurrency"],
            path: "Tests/ScriptedServer", swiftSettings: settings),
        // A PostgreSQL of the tests' own.
        .target(
            name: "PostgreSQLServer", dependencies: ["Concurrency", "PostgreSQL"], path: "Tests/PostgreSQLServer",
            exclude: ["server"], swiftSettings: settings),
        // An app with a hundred tasks on one mirror.
        .executableTarget(
            name: "ExampleApp", dependencies: ["FeedSync", "FeedSyncTesting"], path: "Tests/ExampleApp",
            swiftSettings: settings),
        // A fleet of workers on a simulated clock; Scripts/simulate runs it.
        .executableTarget(
            name: "Simulation",
            dependencies: [
                "Crawling", "Feeds", "Platform", "PostgreSQL", "SeededGenerator", "Fleet", "PostgreSQLStore", "Text",
                "Time",
            ],
            path: "Tests/Simulation", exclude: ["clock.c"], swiftSettings: settings),
        // What needs no socket, and links neither curl nor SQLite.
        .testTarget(
            name: "PureTests",
            dependencies: [
                "Concurrency", "Crawling", "Feeds", "JSON", "Pagination", "Patterns", "Platform", "SchemaChecker",
                "SeededGenerator", "TemporaryFolder", "Text", "Time", "YAML",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "CommandTests",
            dependencies: [
                "Command", "DemoFeed", "FeedSync", "HTTPServer", "JSON", "Platform", "PostgreSQL", "PostgreSQLServer",
                "Reports", "SQLite", "SchemaChecker", "ScriptedServer", "SeededGenerator", "Concurrency",
                "TemporaryFolder", "Text",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ExamplesTests",
            dependencies: [
                "DemoFeed", "Examples", "FeedSync", "FeedSyncTesting", "HTTPServer", "ScriptedServer",
                "TemporaryFolder",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SQLiteTests", dependencies: ["Concurrency", "SQLite", "SeededGenerator", "TemporaryFolder"],
            swiftSettings: settings),
        .testTarget(
            name: "HTTPTests",
            dependencies: [
                "HTTP", "HTTPServer", "Platform", "ScriptedServer", "SeededGenerator", "Concurrency", "TemporaryFolder",
                "Text", "Time",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "HTTPServerTests", dependencies: ["HTTPServer", "Platform", "ScriptedServer", "Concurrency"],
            swiftSettings: settings),
        .testTarget(
            name: "WebTests",
            dependencies: [
                "Editing", "Concurrency", "FeedSync", "HTTP", "HTTPServer", "JSON", "FeedTables", "MirrorReader",
                "MirrorWriter", "Reports", "StoreFile", "SQLite",
                "ScriptedServer", "TemporaryFolder",
                "Text", "Web",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SharedStoreTests",
            dependencies: [
                "Concurrency", "Feeds", "Migrations", "FeedTables", "MirrorReader", "MirrorWriter", "Platform",
                "StoreFile", "PostgreSQL", "PostgreSQLServer", "SQLite", "SchemaMigration", "SeededGenerator", "Fleet",
                "PostgreSQLStore", "TemporaryFolder",
            ], swiftSettings: settings),
        .testTarget(name: "ConnectorsTests", dependencies: ["Connectors", "Feeds"], swiftSettings: settings),
        .testTarget(name: "DemoFeedTests", dependencies: ["DemoFeed", "HTTPServer"], swiftSettings: settings),
        .testTarget(name: "MigrationsTests", dependencies: ["Migrations", "SQLite"], swiftSettings: settings),
        .testTarget(name: "YAMLTests", dependencies: ["SeededGenerator", "YAML"], swiftSettings: settings),
        .testTarget(
            name: "FeedSyncTests",
            dependencies: [
                "BodyFormats", "Concurrency", "Crawling", "DemoFeed", "Feeds", "FeedSync", "HTTP", "HTTPServer",
                "FeedTables", "MirrorReader", "MirrorWriter", "StoreFile", "PostgreSQL", "PostgreSQLServer",
                "Migrations", "ResponseBody",
                "SQLite", "SchemaMigration", "ScriptedServer", "SeededGenerator", "Fleet", "PostgreSQLStore",
                "TemporaryFolder", "Upstream", "Web",
            ],
            exclude: ["Presets/examples"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)

// SwiftPM compiles a target again if the module of a target that it names has changed. A module does not change with the
// layout of a type of another one that it contains, so each target names all targets below it.
let dependencies = Dictionary(
    uniqueKeysWithValues: package.targets.map { target in
        (target.name, target.dependencies.compactMap { if case .byNameItem(let name, _) = $0 { name } else { nil } })
    })

func below(_ names: [String]) -> Set<String> {
    names.reduce(into: []) { $0.formUnion(below(dependencies[$1] ?? []).union([$1])) }
}

for target in package.targets {
    let all = below(dependencies[target.name] ?? []).subtracting(dependencies[target.name] ?? [])
    target.dependencies += all.sorted().map { .byName(name: $0) }
}
