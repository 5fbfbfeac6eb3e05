internal import Concurrency
internal import FeedSync
internal import Platform

extension Command {
    /// `path [store | configuration]`
    static let path = Command(
        name: "path", operands: "[store | configuration]", count: 0...1, store: .any, isForResults: true,
        summary: "Print which store and which configuration are used",
        explanation: """
            Prints the paths of the configuration and of the store that the other commands use in this
            place. With an operand, prints only that path, for scripts.
            """,
        example: "feedsync path store"
    ) { session throws(Failure) in
        let file = try session.configurationFile()?.path
        let configuration = try session.configurationForReading()
        let isFile = session.sharedStore(configuration) == nil
        let store = session.storeName(configuration).map { isFile ? AbsolutePath.of($0) : $0 }
        let paths = [(name: "configuration", path: file.map(AbsolutePath.of)), (name: "store", path: store)]
        if let name = session.invocation.operands.first {
            guard let wanted = paths.first(where: { $0.name == name }) else {
                throw .unknown("path", name, among: paths.map(\.name), advice: session.invocation.command.helpAdvice)
            }
            guard let path = wanted.path else {
                throw Failure(.configuration, ["there is no \(name)"], advice: "feedsync path  # shows what there is")
            }
            session.print(result: JSONFields([(name, path)]), orLine: path)
            return .done
        }
        var table = Table([.init(title: "") { $0.faint($1) }, ""], hasTitles: false)
        for (name, path) in paths { table.add([name, path ?? "none"]) }
        session.list([JSONFields(paths.map { ($0.name, $0.path) })]) {
            session.console.print(table.lines(session.console.palette, width: nil))
        }
        return .done
    }
}

extension Session {
    /// Tells a user at a terminal which files a list was made from.
    func nameFiles(_ configuration: Configuration?) {
        guard listingForm == .people, console.isWatched else { return }
        let file = configuration.map { "using \($0.file)" }
        let isThere =
            sharedStore(configuration) != nil || storePath(configuration).map { access($0, F_OK) == 0 } ?? false
        let store = storeName(configuration).map { "store \($0)" + (isThere ? "" : " (not there yet)") }
        console.comment(console.errorPalette.faint([file, store].compactMap(\.self).joined(separator: ", ")))
    }
}

/// Paths that hold wherever they are used.
enum AbsolutePath {
    static func of(_ path: String) -> String {
        let resolved = FileStamp.resolved(path)
        guard !resolved.hasPrefix("/"), let folder = getcwd(nil, 0) else { return resolved }
        defer { free(folder) }
        return "\(String(cString: folder))/\(resolved)"
    }
}
