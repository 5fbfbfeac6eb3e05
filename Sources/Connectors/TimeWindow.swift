internal import Feeds
internal import YAML

/// The time that a stream's requests ask for.
struct TimeWindow {
    /// The first moment, in the form in which it is sent; nil where nothing sends it.
    let start: ConnectorValue?
    /// The last moment: that of the run, where the manifest names none.
    let end: ConnectorValue
    private let cursor: Component
    private let evaluator: Evaluator
    private let format: String
    private let sendsEnd: Bool

    /// - Throws: `ConnectorFault` of `setting` where the first moment has to be given.
    init?(_ stream: Component, _ evaluator: Evaluator) throws(ConnectorFault) {
        guard let cursor = try stream.member("incremental_sync") else { return nil }
        try cursor.refuseCode()
        guard cursor.type == "DatetimeBasedCursor" else { return nil }
        self.cursor = cursor
        self.evaluator = evaluator
        format = try evaluator.literal(try cursor.member("datetime_format")) ?? "%Y-%m-%dT%H:%M:%S.%f%z"
        let requester = try stream.member("retriever", "requester")
        let mentions = (try requester?.mentions("start_time") ?? false, try requester?.mentions("end_time") ?? false)
        let sendsStart = try cursor.member("start_time_option") != nil || mentions.0
        sendsEnd = try cursor.member("end_time_option") != nil || mentions.1
        start = sendsStart ? try Self.moment(cursor.member("start_datetime"), evaluator, format) : nil
        end =
            try Self.moment(cursor.member("end_datetime"), evaluator, format)
            ?? .moment(ConnectorMoment(.now), format: format)
    }

    /// A `MinMaxDatetime`, or the time itself, in the form in which it is sent.
    private static func moment(
        _ component: Component?, _ evaluator: Evaluator, _ format: String
    ) throws(ConnectorFault) -> ConnectorValue? {
        guard let component else { return nil }
        let source = component.node.pairs == nil ? component : try component.member("datetime") ?? component
        let value = try evaluator.value(source)
        if case .moment(let moment, _) = value { return .moment(moment, format: format) }
        let own = try component.node.pairs.flatMap { _ throws(ConnectorFault) in
            try evaluator.literal(try component.member("datetime_format"))
        }
        guard let text = value.words?.literal, let moment = ConnectorMoment(text, format: own ?? format) else {
            throw component.fault(.expression, "the time from which on it is read is not known")
        }
        return .moment(moment, format: format)
    }

    /// Adds the parameters of the time, and a watermark where one parameter alone says it.
    func add(to feed: inout TranslatedFeed, _ columns: ColumnReader) throws(ConnectorFault) {
        guard let start, let first = start.words else {
            guard self.start == nil else { throw cursor.fault(.expression, "times in the format `\(format)`") }
            return
        }
        let option = try cursor.member("start_time_option")
        if let option, let rule = try windows(from: option, feed, columns) {
            feed.sync = rule
            return
        }
        if let option { try feed.inject(first, option, columns.evaluator) }
        if let option, let parameter = try watermarkParameter(option), let field = try fieldPath(feed, columns) {
            feed.sync = .mapping(
                [
                    .init("mode", .text("since")), .init("param", .text(parameter)),
                    .init("from", .text(field.description)),
                ]
                    + (try overlap().map { [.init("overlap", .text($0))] } ?? []))
            return
        }
        if let option = try cursor.member("end_time_option") {
            guard let last = end.words else { throw cursor.fault(.expression, "times in the format `\(format)`") }
            try feed.inject(last, option, columns.evaluator)
        }
        feed.notes.append("it is read whole each time, from its first day on" + (try stepNote()))
    }

