package import FeedSync

/// The feeds of `feedsync demo`.
package enum DemoEntries {
    /// The demo's feeds, for a server at a URL.
    package static func all(url: String) -> [FeedEntry] {
        [
            FeedEntry(
                name: "repositories",
                members: [
                    .init("preset", .text("github.search")), .init("url", .text("\(url)/search/repositories")),
                    .init("section", .text("category")),
                ]),
            FeedEntry(
                name: "anchors",
                members: [.init("preset", .text("qf56.anchors")), .init("url", .text("\(url)/anchors"))]),
        ]
    }
}
