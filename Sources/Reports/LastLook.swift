package import FeedSync

/// The part of a complete list that was last examined, and the time, in one clause.
package struct LastLook: Sendable {
    private let record: FeedRecord
    /// The sync rule of the feed; nil if the configuration lacks the feed.
    private let rule: SyncRule?

    package init(_ record: FeedRecord, _ rule: SyncRule?) {
        self.record = record
        self.rule = rule
    }

    /// True if all of it was examined.
    package var isWhole: Bool {
        // The store writes times in one form, so that text compares as time.
        guard let fullAt = record.fullAtText else { return false }
        return max(record.syncedAtText ?? "", record.reloadedAtText ?? "") <= fullAt
    }

    /// Such as `head 2 min ago, all of it 6 h ago`; where the last look was at all of it, simply when.
    ///
    /// - Parameter ago: Puts a time of the store into words.
    package func text(_ ago: (String?) -> String) -> String? {
        if isWhole { return ago(record.fullAtText) }
        let head = record.reloadedAtText ?? record.syncedAtText
        guard let syncedAt = record.syncedAtText else { return head.map { "head \(ago($0))" } }
        let part = if rule?.asksForChanges == true { "changes \(ago(syncedAt))" } else { "head \(ago(head))" }
        return "\(part), all of it \(record.fullAtText.map(ago) ?? "never")"
    }
}
