internal import FeedSync
internal import Fleet
internal import HTTP
internal import Platform
internal import Reports
internal import Text
internal import XML

/// The examination of `doctor`.
struct Examination {
    let session: Session

    /// All that can be found out.
    func findings() async -> [Finding] {
        var findings: [Finding] = []
        let configuration: Configuration?
        do throws(Failure) {
            configuration = try session.configurationForReading()
        } catch {
            configuration = nil
            findings += Finding.problems(.configuration, error)
        }
        if let configuration { findings += configurationFindings(configuration) }
        findings += environmentFindings()
        var store: Store?
        do throws(Failure) {
            store = try await session.storeIfAny(configuration, reading: .states)
        } catch {
            findings += Finding.problems(.store, error.rescuing(session.storePath(configuration)))
        }
        if session.sharedStore(configuration) != nil, let name = session.storeName(configuration) {
            if !findings.contains(where: { $0.subject == .store }) {
                findings.append(Finding(.store, .ok, name + (store == nil ? ": nothing stored yet" : "")))
            }
        } else if let path = session.storePath(configuration), !findings.contains(where: { $0.subject == .store }) {
            findings += await storeFindings(store, at: path)
        }
        if let configuration {
            findings += await Reachability(session: session, configuration: configuration).findings()
        }
        if let store, let configuration { findings += await feedFindings(configuration, store) }
        return [await versionFinding(store)] + findings
    }

    private func versionFinding(_ store: Store?) async -> Finding {
        do throws(HTTPError) {
            let curl = try CurlLibrary.version()
            let sqlite = (try? await store?.libraryVersion()).flatMap(\.self).map { ", SQLite/\($0)" } ?? ""
            let expat = XMLStream.libraryVersion.map { ", \($0)" } ?? ""
            let linked = LibraryVersions.linked.isEmpty ? "" : "; linked in: \(LibraryVersions.linked)"
            return Finding(.version, .ok, "feedsync/\(FeedSyncVersion.text), \(curl)\(expat)\(sqlite)\(linked)")
        } catch {
            return Finding(
                .version, .problem, "feedsync/\(FeedSyncVersion.text): \(error.message)",
                advice: "install libcurl; on Debian: apt-get install libcurl4")
        }
    }

    private func configurationFindings(_ configuration: Configuration) -> [Finding] {
        var findings: [Finding] = []
        let file = configuration.file
        if let status = FileStatus(of: file), !status.isWritable() {
            findings.append(
                Finding(
                    .configuration, .problem, "\(file) can be changed by other users",
                    advice: "chmod go-w \(ShellWord.quoted(file))")
            )
        }
        if let place = configuration.literalStorePassword {
            findings.append(
                Finding(
                    .configuration, .warning, FeedCheck.exposure(at: place),
                    advice: FeedCheck.exposureAdvice(place.file)))
        }
        for feed in configuration.feeds {
            let check = FeedCheck(feed: feed, environment: session.environment, folder: configuration.folder)
            findings += check.unresolved.map { Finding(.configuration, .warning, feed: feed.name, $0) }
            findings += check.exposed.map {
                Finding(.configuration, .warning, feed: feed.name, $0, advice: FeedCheck.exposureAdvice(file))
            }
        }
        let count = NumberFormat.count(configuration.feeds.count, "feed")
        return [Finding(.configuration, .ok, "\(AbsolutePath.of(file)), \(count)")] + findings
    }

    /// The variables that count, by name: a value may hold a credential.
    private func environmentFindings() -> [Finding] {
        let proxies = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"]
        let names = proxies + ["CURL_CA_BUNDLE", "SSL_CERT_FILE", "FEEDSYNC_CONFIG", "FEEDSYNC_STORE"]
        let set = names.filter { session.environment[$0].map { !$0.isEmpty } ?? false }
        guard !set.isEmpty else { return [] }
        var findings = [Finding(.environment, .ok, "set: \(set.joined(separator: ", "))")]
        if let file = Client.caFile(in: session.environment), access(file, R_OK) != 0 {
            let reason = String(cString: strerror(errno))
            findings.append(
                Finding(
                    .environment, .problem, "no certificate can be verified: \(file) cannot be read: \(reason)",
                    advice: "correct CURL_CA_BUNDLE or SSL_CERT_FILE, or unset it"))
        }
        return findings
    }

