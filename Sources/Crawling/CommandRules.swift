/// The rules for commands that meet on one feed: the latest intent wins. Pure: the engine performs the effects.
///
/// | in flight | arrives | what happens |
/// | --- | --- | --- |
/// | reload | reload | joins the one in flight |
/// | nextPage | nextPage of no more pages | joins the one in flight |
/// | nextPage | nextPage of more pages | runs after it; dropped with its error if that fails |
/// | nextPage, sync | reload | stops it after the last committed page, then reloads |
/// | sync | sync | joins the one in flight |
/// | sync | nextPage | runs after it; dropped with its error if that fails |
/// | reload, nextPage | sync | runs after it; dropped with its error if that fails |
/// | reload | nextPage | runs after the reload; dropped with the reload's error if that fails |
/// | any that is being stopped | any | runs once that one has ended, however it did; a reload first, then a sync |
///
/// Next pages that wait together are one command, with the highest page count that any of them requests.
package struct CommandRules {
    /// Identifies one sent command and the caller that waits for its answer.
    package typealias Ticket = Int

    package enum Effect: Equatable {
        /// Run this command.
        case start(RequestCommand)
        /// Stop the run in flight. Its end is reported with `ended`.
        case stop
        /// The commands of these tickets ended with the run's result.
        case answer([Ticket])
        /// The commands of these tickets never ran, because of the run's error.
        case drop([Ticket])
        /// The caller with this ticket wants no answer any more. The command goes on for the others.
        case cancel(Ticket)
    }

    private struct Run {
        let command: RequestCommand
        var tickets: [Ticket]
        var isStopping = false
    }

    private enum State {
        case idle
        case running(Run, queue: CommandQueue)
    }

    private var state = State.idle

    package init() {}

    /// True if no run is in flight.
    package var isIdle: Bool {
        if case .idle = state { true } else { false }
    }

    /// Adds a command.
    package mutating func send(_ command: RequestCommand, _ ticket: Ticket) -> [Effect] {
        guard case .running(var run, var queue) = state else {
            state = .running(Run(command: command, tickets: [ticket]), queue: CommandQueue())
            return [.start(command)]
        }
        defer { state = .running(run, queue: queue) }
        if !run.isStopping, run.command.covers(command) {
            run.tickets.append(ticket)
            return []
        }
        queue.add(command, ticket)
        guard command == .reload, !run.isStopping else { return [] }
        run.isStopping = true
        return [.stop]
    }

    /// Cancels a ticket. A run that no other ticket waits for is stopped.
    package mutating func cancel(_ ticket: Ticket) -> [Effect] {
        guard case .running(var run, var queue) = state else { return [] }
        defer { state = .running(run, queue: queue) }
        guard run.tickets.contains(ticket) else { return queue.remove(ticket) ? [.cancel(ticket)] : [] }
        // A run that is being stopped answers all of its tickets soon.
        guard !run.isStopping else { return [] }
        guard run.tickets != [ticket] else {
            run.isStopping = true
            return [.stop]
        }
        run.tickets.removeAll { $0 == ticket }
        return [.cancel(ticket)]
    }

    /// Cancels everything: stops the run in flight and drops the commands that wait.
    package mutating func cancelAll() -> [Effect] {
        guard case .running(var run, let queue) = state else { return [] }
        let stop: [Effect] = run.isStopping ? [] : [.stop]
        run.isStopping = true
        state = .running(run, queue: CommandQueue())
        return queue.tickets.map(Effect.cancel) + stop
    }

    /// Records the end of the run in flight; `failed` is true if it ended with an error.
    package mutating func ended(failed: Bool) -> [Effect] {
        guard case .running(let run, var queue) = state else { return [] }
        state = .idle
        let answer = Effect.answer(run.tickets)
        // A stopped run is no failure of the upstream, so it does not affect the waiting commands.
        guard !failed || run.isStopping else {
            return queue.tickets.isEmpty ? [answer] : [answer, .drop(queue.tickets)]
        }
        guard let next = queue.popFirst() else { return [answer] }
        state = .running(Run(command: next.command, tickets: next.tickets), queue: queue)
        return [answer, .start(next.command)]
    }
}

/// The commands that wait for the run in flight to end.
private struct CommandQueue {
    private var reloads: [CommandRules.Ticket] = []
    private var syncs: [CommandRules.Ticket] = []
    private var nextPages: [(command: RequestCommand, ticket: CommandRules.Ticket)] = []

    var tickets: [CommandRules.Ticket] { reloads + syncs + nextPages.map(\.ticket) }

    mutating func add(_ command: RequestCommand, _ ticket: CommandRules.Ticket) {
        switch command {
        case .reload: reloads.append(ticket)
        case .sync: syncs.append(ticket)
        case .nextPage, .nextPages, .allPages: nextPages.append((command, ticket))
        }
    }

    /// Removes a ticket. Returns true if it was in the queue.
    mutating func remove(_ ticket: CommandRules.Ticket) -> Bool {
        let count = tickets.count
        reloads.removeAll { $0 == ticket }
        syncs.removeAll { $0 == ticket }
        nextPages.removeAll { $0.ticket == ticket }
        return tickets.count < count
    }

    /// Takes the reload, or else the sync, or else the next-page command that covers all others.
    mutating func popFirst() -> (command: RequestCommand, tickets: [CommandRules.Ticket])? {
        if !reloads.isEmpty {
            defer { reloads = [] }
            return (.reload, reloads)
        }
        if !syncs.isEmpty {
            defer { syncs = [] }
            return (.sync, syncs)
        }
        let commands = nextPages.map(\.command)
        guard let most = commands.first(where: { command in commands.allSatisfy(command.covers) }) else { return nil }
        defer { nextPages = [] }
        return (most, nextPages.map(\.ticket))
    }
}

extension RequestCommand {
    /// True if a run of this command also does everything that the other one requests.
    fileprivate func covers(_ other: RequestCommand) -> Bool {
        guard ![self, other].contains(.reload), ![self, other].contains(.sync) else { return self == other }
        guard let limit else { return true }
        return other.limit.map { $0 <= limit } ?? false
    }
}
