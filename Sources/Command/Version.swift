internal import CLibraryLoader
internal import FeedSync
internal import HTTP
internal import XML

extension Command {
    /// `--version`; it has no command name.
    static let version = Command(
        name: "version", options: [.verbose], summary: "Print the version; with --verbose, those of the libraries, too",
        explanation: "", example: "feedsync --version"
    ) { session throws(Failure) in
        session.console.print("feedsync \(FeedSyncVersion.text)")
        if session.invocation.has(.verbose) {
            for (name, version) in LibraryVersions.all { session.console.print("\(name): \(version)") }
        }
        return .done
    }
}

/// The libraries that the program uses.
enum LibraryVersions {
    /// The libraries that are linked in, as `SOURCE/VERSION,…` of Debian's sources; empty if they are not known.
    static let linked = String(cString: library_linked())

    /// The libraries that are linked in, and those that are opened when they are needed; empty for one that is missing.
    static var all: [(name: String, version: String)] {
        let curl = (try? CurlLibrary.version()) ?? ""
        return [("linked in", linked), ("libcurl", curl), ("libexpat", XMLStream.libraryVersion ?? "")]
            .filter { !$0.version.isEmpty }
    }
}