    private func storeFindings(_ store: Store?, at path: String) async -> [Finding] {
        let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "."
        guard let store else {
            if let failure = Failure.missingFolder(of: path) { return Finding.problems(.store, failure) }
            guard access(folder, W_OK | X_OK) == 0 else {
                return [
                    Finding(
                        .store, .problem, "\(path) cannot be made: \(String(cString: strerror(errno)))",
                        advice: "let this user write to the folder \(folder), or choose another with `store`")
                ]
            }
            return [Finding(.store, .ok, "\(AbsolutePath.of(path)): not there yet; sync creates it")]
                + diskFindings(folder, needs: 0)
        }
        var status = stat()
        let size = stat(path, &status) == 0 ? Int(clamping: status.st_size) : 0
        var findings: [Finding] = []
        if access(path, W_OK) != 0 || access(folder, W_OK | X_OK) != 0 {
            findings.append(
                Finding(
                    .store, .warning, "this user can read it, but not write it: no sync is possible",
                    advice: "run feedsync as the owner of \(path)"))
        }
        if status.st_mode & 0o002 != 0 {
            findings.append(
                Finding(.store, .problem, "every user can change it", advice: "chmod o-w \(ShellWord.quoted(path))"))
        }
        do throws(FeedSyncError) {
            let damages = try await store.damages()
            let isOfIndexes = !damages.isEmpty && damages.allSatisfy(Store.isOfIndex)
            findings += damages.map { damage in
                Finding(
                    .store, .problem, "it is damaged: \(damage)",
                    advice: isOfIndexes ? repairAdvice : Failure.rescueAdvice(path))
            }
            if damages.isEmpty {
                findings += try await store.discrepancies().map {
                    Finding(.store, .problem, $0, advice: repairAdvice)
                }
            }
        } catch {
            findings += Finding.problems(.store, Failure(error).rescuing(path))
        }
        if findings.allSatisfy({ $0.level != .problem }) {
            let words = "\(AbsolutePath.of(path)), \(NumberFormat.bytes(size)), whole"
            findings.insert(Finding(.store, .ok, words), at: 0)
        }
        return findings + diskFindings(folder, needs: size)
    }

    private var repairAdvice: String { "feedsync doctor --repair\(session.invocation.storeOptions)" }

    /// - Parameter needs: The bytes of a copy of the store, which some commands make.
    private func diskFindings(_ folder: String, needs size: Int) -> [Finding] {
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else { return [] }
        let (free, isHuge) = Int(clamping: status.f_bavail).multipliedReportingOverflow(
            by: Int(clamping: status.f_frsize))
        let room = isHuge ? Int.max : free
        let words = "\(NumberFormat.bytes(room)) free beside the store"
        let advice = "make room, or delete old items with feedsync prune"
        if room < Self.leastRoom { return [Finding(.disk, .problem, words, advice: advice)] }
        if room < max(size, Self.fairRoom) { return [Finding(.disk, .warning, words, advice: advice)] }
        return [Finding(.disk, .ok, words)]
    }

    /// The largest size of a page with its log.
    private static let leastRoom = 64_000_000
    private static let fairRoom = 512_000_000

    private func feedFindings(_ configuration: Configuration, _ store: Store) async -> [Finding] {
        do throws(Failure) {
            let feeds = try await session.knownFeeds(configuration, store, includesRemoved: false)
            let rows = try await session.states(of: feeds, in: store)
            let lastSync = try await session.read(try await store.lastBegin(of: "sync"))
            var findings: [Finding] = []
            for row in rows {
                var hasResponse = false
                if case .failing = row.stateAtRest {
                    let response = try await session.read(try await store.failedResponse(of: row.feed.name))
                    hasResponse = response != nil
                }
                if let finding = Self.finding(row, hasResponse: hasResponse) { findings.append(finding) }
            }
            findings += rows.compactMap(Self.hookFinding)
            let well = rows.count(where: \.isWell)
            let count = "\(NumberFormat.count(well)) of \(NumberFormat.count(rows.count, "feed")) fresh"
            let summary = rows.isEmpty ? [] : [Finding(.feed, well == rows.count ? .ok : .warning, count)]
            return [Self.schedule(rows, lastSync)] + summary + findings
        } catch {
            return Finding.problems(.store, error.rescuing(store.path))
        }
    }

    private static func schedule(_ rows: [StateRow], _ lastSync: Timestamp?) -> Finding {
        let stale = rows.count { if case .stale = $0.stateAtRest { true } else { false } }
        let advice = "check that cron or systemd runs feedsync sync --due: crontab -l, systemctl list-timers"
        let last = lastSync.map { "sync last ran \(RelativeTime.ago($0.text))" } ?? "sync was never run"
        guard stale == 0 else {
            return Finding(
                .schedule, .problem,
                "\(last), and \(NumberFormat.count(stale, "feed")) \(stale == 1 ? "is" : "are") overdue",
                advice: advice)
        }
        return Finding(.schedule, lastSync == nil ? .warning : .ok, last, advice: lastSync == nil ? advice : nil)
    }

    private static func hookFinding(_ row: StateRow) -> Finding? {
        row.hookFailure.map {
            Finding(.feed, .problem, feed: row.feed.name, $0, advice: "feedsync sync \(row.feed.name)")
        }
    }

