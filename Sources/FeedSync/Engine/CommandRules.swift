/// The rules for commands that meet on one feed: the latest intent wins. Pure; the engine does what it says.
///
/// | in flight | arrives | what happens |
/// | --- | --- | --- |
/// | reload | reload | joins the one in flight |
/// | nextPage | nextPage | joins the one in flight |
/// | nextPage | reload | stops it after the last committed page, then reloads |
/// | reload | nextPage | runs after the reload; dropped with the reload's error if that fails |
struct CommandRules {
    /// Stands for one sending of a command, and for whoever waits for its answer.
    typealias Ticket = Int

    enum Effect: Equatable {
        /// Run this command.
        case start(RequestCommand)
        /// Stop the run in flight; its end is told by `ended`.
        case stop
        /// The commands of these tickets ended as the run did.
        case answer([Ticket])
        /// The commands of these tickets never ran, because of the run's error.
        case drop([Ticket])
        /// Whoever waits for this ticket wants no answer any more; the others' command goes on.
        case cancel(Ticket)
    }

    private struct Waiting {
        let command: RequestCommand
        var tickets: [Ticket]

        /// The same without a ticket; nil if nobody is left.
        func without(_ ticket: Ticket) -> Waiting? {
            let rest = tickets.filter { $0 != ticket }
            return rest.isEmpty ? nil : Waiting(command: command, tickets: rest)
        }
    }

    private enum State {
        case idle
        case running(Waiting, then: Waiting?)
        /// A footer is being stopped for a reload.
        case stopping(Waiting, then: Waiting, last: Waiting?)
    }

    private var state = State.idle

    /// Whether a run is in flight.
    var isIdle: Bool {
        if case .idle = state { true } else { false }
    }

    /// A command arrives.
    mutating func send(_ command: RequestCommand, _ ticket: Ticket) -> [Effect] {
        let arrived = Waiting(command: command, tickets: [ticket])
        switch state {
        case .idle:
            state = .running(arrived, then: nil)
            return [.start(command)]
        case .running(var current, var next):
            switch (current.command == .reload, command == .reload) {
            case (true, true), (false, false):
                current.tickets.append(ticket)
                state = .running(current, then: next)
                return []
            case (true, false):
                next = next.map { Waiting(command: $0.command, tickets: $0.tickets + [ticket]) } ?? arrived
                state = .running(current, then: next)
                return []
            case (false, true):
                state = .stopping(current, then: arrived, last: next)
                return [.stop]
            }
        case .stopping(let current, var next, var last):
            if command == .reload {
                next.tickets.append(ticket)
            } else {
                last = last.map { Waiting(command: $0.command, tickets: $0.tickets + [ticket]) } ?? arrived
            }
            state = .stopping(current, then: next, last: last)
            return []
        }
    }

    /// Nobody waits for a ticket any more: a run that was for it alone is stopped.
    mutating func cancel(_ ticket: Ticket) -> [Effect] {
        switch state {
        case .idle:
            return []
        case .running(let current, let next):
            if current.tickets == [ticket] { return [.stop] }
            guard let rest = current.without(ticket) else { return [] }
            state = .running(rest, then: next?.without(ticket))
        case .stopping(let current, let next, let last):
            guard !current.tickets.contains(ticket) else { return [] }
            if let rest = next.without(ticket) {
                state = .stopping(current, then: rest, last: last?.without(ticket))
            } else if let last {
                state = .running(current, then: last)
            } else {
                state = .running(current, then: nil)
            }
        }
        return [.cancel(ticket)]
    }

    /// The run in flight ended; `failed` if it did with an error.
    mutating func ended(failed: Bool) -> [Effect] {
        switch state {
        case .idle:
            return []
        case .running(let current, let next?) where !failed:
            state = .running(next, then: nil)
            return [.answer(current.tickets), .start(next.command)]
        case .running(let current, let next):
            state = .idle
            return [.answer(current.tickets)] + (next.map { [.drop($0.tickets)] } ?? [])
        case .stopping(let current, let next, let last):
            state = .running(next, then: last)
            return [.answer(current.tickets), .start(next.command)]
        }
    }
}
