internal import FeedSync
internal import Reports

/// The links between the pages of a feed.
enum FeedTabs {
    enum Page: String, CaseIterable {
        case list, table, changes, settings

        var title: String {
            switch self {
            case .list: "List"
            case .table: "Table"
            case .changes: "Changes"
            case .settings: "Settings"
            }
        }
    }

    static func write(_ feed: KnownFeed, here: Page, to html: inout HTMLWriter) {
        html.element("nav", .class("tabs"), .plain(.ariaLabel, "Pages of this feed")) { html in
            for page in Page.allCases {
                // The changes and the settings of a list are those of the feed that has it.
                let name =
                    [.changes, .settings].contains(page) ? FeedPart.feed(ofPart: feed.name) ?? feed.name : feed.name
                let link = Link.own(page.rawValue, name)
                if page == here {
                    html.element("a", .href(link), .plain(.ariaCurrent, "page"), text: page.title)
                } else {
                    html.element("a", .href(link), text: page.title)
                }
            }
        }
    }
}
