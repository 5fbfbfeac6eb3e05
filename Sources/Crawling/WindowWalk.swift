/// A stretch of time that a sync asks for at once, in seconds since 1970.
package struct SyncWindow: Sendable, Hashable, CustomStringConvertible {
    package let from: Int64
    package let to: Int64
    /// True if it reaches to the moment at which it was chosen. One that a later run goes on with does not.
    package var isLast = false

    package init(from: Int64, to: Int64, isLast: Bool = false) {
        (self.from, self.to, self.isLast) = (from, to, isLast)
    }

    /// Reads what `description` writes; nil for any other text.
    package init?(_ text: String) {
        let ends = text.split(separator: "..", omittingEmptySubsequences: false)
        guard ends.count == 2, let from = Int64(ends[0]), let to = Int64(ends[1]), from <= to,
            Timestamp.text(ofSecond: from) != nil, Timestamp.text(ofSecond: to) != nil
        else { return nil }
        self.init(from: from, to: to)
    }

    package var description: String { "\(from)..\(to)" }
}

/// A sync's way through several windows, from the end of the first to now.
///
/// | a window ends | the watermark | the way |
/// | --- | --- | --- |
/// | complete, before now | its end | goes on behind it |
/// | complete, at now | its newest item, or its end, but no later than the crawl began | is over |
/// | complete, behind one that was not | stays | goes on, incomplete |
/// | incomplete | stays | goes on, incomplete: a sync later begins at it again |
/// | cut off, by whatever | stays | the next sync goes on at its page cursor, then behind it |
package struct WindowWalk: Sendable, Hashable {
    /// The beginning of the next window, in seconds since 1970.
    package var next: Int64
    /// True if it began at the start, not at the watermark.
    package var isFull: Bool
    /// The reason why the first incomplete window on the way is incomplete.
    package var missed: IncompleteReason?
}

/// The end of a window's crawl.
package struct WindowEnd: Sendable, Hashable {
    package let window: SyncWindow
    /// The way of which the window is a part, as far as it was known when the window began.
    package let walk: WindowWalk

    init(_ window: SyncWindow, _ walk: WindowWalk) { (self.window, self.walk) = (window, walk) }

    /// - Parameters:
    ///   - resumePoint: The state of the feed when the window began.
    ///   - rule: The rule that chose the window.
    package init(_ window: SyncWindow, of rule: SinceRule, _ resumePoint: ResumePoint) {
        self.window = window
        let known = resumePoint.progress.walk
        walk = WindowWalk(
            next: rule.next(after: window),
            isFull: known?.isFull ?? (resumePoint.watermark == nil || resumePoint.isFullDue), missed: known?.missed)
    }
}
