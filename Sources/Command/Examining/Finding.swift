internal import FeedSync

/// A finding of `doctor` about one subject.
struct Finding: Sendable, JSONRecord {
    /// The importance for the user.
    enum Level: String, Sendable {
        /// All is well.
        case ok
        /// It works, and may not for long or not as meant.
        case warning
        /// Something does not work.
        case problem
    }

    /// The subject of the finding.
    enum Subject: String, Sendable {
        case version, configuration, environment, store, disk, network, clock, schedule, feed
    }

    let subject: Subject
    let level: Level
    /// The feed that it concerns; nil if it is all of them.
    var feed: String?
    let message: String
    /// The action to take.
    var advice: String?

    init(_ subject: Subject, _ level: Level, feed: String? = nil, _ message: String, advice: String? = nil) {
        self.subject = subject
        self.level = level
        self.feed = feed
        self.message = message
        self.advice = advice
    }

    /// One problem for each message of a failure.
    static func problems(_ subject: Subject, _ failure: Failure) -> [Finding] {
        failure.messages.enumerated().map { index, message in
            Finding(subject, .problem, message, advice: index == failure.messages.count - 1 ? failure.advice : nil)
        }
    }

    /// The finding in lines of at most that width.
    func lines(_ palette: Palette, width: Int) -> [String] {
        let gap = String(repeating: " ", count: Self.column)
        let mark: String
        switch level {
        case .ok: mark = palette.success(level.rawValue)
        case .warning: mark = palette.attention(level.rawValue)
        case .problem: mark = palette.failure(level.rawValue)
        }
        let padding = String(repeating: " ", count: Self.markWidth - level.rawValue.count)
        let name = subject.rawValue
        let title =
            "\(mark)\(padding)\(name)\(String(repeating: " ", count: Self.column - Self.markWidth - name.count))"
        let text = TextLayout.wrapped(feed.map { "\($0): \(message)" } ?? message, to: width - Self.column)
        let advice = advice.map { TextLayout.wrapped("Try: \($0)", to: width - Self.column) } ?? []
        return [title + text[0]] + (text.dropFirst() + advice).map { gap + $0 }
    }

    private static let markWidth = 9
    private static let column = 24

    var fields: JSONFields {
        ["subject": subject.rawValue, "level": level.rawValue, "feed": feed, "message": message, "advice": advice]
    }
}
