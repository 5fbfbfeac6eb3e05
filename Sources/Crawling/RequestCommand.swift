/// A command to a feed's engine.
public enum RequestCommand: Sendable, Hashable {
    /// Request the first page; the feed starts again from it.
    case reload
    /// Request the page cursor; on a feed that was never loaded, the first page.
    case nextPage
    /// Repeat `nextPage` this many times, as long as there are pages.
    case nextPages(Int)
    /// Repeat `nextPage` up to the end.
    case allPages
    /// Bring everything up to date, as the definition's `sync` says.
    case sync

    /// The maximum number of pages that it requests; nil without a limit.
    var limit: Int? {
        switch self {
        case .reload, .nextPage: 1
        case .nextPages(let count): max(1, count)
        case .allPages, .sync: nil
        }
    }

    /// The name in `run.command`.
    package var name: String {
        switch self {
        case .reload: "reload"
        case .nextPage, .nextPages, .allPages: "more"
        case .sync: "sync"
        }
    }
}
