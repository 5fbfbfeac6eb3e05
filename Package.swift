// swift-tools-version: 6.3
import PackageDescription

let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

let package = Package(
    name: "feedsync",
    products: [
        .executable(name: "feedsync", targets: ["Command"]),
        .library(name: "FeedSync", targets: ["FeedSync"]),
    ],
    targets: [
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
        // Opened when they are needed, not at every start.
        .target(name: "CCurl", dependencies: ["CLibraryLoader"]),
        .target(name: "CMicroHTTPD", dependencies: ["CLibraryLoader"]),
        .target(name: "CLibraryLoader"),
        .target(name: "CPageDecoder", linkerSettings: [.linkedLibrary("simdjson")]),

        .target(name: "Concurrency", swiftSettings: settings),
        .target(name: "SQLite", dependencies: ["CSQLite"], swiftSettings: settings),
        .target(name: "HTTP", dependencies: ["CCurl", "Concurrency"], swiftSettings: settings),
        .target(name: "YAML", dependencies: ["CYAML"], swiftSettings: settings),
        .target(
            name: "Migrations", dependencies: ["SQLite"], path: "Migrations", resources: [.embedInCode("sql")],
            swiftSettings: settings),
        .target(
            name: "FeedSync", dependencies: ["CPageDecoder", "HTTP", "Migrations", "SQLite", "Concurrency", "YAML"],
            resources: [.embedInCode("Presets")], swiftSettings: settings, plugins: ["PresetList"]),
        .plugin(name: "PresetList", capability: .buildTool()),

        .target(name: "HTTPServer", dependencies: ["CMicroHTTPD", "Concurrency"], swiftSettings: settings),
        .target(name: "DemoFeed", dependencies: ["HTTPServer", "Concurrency"], swiftSettings: settings),
        .executableTarget(
            name: "Command", dependencies: ["DemoFeed", "FeedSync", "HTTP", "HTTPServer", "Concurrency"],
            swiftSettings: settings),

        .target(name: "SeededGenerator", path: "Tests/SeededGenerator", swiftSettings: settings),
        .target(
            name: "ScriptedServer", dependencies: ["HTTPServer", "SeededGenerator", "Concurrency"],
            path: "Tests/ScriptedServer", swiftSettings: settings),
        .testTarget(
            name: "CommandTests",
            dependencies: [
                "Command", "DemoFeed", "HTTPServer", "SQLite", "ScriptedServer", "SeededGenerator", "Concurrency",
            ],
            swiftSettings: settings),
        .testTarget(name: "SQLiteTests", dependencies: ["SQLite"], swiftSettings: settings),
        .testTarget(
            name: "HTTPTests",
            dependencies: ["HTTP", "HTTPServer", "ScriptedServer", "SeededGenerator", "Concurrency"],
            swiftSettings: settings),
        .testTarget(
            name: "HTTPServerTests", dependencies: ["HTTPServer", "ScriptedServer", "Concurrency"],
            swiftSettings: settings),
        .testTarget(name: "DemoFeedTests", dependencies: ["DemoFeed", "HTTPServer"], swiftSettings: settings),
        .testTarget(name: "MigrationsTests", dependencies: ["Migrations", "SQLite"], swiftSettings: settings),
        .testTarget(name: "YAMLTests", dependencies: ["SeededGenerator", "YAML"], swiftSettings: settings),
        .testTarget(
            name: "FeedSyncTests",
            dependencies: [
                "DemoFeed", "FeedSync", "HTTP", "HTTPServer", "SQLite", "ScriptedServer", "SeededGenerator",
                "Concurrency",
            ],
            exclude: ["Presets/examples"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6],
    cxxLanguageStandard: .cxx17
)
