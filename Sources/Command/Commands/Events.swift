internal import FeedSync
internal import Reports

extension Command {
    /// `events [FEED]`
    static let events = Command(
        name: "events", operands: "[FEED]", count: 0...1, options: [.last, .follow],
        store: .any, isForResults: true,
        summary: "Print the event log, oldest first",
        explanation: """
            Prints one line for each change of a feed's refresh status. Every begin event has exactly one
            end event, which carries the error if there was one. With --json, each line is a JSON object.

            `feedsync help words` explains the words.
            """,
        example: "feedsync events swift-repos --last 20"
    ) { session throws(Failure) in
        let last = try session.invocation.count(.last)
        let isFollowing = session.invocation.has(.follow)
        let configuration = try session.configurationForReading()
        var store = try await session.storeIfAny(configuration)
        let feeds = try await session.knownFeeds(configuration, store)
        // A store that was just made, or is older, is brought up to date in a moment by the process that writes it.
        var tries = 20
        while isFollowing, store == nil || store?.isReadFromCopy == true && tries > 0, !session.console.isClosed {
            tries -= store == nil ? 0 : 1
            await pause()
            store = try await session.storeIfAny(configuration)
        }
        guard let store else {
            session.console.note("no events yet")
            return .done
        }
        if isFollowing { try store.checkFollowing() } else { session.console.startPager() }
        let lines = EventLines(
            form: session.listingForm, nameWidth: feeds.map(\.name.count).max() ?? 0,
            palette: session.console.palette)
        try await session.print(lines, of: store, last: last, isFollowing: isFollowing)
        return .done
    }

    /// The interval of a follower's queries: short enough for people, long enough for a computer.
    static func pause() async { try? await ContinuousClock().sleep(for: .milliseconds(250)) }
}

extension Session {
    /// Prints the stored events, and then new ones while the output has a reader.
    fileprivate func print(
        _ given: EventLines, of store: Store, last: Int?, isFollowing: Bool
    ) async throws(Failure) {
        var store = store
        var lines = given
        let feed = invocation.operands.first
        let most = 1_000
        var newest = 0
        if let last {
            let events = try await read(try await store.events(of: feed, last: last))
            print(events, as: &lines)
            newest = events.last?.id ?? 0
        }
        // Without --follow, the last ones are the complete answer.
        guard last == nil || isFollowing else { return }
        while console.failure == nil, !console.isClosed {
            let events = try await read(try await store.events(of: feed, after: newest, limit: most))
            print(events, as: &lines)
            newest = events.last?.id ?? newest
            if events.count == most { continue }
            guard isFollowing else { return }
            await Command.pause()
            store = try await current(store)
        }
    }

    private func print(_ events: [StatusEvent], as lines: inout EventLines) {
        if lines.form == .people { return console.print(events.map(lines.line)) }
        console.write(events.map { lines.records.text(of: $0) }.joined(), isGuarded: false)
    }
}

/// Events as lines.
struct EventLines: Sendable {
    let form: ListingForm
    let nameWidth: Int
    let palette: Palette
    /// The lines for programs.
    var records: RecordLines

    init(form: ListingForm, nameWidth: Int, palette: Palette) {
        (self.form, self.nameWidth, self.palette) = (form, nameWidth, palette)
        records = RecordLines(form)
    }

    /// One event, for people.
    func line(_ event: StatusEvent) -> String {
        let name = event.feed + String(repeating: " ", count: max(0, nameWidth - event.feed.count))
        return "\(palette.faint(PeopleTimes.stamp(event.atText)))  \(palette.name(name))  \(transition(event))"
    }

    /// The event, without the time and the feed.
    func transition(_ event: StatusEvent) -> String {
        let status = event.status.rawValue
        let page = event.page.map { "page \($0)" } ?? ""
        let details = Self.details(event)
        guard !details.isEmpty else { return "\(paint(status, event))\(Self.gap(status, 13))\(page)" }
        let shown = event.error == nil ? details : palette.failure(details)
        return "\(paint(status, event))\(Self.gap(status, 13))\(page)\(Self.gap(page, 10))\(shown)"
    }

    private func paint(_ status: String, _ event: StatusEvent) -> String {
        switch event.status {
        case .beginHeader, .beginFooter, .none: status
        case .endHeader, .endFooter: event.error == nil ? palette.success(status) : palette.failure(status)
        case .noMoreData: palette.attention(status)
        }
    }

    private static func gap(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(1, width - text.count))
    }

    private static func details(_ event: StatusEvent) -> String {
        if let failure = event.failure { return DisplayWidth.printable(failure.message) }
        return event.items.words.joined(separator: ", ")
    }
}