    /// The rule of a sync in windows from the first moment to now; nil where that is not what the requests ask for, or
    /// where feedsync knows no such notation.
    private func windows(
        from option: Component, _ feed: TranslatedFeed, _ columns: ColumnReader
    ) throws(ConnectorFault) -> FeedEntry.Value? {
        guard let other = try cursor.member("end_time_option"), case .moment(let moment, _) = start,
            case .moment(ConnectorMoment(.now), _) = end, let format = notation, let begin = Self.startWords(moment),
            case .query(let parameter) = try RequestPlace(option, evaluator),
            case .query(let until) = try RequestPlace(other, evaluator)
        else { return nil }
        var members: [(String, String)] = [("mode", "since"), ("param", parameter), ("until", until)]
        let step = try seconds("step")
        if let step, step > 0 { members.append(("widest", DurationText.text(.seconds(step)))) }
        // Both ends belong to a window of which the next one begins a step of the cursor later.
        if let step, let gap = try seconds("cursor_granularity"), gap > 0, gap <= step {
            members.append(("gap", DurationText.text(.seconds(gap))))
        }
        members += [("start", begin), ("format", format.text)]
        if let field = try fieldPath(feed, columns) { members.append(("from", field.description)) }
        if let overlap = try seconds("lookback_window"), overlap > 0 {
            members.append(("overlap", DurationText.text(.seconds(overlap))))
        }
        // A proof would request each window again.
        members.append(("verify", "never"))
        return .mapping(members.map { .init($0.0, .text($0.1)) })
    }

    /// The notation of the times that go out, if feedsync has it.
    private var notation: TimeFormat? {
        let known = ["%s": "unix", "%ms": "unix_ms"]
        return TimeFormat(known[format] ?? format.replacing("%_ms", with: "%L")).flatMap {
            $0.granule == nil ? nil : $0
        }
    }

    /// The beginning of a first sync, as `start` has it.
    private static func startWords(_ moment: ConnectorMoment) -> String? {
        if case .now = moment.base { return moment.offset < 0 ? DurationText.text(.seconds(-moment.offset)) : nil }
        guard let second = moment.seconds, let text = Timestamp.text(ofSecond: second) else { return nil }
        return text.hasSuffix("T00:00:00Z") ? String(text.prefix(10)) : text
    }

    private func seconds(_ name: String) throws(ConnectorFault) -> Int64? {
        try evaluator.literal(try cursor.member(name)).flatMap(ISODuration.seconds)
    }

    /// The query parameter that takes the watermark; nil where more than it is needed.
    private func watermarkParameter(_ option: Component) throws(ConnectorFault) -> String? {
        guard !sendsEnd, case .query(let name) = try RequestPlace(option, evaluator) else { return nil }
        let formats = try evaluator.literals(try cursor.member("cursor_datetime_formats")).map { $0 ?? "" }
        // The watermark goes out in the form of the items; digits of a date would be taken for a number.
        return (formats.isEmpty || formats.contains(format)) && !format.contains("%Y%m%d") ? name : nil
    }

    /// The item's member that holds the time; nil where items do not have it.
    private func fieldPath(_ feed: TranslatedFeed, _ columns: ColumnReader) throws(ConnectorFault) -> Path? {
        guard let name = try evaluator.literal(try cursor.member("cursor_field")), feed.method == "GET",
            !(try columns.addedMembers).contains(.member(name)), columns.schema.has(name) != false
        else { return nil }
        return Path([.member(name)])
    }

    /// The time by which a request asks earlier than the watermark; nil for feedsync's own minute.
    private func overlap() throws(ConnectorFault) -> String? {
        let text = try evaluator.literal(try cursor.member("lookback_window"))
        let seconds = text.flatMap(ISODuration.seconds) ?? 0
        // For numbers, it also says that they are times.
        guard seconds > 60 || format == "%s" || format == "%ms" else { return nil }
        return DurationText.text(.seconds(max(seconds, 60)))
    }

    private func stepNote() throws(ConnectorFault) -> String {
        guard sendsEnd, let step = try evaluator.literal(try cursor.member("step")) else { return "" }
        return "; the connector asks for \(step) at a time"
    }
}

extension Component {
    /// True if a request's text has a word.
    fileprivate func mentions(_ word: String) throws(ConnectorFault) -> Bool {
        for name in ["path", "request_parameters", "request_headers", "request_body_json", "request_body"] {
            if try member(name)?.node.mentions(word) == true { return true }
        }
        return false
    }
}

extension Node {
    fileprivate func mentions(_ word: String) -> Bool {
        switch content {
        case .scalar(let scalar): scalar.text.contains("{") && scalar.text.contains(word)
        case .sequence(let elements): elements.contains { $0.mentions(word) }
        case .mapping(let pairs): pairs.contains { $0.value.mentions(word) }
        }
    }
}
