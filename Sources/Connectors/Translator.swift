internal import Feeds
internal import YAML

/// Translates streams, each after the one through whose rows it goes.
final class Translator {
    private let document: ManifestDocument
    private let settings: ConnectorSettings
    private let schema: (String) -> [UInt8]?
    /// The URLs of the feeds that there are, by their names.
    private let configured: [String: String]
    private var names: FeedNames
    /// The feeds so far, parents first.
    private var feeds: [TranslatedFeed] = []
    /// The feeds as they were before others needed columns of them.
    private var plain: [TranslatedFeed] = []
    private var depth = 0

    /// The longest chain of lists of lists.
    private static let mostDepth = 16

    init(
        _ document: ManifestDocument, _ settings: ConnectorSettings, _ schema: @escaping (String) -> [UInt8]?,
        besides configured: [FeedDefinition]
    ) {
        (self.document, self.settings, self.schema) = (document, settings, schema)
        names = FeedNames(of: configured)
        self.configured = Dictionary(
            configured.map { ($0.name, $0.url.description) }, uniquingKeysWith: { first, _ in first })
    }

    func translation(of streams: [(name: String?, component: Component)]) -> Connector.Translation {
        var result = Connector.Translation()
        var wanted: [String] = []
        for (name, component) in streams {
            do throws(ConnectorFault) {
                wanted.append(feeds[try translate(component)].name)
            } catch {
                result.leftOut.append(.init(stream: name ?? "?", fault: error))
            }
        }
        var lines: [String: [String]] = [:]
        var written: [(name: String, feed: Connector.Feed)] = []
        for feed in feeds {
            let above = feed.parent.map { lines[$0] ?? [] } ?? []
            guard feed.parent == nil || !above.isEmpty else {
                let fault = ConnectorFault(
                    .parent, "its parent \(feed.parent ?? "") is left out", at: document.root.mark)
                result.leftOut.append(.init(stream: feed.stream, fault: fault))
                continue
            }
            let own = above + feed.entry.lines
            do throws(ConfigurationError) {
                _ = try Configuration.parse(Array("feeds:\n\(own.joined(separator: "\n"))\n".utf8), file: "")
            } catch {
                let problem = error.diagnostics.first?.problem ?? "it is no valid feed"
                let mark = streams.first { $0.name == feed.stream }?.component.mark ?? document.root.mark
                result.leftOut.append(.init(stream: feed.stream, fault: ConnectorFault(.feed, problem, at: mark)))
                continue
            }
            lines[feed.name] = own
            guard configured[feed.name] == nil else {
                result.known.append(feed.name)
                continue
            }
            let isParent = !wanted.contains(feed.name)
            written.append(
                (feed.name, .init(stream: feed.stream, entry: feed.entry, notes: feed.notes, isParent: isParent)))
        }
        let needed = namesInUse(wanted.filter { lines[$0] != nil })
        result.feeds = written.filter { needed.contains($0.name) }.map(\.feed)
        return result
    }

    /// The names of some feeds and of those through whose rows they go.
    private func namesInUse(_ wanted: [String]) -> Set<String> {
        // Parents come first.
        feeds.reversed().reduce(into: Set(wanted)) { names, feed in
            if let parent = feed.parent, names.contains(feed.name) { names.insert(parent) }
        }
    }

    /// The place of the feed that a stream becomes.
    private func translate(_ stream: Component) throws(ConnectorFault) -> Int {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.mostDepth else {
            throw stream.fault(.partitions, "it goes through the rows of too many streams")
        }
        var translator = try StreamTranslator(stream, settings: settings) { name in
            self.schema(name).flatMap { Node(json: $0) }
        }
        let feed = try translator.translate { parent, path throws(ConnectorFault) in
            let index = try self.parent(parent)
            return (self.feeds[index], self.feeds[index].column(for: path))
        }
        if let index = plain.firstIndex(where: { $0.isSameList(as: feed) }) { return index }
        plain.append(feed)
        var named = feed
        let isKnown = configured[feed.stream] == feed.url.written
        named.name = isKnown ? feed.stream : names.addName(feed.stream, orMadeOf: [feed.stream])
        feeds.append(named)
        return feeds.count - 1
    }

    private func parent(_ stream: Component) throws(ConnectorFault) -> Int {
        do throws(ConnectorFault) {
            return try translate(stream)
        } catch {
            guard error.kind != .setting else { throw error }
            let name = (try? StreamTranslator.name(of: stream, Evaluator(settings: settings))) ?? "?"
            throw ConnectorFault(
                .parent, "it goes through \(name), which is left out: \(error.problem)", at: error.mark)
        }
    }
}
