internal import FeedSync
internal import Reports

/// The links between the pages of a feed.
enum FeedTabs {
    enum Page: String, CaseIterable {
        case list, table, changes, settings

        var title: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
    }

    static func write(_ feed: KnownFeed, here: Page, to html: inout HTMLWriter) {
        html.element("nav", .class("tabs"), .plain(.ariaLabel, "Pages of this feed")) { html in
            for page in Page.allCases {
                // The changes and the settings of a list are those of the feed that has it.
                let name =
                    [.changes, .settings].contains(page) ? FeedPart.feed(ofPart: feed.name) ?? feed.name : feed.name
                html.element(
                    "a", .href(.own(page.rawValue, name)), .plain(.ariaCurrent, page == here ? "page" : nil),
                    text: page.title)
            }
        }
    }
}
