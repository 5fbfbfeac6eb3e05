internal import FeedSync

extension Command {
    /// `doctor`
    static let doctor = Command(
        name: "doctor", options: [.repair], store: .any, isForResults: true,
        summary: "Look for what is wrong, and say what to do",
        explanation: """
            Looks at all that feedsync depends on:

              version  feedsync and its libraries
              configuration  mistakes, references that lead nowhere, credentials that others can read
              environment  variables that change where requests go, and what is trusted
              store  permissions, and whether the file is whole; reads all of it
              disk  the room that is left
              network  one request without credentials to each host: name, connection, TLS, proxy
              clock  this machine's, compared with the hosts'
              schedule  when `sync` last ran, and whether it runs often enough
              feed  those that fail, wait, or are behind

            Exits with 1 if there is a problem, but not for a warning. Changes nothing without --repair.

            --repair rebuilds the store's indexes, counts, sections and views from the items. The next sync of each
            feed then reads everything, as after `reset`. Items and history stay.
            """,
        example: "feedsync doctor"
    ) { session throws(Failure) in
        var findings: [Finding] = []
        if session.invocation.has(.repair) { findings.append(try await session.repair()) }
        findings += await Examination(session: session).findings()
        for index in findings.indices {
            findings[index].advice = findings[index].advice.map(session.invocation.completed)
        }
        if session.invocation.has(.json) {
            session.console.print(json: JSONLines.array(findings.map(\.result)))
        } else {
            let width = session.console.width ?? 100
            session.console.print(findings.flatMap { $0.lines(session.console.palette, width: width) })
        }
        return findings.contains { $0.level == .problem } ? .notWell : .done
    }
}

extension Session {
    /// Rebuilds the store's own tables beside its items.
    ///
    /// - Throws: `Failure` with exit code 73 if the tables are damaged, 75 if another process is working on a feed.
    fileprivate func repair() async throws(Failure) -> Finding {
        let configuration = try configurationForReading()
        do throws(Failure) {
            return try await repair(configuration)
        } catch {
            throw error.rescuing(storePath(configuration))
        }
    }

    private func repair(_ configuration: Configuration?) async throws(Failure) -> Finding {
        guard let store = try await existingStore(configuration) else {
            return Finding(.store, .ok, "nothing stored yet, so nothing to repair")
        }
        return try await reading { () async throws(FeedSyncError) in
            let locks = try await store.lockAll(for: "doctor")
            let corrected = try await store.repair(holding: locks, now: WallClock.system.text)
            let words = "indexes, counts, sections and views are rebuilt; the next sync reads everything"
            return Finding(
                .store, .ok,
                corrected.isEmpty ? words : "\(words); corrected: \(corrected.joined(separator: "; "))")
        }
    }
}
