/// The part of a list that a crawl by watermark asks for.
package enum SyncSpan: Sendable, Hashable {
    /// Everything since a watermark, as its parameter says it.
    case since(String)
    /// A stretch of time.
    case window(SyncWindow)
    /// The changes since a token of the upstream, secrets concealed.
    case delta(String)
    /// The newest items, down to those that are older than a mark; the upstream takes no parameter.
    case newest(Watermark)

    /// The span of a run's crawl; nil if it asks for everything.
    ///
    /// - Parameters:
    ///   - resumePoint: The state of the feed.
    ///   - isHeader: True if the run begins with the first page.
    ///   - now: In seconds since 1970.
    package init?(
        _ rule: SyncRule, _ command: RequestCommand, _ mode: CrawlMode, _ resumePoint: ResumePoint, isHeader: Bool,
        now: Int64
    ) {
        guard command == .sync || !isHeader else {
            // A first page shows the newest items.
            guard case .since(let rule) = rule, rule.start != nil else { return nil }
            self.init(rule, resumePoint, isNewest: true, now: now)
            return
        }
        // A crawl by watermark stays one, even if another command resumes it.
        if !isHeader || resumePoint.progress.round?.mode == .since {
            self.init(rule, stored: resumePoint.crawlWatermark)
        } else if mode == .since {
            self.init(rule, resumePoint, now: now)
        } else {
            return nil
        }
    }

    /// The span of a crawl that begins now; nil if it asks for everything.
    ///
    /// - Parameters:
    ///   - resumePoint: The state of the feed.
    ///   - now: In seconds since 1970.
    private init?(_ rule: SyncRule, _ resumePoint: ResumePoint, now: Int64) {
        switch rule {
        case .since(let rule): self.init(rule, resumePoint, now: now)
        case .delta:
            guard let token = resumePoint.watermark.flatMap({ try? JSONValue(parsing: $0) })?.text else { return nil }
            self = .delta(token)
        case .auto, .new, .all: return nil
        }
    }

    /// The span of a crawl that goes on, as the store has it; nil if it asks for everything.
    private init?(_ rule: SyncRule, stored: String?) {
        switch rule {
        case .since(let rule): self.init(rule, stored: stored)
        case .delta:
            guard let stored else { return nil }
            self = .delta(stored)
        case .auto, .new, .all: return nil
        }
    }

    /// The span of a crawl by watermark that begins now; nil if it asks for everything.
    ///
    /// - Parameters:
    ///   - resumePoint: The state of the feed.
    ///   - isNewest: True to ask only for the newest window, as a reload does.
    ///   - now: In seconds since 1970.
    package init?(_ rule: SinceRule, _ resumePoint: ResumePoint, isNewest: Bool = false, now: Int64) {
        let mark = resumePoint.watermark.flatMap { Watermark(json: $0, isTime: rule.isTime) }
        if rule.windows != nil {
            guard let position = rule.position(resumePoint, mark, isNewest: isNewest, now: now) else { return nil }
            self = .window(rule.window(from: position, now: now))
        } else if rule.parameter == nil {
            guard let mark else { return nil }
            self = .newest(mark.earlier(by: rule))
        } else if let start = rule.start, mark == nil || resumePoint.isFullDue {
            self = .since((rule.format ?? .time).text(ofSecond: start.second(at: now)))
        } else if let mark {
            self = .since(mark.parameterText(rule))
        } else {
            return nil
        }
    }

    /// The span of a crawl that goes on, as the store has it; nil if it asks for everything.
    package init?(_ rule: SinceRule, stored: String?) {
        guard let stored else { return nil }
        if rule.windows != nil {
            guard let window = SyncWindow(stored) else { return nil }
            self = .window(window)
        } else if rule.parameter == nil {
            guard let mark = Watermark(json: stored, isTime: rule.isTime) else { return nil }
            self = .newest(mark)
        } else {
            self = .since(stored)
        }
    }

    /// The span as the store keeps it.
    package var stored: String {
        switch self {
        case .since(let text), .delta(let text): text
        case .window(let window): window.description
        case .newest(let mark): mark.json
        }
    }

    /// The parameters that ask for it.
    package func parameters(_ rule: SinceRule) -> [NamedValue] {
        guard let parameter = rule.parameter else { return [] }
        switch self {
        case .since(let text): return [NamedValue(name: parameter, value: rule.parameterValue(text))]
        case .window(let window):
            let format = rule.format ?? .time
            let from = NamedValue(
                name: parameter, value: rule.parameterValue(format.text(ofSecond: window.from)))
            return [from]
                + (rule.windows.map { [NamedValue(name: $0.until, value: format.text(ofSecond: window.to))] }
                    ?? [])
        case .newest, .delta: return []
        }
    }

    /// The window; nil for other spans.
    package var window: SyncWindow? { if case .window(let window) = self { window } else { nil } }
}

