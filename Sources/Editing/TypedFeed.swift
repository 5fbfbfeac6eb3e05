internal import FeedSync

/// Looks at a feed while it is typed: it takes drafts and returns looks, by `LookRules`; the latest draft wins.
package actor TypedFeed {
    package typealias Outcome = Result<FeedLook, EditingError>

    /// The subject of a look, without the feed's name, which does not change the requests.
    private typealias Subject = [FeedEntry.Member]

    private var rules = LookRules<Subject>()
    private let look: @Sendable (FeedDraft) async -> Outcome
    private let start = ContinuousClock.now
    private var task: Task<Void, Never>?
    /// The latest draft, and the callers that wait for its look.
    private var draft: FeedDraft?
    private var waiting: [CheckedContinuation<Outcome?, Never>] = []
    private var last: (subject: Subject, outcome: Outcome)?

    /// - Parameter look: Looks at a draft; its task is cancelled when another one takes its place.
    package init(look: @escaping @Sendable (FeedDraft) async -> Outcome) { self.look = look }

    deinit { task?.cancel() }

    /// The result of a look at the draft, once it may begin.
    ///
    /// - Parameter draft: The typed feed; nil if it is not valid.
    /// - Returns: Nil if a later draft replaced this one.
    package func outcome(of draft: FeedDraft?) async -> Outcome? {
        let isSame = draft?.entry.members == self.draft?.entry.members
        self.draft = draft
        if !isSame { tell(nil) }
        let effects = rules.typed(draft?.entry.members, at: now)
        perform(effects)
        guard let draft else { return nil }
        if effects.isEmpty, task == nil, let last, last.subject == draft.entry.members, case .success = last.outcome {
            return last.outcome
        }
        return await withCheckedContinuation { waiting.append($0) }
    }

    private func perform(_ effects: [LookRules<Subject>.Effect]) {
        for effect in effects {
            switch effect {
            case .cancel:
                task?.cancel()
                task = nil
            case .wake(let pause):
                Task { [weak self] in
                    try? await Task.sleep(for: pause)
                    await self?.woke()
                }
            case .look(let subject):
                guard let draft, draft.entry.members == subject else { continue }
                task = Task { [weak self, look] in
                    let outcome = await look(draft)
                    await self?.ended(subject, outcome)
                }
            }
        }
    }

    /// The time since this began.
    private var now: Duration { start.duration(to: .now) }

    private func woke() { perform(rules.woke(at: now)) }

    private func ended(_ subject: Subject, _ outcome: Outcome) {
        let hasFailed = if case .failure = outcome { true } else { false }
        guard rules.ended(subject, failed: hasFailed) else { return }
        task = nil
        last = (subject, outcome)
        tell(outcome)
    }

    private func tell(_ outcome: Outcome?) {
        for reader in waiting { reader.resume(returning: outcome) }
        waiting = []
    }
}