    /// The finding about a feed; nil if all is well.
    ///
    /// - Parameter hasResponse: True if the response at which a run failed is kept.
    private static func finding(_ row: StateRow, hasResponse: Bool) -> Finding? {
        let name = row.feed.name
        let level: Finding.Level
        let advice: String
        switch row.stateAtRest {
        case .fresh, .new, .running: return nil
        case .failing:
            level = .problem
            // No response is to blame for what the store could not take.
            let isOfResponse = hasResponse && row.feed.record?.error?.kind != .store
            advice = "feedsync sync \(name) -v" + (isOfResponse ? "; feedsync explain \(name) --response" : "")
        case .limited:
            level = .warning
            advice = "wait, or use a token with a larger quota"
        case .stale:
            level = .problem
            advice = "feedsync sync \(name)"
        case .loading, .incomplete:
            level = .warning
            advice = "feedsync sync \(name)"
        }
        let words = [row.stateAtRest.word, row.whyAtRest].compactMap(\.self).joined(separator: ": ")
        return Finding(.feed, level, feed: name, words, advice: advice)
    }
}

extension Failure {
    /// `.dump` leaves out unreadable data, and ends with a rollback then. Debian's sqlite3 has no `.recover`. The
    /// repair follows in any case, because sqlite3 also fails if it has left out only a row that came twice.
    fileprivate static func rescueAdvice(_ path: String) -> String {
        "sqlite3 \(ShellWord.quoted(path)) .dump | sed 's/^ROLLBACK.*/COMMIT;/' | sqlite3 new.db; "
            + "feedsync doctor --repair --store new.db  # or restore a backup"
    }

    /// The same failure; for a damaged store, with advice on saving the readable data, for which other commands refer
    /// to this one.
    func rescuing(_ path: String?) -> Failure {
        guard let path, advice == FeedSyncError.adviceOnDamage else { return self }
        return Failure(code, messages, explanation: explanation, advice: Self.rescueAdvice(path))
    }
}

/// The reachability of the feeds' hosts, and their clocks.
struct Reachability {
    let session: Session
    let configuration: Configuration

    func findings() async -> [Finding] {
        guard var options = try? session.engineOptions(folder: configuration.folder) else { return [] }
        // A command may ask for a password.
        options.commands = CommandSecrets(isMasked: true)
        let probes = await OriginProbe.probe(configuration.feeds, options: options)
        return probes.map(Self.finding) + unaskedFindings(probes) + clockFindings(probes)
    }

    /// The feeds whose hosts cannot be asked as long as something is unset.
    private func unaskedFindings(_ probes: [OriginProbe]) -> [Finding] {
        let asked = Set(probes.flatMap(\.feeds))
        let names = configuration.feeds.filter { feed in
            !asked.contains(feed.name)
                && !FeedCheck(feed: feed, environment: session.environment, folder: configuration.folder).unresolved
                    .isEmpty
        }.map(\.name)
        guard let first = names.first else { return [] }
        let others = names.count > 1 ? " and \(NumberFormat.count(names.count - 1)) more" : ""
        return [
            Finding(
                .network, .warning, "the host of \(first)\(others) was not asked: the request cannot be made yet",
                advice: "set what is not set, and run it again")
        ]
    }

    private static func finding(_ probe: OriginProbe) -> Finding {
        let proxy = probe.hasOwnProxy ? " by its proxy" : ""
        if let error = probe.error {
            return Finding(
                .network, .problem, "\(probe.origin)\(proxy): \(error.message)", advice: error.advice)
        }
        guard let exchange = probe.exchange, let answer = exchange.answer else {
            return Finding(.network, .problem, "\(probe.origin)\(proxy): no response")
        }
        let words =
            "\(probe.origin)\(proxy): \(StatusText.text(answer.status))\(exchange.address.map { " from \($0)" } ?? "") "
            + "(\(TraceText.words(exchange.timings)))"
        switch answer.status {
        case 407: return Finding(.network, .problem, words, advice: "give the proxy's credentials in its URL")
        // It may know no HEAD.
        case 501: return Finding(.network, .ok, words)
        case 500...: return Finding(.network, .warning, words, advice: "run it again later")
        // The status of the root says nothing of the feeds.
        default: return Finding(.network, .ok, words)
        }
    }

    private func clockFindings(_ probes: [OriginProbe]) -> [Finding] {
        let leads = probes.compactMap(\.clockLead).map(\.components.seconds)
        // One host may be wrong.
        guard !leads.isEmpty else { return [] }
        let lead = leads.sorted()[leads.count / 2]
        let size = NumberFormat.time(seconds: Int64(clamping: lead.magnitude))
        guard lead.magnitude > 60 else { return [Finding(.clock, .ok, "as the hosts' clocks")] }
        return [
            Finding(
                .clock, .problem, "\(size) \(lead > 0 ? "ahead of" : "behind") the hosts' clocks",
                advice: "set the clock, for example with timedatectl set-ntp true")
        ]
    }
}