extension Watermark {
    /// The watermark after a complete crawl: its furthest item, or the end of a window before now, but not beyond the
    /// start of the crawl. nil if the stored one stays.
    ///
    /// - Parameters:
    ///   - stored: The watermark before the crawl.
    ///   - start: The start of the crawl, in seconds since 1970; nil if it is unknown.
    ///   - window: The window that the crawl asked for; nil without windows.
    ///   - hasItemMarks: True if the items have values that move the watermark.
    package static func moved(
        from stored: Watermark?, to furthest: Watermark?, start: Int64? = nil, window: WindowEnd? = nil,
        hasItemMarks: Bool = true
    ) -> Watermark? {
        guard window?.walk.missed == nil else { return nil }
        // Items ahead of the newest one of the last window may still come.
        let isByItems = window.map { $0.window.isLast && hasItemMarks } ?? true
        let reached = isByItems ? furthest : window.flatMap { Watermark(second: $0.window.to) }
        guard let mark = reached?.notAfter(start), stored.map({ mark.isFurther(than: $0) }) ?? true else { return nil }
        return mark
    }
}

extension SinceRule {
    /// The beginning of the next window: on the way, at the start, or at the watermark less the overlap; nil for
    /// everything up to now.
    fileprivate func position(_ resumePoint: ResumePoint, _ mark: Watermark?, isNewest: Bool, now: Int64) -> Int64? {
        if isNewest, let windows, let widest = windows.widest {
            return max(now - widest, start?.second(at: now) ?? .min)
        }
        if let walk = resumePoint.progress.walk { return walk.next }
        let begin = start?.second(at: now)
        guard let mark = mark?.time, !isNewest, begin == nil || !resumePoint.isFullDue else { return begin }
        return max((mark.earlier(by: .seconds(overlapSeconds)) ?? mark).seconds, begin ?? .min)
    }

    /// The window that begins at a moment, or at the last one before it that the notation can tell.
    package func window(from position: Int64, now: Int64) -> SyncWindow {
        let from = roundedDown(position)
        let (end, isBeyond) = from.addingReportingOverflow((windows?.widest ?? .max) - (windows?.gap ?? 0))
        guard !isBeyond, end < roundedDown(now) else { return SyncWindow(from: from, to: max(from, now), isLast: true) }
        return SyncWindow(from: from, to: max(end, from))
    }

    /// The beginning of the window behind another one. Windows share their border, because some upstreams leave out one
    /// end of a window. With whole seconds they share one second more, because an upstream may leave out both ends.
    package func next(after window: SyncWindow) -> Int64 {
        let gap = windows?.gap ?? 0
        if gap > 0 { return window.to + gap }
        return max(window.from + 1, granule == 1 ? window.to - 1 : window.to)
    }

    /// The moment, rounded down to what the notation can express.
    private func roundedDown(_ second: Int64) -> Int64 { second - (second % granule + granule) % granule }

    /// The smallest unit of the notation, in seconds.
    private var granule: Int64 { (format ?? .time).granule ?? 1 }
}

extension FeedDefinition {
    /// True if syncs read the newest items of a list that takes no watermark.
    package var isNewestFirst: Bool { if case .since(let rule) = sync { rule.parameter == nil } else { false } }
}
