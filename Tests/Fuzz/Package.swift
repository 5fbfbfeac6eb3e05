// swift-tools-version: 6.3
// The parsers of foreign bytes, built for libFuzzer; see Scripts/fuzz.
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
]

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/\(name)", swiftSettings: settings)
}

let package = Package(
    name: "fuzz",
    targets: [
        .systemLibrary(name: "CPlatform", path: "Sources/CPlatform"),
        .systemLibrary(name: "CSQLite", path: "Sources/CSQLite", pkgConfig: "sqlite3"),
        .systemLibrary(name: "CYAML", path: "Sources/CYAML", pkgConfig: "yaml-0.1"),
        .target(name: "CCurl", dependencies: ["CLibraryLoader"], path: "Sources/CCurl"),
        .target(name: "CCrypto", dependencies: ["CLibraryLoader"], path: "Sources/CCrypto"),
        .target(name: "CContentCoding", dependencies: ["CLibraryLoader"], path: "Sources/CContentCoding"),
        .target(name: "CExpat", dependencies: ["CLibraryLoader"], path: "Sources/CExpat"),
        .target(name: "CPCRE2", dependencies: ["CLibraryLoader"], path: "Sources/CPCRE2"),
        .target(name: "CMicroHTTPD", dependencies: ["CLibraryLoader"], path: "Sources/CMicroHTTPD"),
        .target(name: "CLibraryLoader", path: "Sources/CLibraryLoader"),
        .target(name: "CPageDecoder", path: "Sources/CPageDecoder", linkerSettings: [.linkedLibrary("simdjson")]),
        module("Platform", ["CPlatform"]), module("Concurrency", ["Platform"]), module("Text"),
        module("Time", ["Platform", "Text"]), module("JSON", ["Text"]),
        module("Pagination", ["JSON", "Text", "Time"]), module("YAML", ["CYAML"]),
        module("XML", ["CExpat", "Concurrency", "Text"]), module("Patterns", ["CPCRE2"]),
        .target(
            name: "Feeds",
            dependencies: ["Concurrency", "JSON", "Pagination", "Patterns", "Platform", "Text", "Time", "YAML"],
            path: "Sources/Feeds", resources: [.embedInCode("Presets")], swiftSettings: settings,
            plugins: ["PresetList"]),
        .plugin(name: "PresetList", capability: .buildTool(), path: "Plugins/PresetList"),
        module("HTTP", ["CContentCoding", "CCurl", "Concurrency", "Platform", "Text", "Time"]),
        module("ResponseBody", ["CPageDecoder", "Feeds", "HTTP"]),
        module(
            "BodyFormats", ["Concurrency", "Feeds", "HTTP", "JSON", "Platform", "ResponseBody", "Text", "Time", "XML"]),
        module("SchemaMigration", ["Text"]),
        module("SQLite", ["CSQLite", "Concurrency", "Platform", "SchemaMigration", "Text"]),
        module("Crawling", ["Feeds"]),
        .target(
            name: "Migrations", dependencies: ["SchemaMigration"], path: "Migrations",
            resources: [.embedInCode("sql"), .embedInCode("postgresql")], swiftSettings: settings),
        module(
            "StoreFile", ["Concurrency", "Crawling", "Migrations", "Platform", "SQLite", "SchemaMigration", "Text"]),
        module(
            "FeedTables",
            [
                "CPageDecoder", "Concurrency", "Crawling", "HTTP", "Patterns", "ResponseBody", "SQLite", "StoreFile",
                "Text",
            ]),
        module("MirrorWriter", ["Concurrency", "Crawling", "FeedTables", "HTTP", "SQLite", "StoreFile", "Text"]),
        module("MirrorReader", ["Concurrency", "Crawling", "FeedTables", "SQLite", "StoreFile", "Text"]),
        module(
            "Upstream",
            [
                "BodyFormats", "CCrypto", "Concurrency", "Crawling", "HTTP", "Platform", "ResponseBody", "Text", "XML",
            ]),
        module(
            "FeedSync",
            [
                "BodyFormats", "Concurrency", "Crawling", "FeedTables", "HTTP", "MirrorReader", "MirrorWriter",
                "Platform", "ResponseBody", "StoreFile", "Text", "Upstream",
            ]),
        module("HTTPServer", ["CMicroHTTPD", "Concurrency", "Platform", "Text", "Time"]),
        module("Reports", ["FeedSync", "Time"]),
        module("DemoFeed", ["HTTPServer", "Concurrency", "JSON", "Platform", "Text", "Time"]),
        module("Editing", ["Concurrency", "FeedSync", "HTTP", "Reports"]),
        .target(
            name: "Web",
            dependencies: [
                "Editing", "Concurrency", "DemoFeed", "FeedSync", "HTTP", "HTTPServer", "JSON", "Platform", "Reports",
                "Text", "Time", "XML",
            ],
            path: "Sources/Web", resources: [.embedInCode("Assets")], swiftSettings: settings),
        .executableTarget(
            name: "Parsers",
            dependencies: [
                "BodyFormats", "Crawling", "FeedSync", "FeedTables", "Feeds", "HTTP", "HTTPServer", "JSON",
                "MirrorWriter", "Pagination", "Platform", "ResponseBody", "SQLite", "StoreFile", "Text", "Time", "Web",
            ],
            path: "Parsers", swiftSettings: settings + [.unsafeFlags(["-parse-as-library"])]),
    ],
    cxxLanguageStandard: .cxx17
)
