internal import Editing
internal import FeedSync

extension Command {
    /// `rename FEED NAME`
    static let rename = Command(
        name: "rename", operands: "FEED NAME", need: "the name of a feed, and a new one", count: 2...2,
        store: .writes(isUrgent: true, needsItems: false),
        summary: "Give a feed another name, in the configuration and in the store",
        explanation: """
            Changes the feed's name in the configuration file, where nothing else changes, and in the store: its
            table, its history, and where it stands. The next sync costs what it would have cost before.
            Views of your own follow the table. Feeds in the same file that have a list for each of its rows
            follow it, too. It cannot run while another process is working on the feed.
            """,
        example: "feedsync rename things old-things"
    ) { session throws(Failure) in
        let (feed, name) = (session.invocation.operands[0], session.invocation.operands[1])
        let configuration = try session.configuration()
        let lines = try session.lines(of: feed)
        let store = try await session.store(configuration, changing: [feed, name])
        let isStored: Bool
        do throws(EditingError) {
            isStored = try await FeedRenaming(of: lines, to: name).perform(in: store)
        } catch {
            throw Failure(error)
        }
        let palette = session.console.palette
        session.print(
            result: ["feed": feed, "name": name, "file": lines.file.path, "is_stored": isStored],
            orLine: "\(palette.name(feed))  renamed to \(palette.name(name))")
        return .done
    }
}
