internal import FeedSync

extension Command {
    /// `doctor`
    static let doctor = Command(
        "doctor", isForResults: true,
        summary: "Look for what is wrong, and say what to do",
        explanation: """
            Looks at all that feedsync depends on, and changes nothing:

              version  feedsync and its libraries
              configuration  mistakes, references that lead nowhere, credentials that others can read
              environment  variables that change where requests go, and what is trusted
              store  permissions, and whether the file is whole; reads all of it
              disk  the room that is left
              network  one request without credentials to each host: name, connection, TLS, proxy
              clock  this machine's, compared with the hosts'
              schedule  when `sync` last ran, and whether it runs often enough
              feed  those that fail, wait, or are behind

            Exits with 1 if there is a problem; a warning is none.
            """,
        example: "feedsync doctor"
    ) { session throws(Failure) in
        let findings = await session.examination()
        if session.invocation.has(.json) {
            session.console.print(json: JSONLines.array(findings.map(\.json)))
        } else {
            let width = session.console.width ?? 100
            session.console.print(findings.flatMap { $0.lines(session.console.palette, width: width) })
        }
        return findings.contains { $0.level == .problem } ? .notWell : .done
    }
}

extension Session {
    /// All that can be found out.
    fileprivate func examination() async -> [Finding] {
        var findings: [Finding] = []
        let configuration: Configuration?
        do throws(Failure) {
            configuration = try configurationForReading()
        } catch {
            configuration = nil
            findings += Finding.problems(.configuration, error)
        }
        if let configuration { findings += configurationFindings(configuration) }
        findings += environmentFindings()
        var store: Store?
        do throws(Failure) {
            store = try await storeIfAny(configuration)
        } catch {
            findings += Finding.problems(.store, error)
        }
        if let path = storePath(configuration), !findings.contains(where: { $0.subject == .store }) {
            findings += await storeFindings(store, at: path)
        }
        if let configuration { findings += await networkFindings(configuration) }
        if let store, let configuration { findings += await feedFindings(configuration, store) }
        return [await versionFinding(store)] + findings
    }
}
