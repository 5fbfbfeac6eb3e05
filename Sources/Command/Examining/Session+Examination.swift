internal import FeedSync
internal import HTTP
internal import Platform
internal import Reports
internal import XML

// What `doctor` looks at on this machine.
extension Session {
    func versionFinding(_ store: Store?) async -> Finding {
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

    func configurationFindings(_ configuration: Configuration) -> [Finding] {
        var findings: [Finding] = []
        let file = configuration.file
        if let status = FileStatus(of: file), !status.isWritable() {
            findings.append(
                Finding(.configuration, .problem, "\(file) can be changed by other users", advice: "chmod go-w \(file)")
            )
        }
        if let place = configuration.literalStorePassword {
            findings.append(
                Finding(
                    .configuration, .warning, FeedCheck.exposure(at: place),
                    advice: FeedCheck.exposureAdvice(place.file)))
        }
        for feed in configuration.feeds {
            let check = FeedCheck(feed: feed, environment: environment, folder: configuration.folder)
            findings += check.unresolved.map { Finding(.configuration, .warning, feed: feed.name, $0) }
            findings += check.exposed.map {
                Finding(.configuration, .warning, feed: feed.name, $0, advice: FeedCheck.exposureAdvice(file))
            }
        }
        let count = NumberFormat.count(configuration.feeds.count, "feed")
        return [Finding(.configuration, .ok, "\(AbsolutePath.of(file)), \(count)")] + findings
    }

    /// The variables that count, by name: a value may hold a credential.
    func environmentFindings() -> [Finding] {
        let proxies = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"]
        let names = proxies + ["CURL_CA_BUNDLE", "SSL_CERT_FILE", "FEEDSYNC_CONFIG", "FEEDSYNC_STORE"]
        let set = names.filter { environment[$0].map { !$0.isEmpty } ?? false }
        guard !set.isEmpty else { return [] }
        var findings = [Finding(.environment, .ok, "set: \(set.joined(separator: ", "))")]
        if let file = Client.caFile(in: environment), access(file, R_OK) != 0 {
            let reason = String(cString: strerror(errno))
            findings.append(
                Finding(
                    .environment, .problem, "no certificate can be verified: \(file) cannot be read: \(reason)",
                    advice: "correct CURL_CA_BUNDLE or SSL_CERT_FILE, or unset it"))
        }
        return findings
    }

    func storeFindings(_ store: Store?, at path: String) async -> [Finding] {
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
                Finding(.store, .problem, "every user can change it", advice: "chmod o-w \(path)"))
        }
        do throws(FeedSyncError) {
            let damages = try await store.damages()
            let isOfIndexes = !damages.isEmpty && damages.allSatisfy(Store.isOfIndex)
            findings += damages.map { damage in
                Finding(
                    .store, .problem, "it is damaged: \(damage)",
                    advice: isOfIndexes ? Self.repairAdvice : Failure.rescueAdvice(path))
            }
            if damages.isEmpty {
                findings += try await store.discrepancies().map {
                    Finding(.store, .problem, $0, advice: Self.repairAdvice)
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

    private static let repairAdvice = "feedsync doctor --repair"

    /// - Parameter needs: What a copy of the store takes, which some commands make.
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
}

extension Failure {
    /// `.dump` leaves out unreadable data, and ends with a rollback then. Debian's sqlite3 has no `.recover`.
    fileprivate static func rescueAdvice(_ path: String) -> String {
        "restore a backup; or save what can be read: sqlite3 \(path) .dump | sed 's/^ROLLBACK.*/COMMIT;/' | sqlite3 new.db, "
            + "then feedsync doctor --repair --store new.db"
    }

    /// The same failure; for a damaged store, with advice on saving the readable data, for which other commands refer
    /// to this one.
    func rescuing(_ path: String?) -> Failure {
        guard let path, advice == FeedSyncError.adviceOnDamage else { return self }
        return Failure(code, messages, explanation: explanation, advice: Self.rescueAdvice(path))
    }
}
