/// The refresh status of a feed, for its user interface and its event log.
///
/// A log always reads `{ header | footer }`, with `header = beginHeader endHeader [noMoreData]` and `footer =
/// beginFooter (endFooter | noMoreData)`: every begin is closed exactly once.
public enum RefreshStatus: String, Sendable, Hashable, CaseIterable {
    /// Nothing has happened yet, or the definition has changed since.
    case none
    /// The first page is being fetched.
    case beginHeader
    /// The first page is there, or failed.
    case endHeader
    /// The next page is being fetched.
    case beginFooter
    /// The next page is there and another follows it, or it failed.
    case endFooter
    /// The upstream has no further page.
    case noMoreData

    /// The status for an observer that has started nothing: runs of other processes, in progress or interrupted, are
    /// not its concern.
    package var settled: RefreshStatus {
        switch self {
        case .beginHeader: .endHeader
        case .beginFooter: .endFooter
        case .none, .endHeader, .endFooter, .noMoreData: self
        }
    }
}

/// The end of a feed for which a page is fetched.
package enum PageDirection: Sendable, Hashable {
    /// The first page.
    case header
    /// The page after the last one.
    case footer

    /// The status while the page is being fetched.
    package var begin: RefreshStatus { self == .header ? .beginHeader : .beginFooter }
    /// The status after it, if it failed or others follow.
    package var end: RefreshStatus { self == .header ? .endHeader : .endFooter }
}
