internal import FeedSync

extension FeedDraft {
    /// The feed with `for_each`, where its request has columns of a feed, as in `{issues.number}`.
    ///
    /// - Parameter text: The text of its file.
    /// - Throws: `EditingError` of `words` for a feed that is not there, and for columns of feeds that are not above
    ///   one another.
    package func withParent(in text: [UInt8]) throws(EditingError) -> FeedDraft {
        let words = entry.members.flatMap(\.columns)
        guard !words.isEmpty, !entry.members.contains(where: { $0.name == "for_each" }) else { return self }
        let configuration = try parsed(text)
        var parents: [FeedDefinition] = []
        for (column, member) in words {
            guard let feed = configuration.feed(named: column.feed) else {
                // In a header or a body, braces may mean something else.
                guard ["url", "with", "query"].contains(member) else { continue }
                let names = configuration.feeds.map(\.name)
                let hint = NearestWord.suggestion(for: column.feed, among: names).map { "; did you mean \($0)?" } ?? ""
                throw .words(
                    "`\(column.word)` names a column of the feed \(column.feed), which does not exist\(hint)",
                    advice: "add the feed whose rows each have a list first")
            }
            if !parents.contains(where: { $0.name == feed.name }) { parents.append(feed) }
        }
        guard !parents.isEmpty else { return self }
        let lowest = parents.first { feed in
            let above = [feed.name] + (feed.forEach.map { [$0.feed] + $0.ancestors } ?? [])
            return parents.allSatisfy { above.contains($0.name) }
        }
        guard let parent = lowest else {
            throw .words(
                "the request has columns of \(parents.map(\.name).joined(separator: " and ")), and none of these feeds has a list for each row of the others",
                advice: "use columns of one feed, and of the feeds that its `for_each` leads to")
        }
        var draft = self
        draft.entry.members.insert(.init("for_each", .text(parent.name)), at: 0)
        return draft
    }

    /// The feed whose rows each have a list of this one; nil for a feed with one list.
    package var parent: String? {
        entry.members.lazy.compactMap {
            if case ("for_each", .text(let feed)) = ($0.name, $0.value) { feed } else { nil }
        }
        .first
    }
}

extension FeedEntry.Member {
    /// The columns that it has values of, with its name.
    fileprivate var columns: [(column: ParentColumn, member: String)] {
        ["url", "with", "query", "headers", "body"].contains(name) ? value.columns.map { ($0, name) } : []
    }
}

extension FeedEntry.Value {
    fileprivate var columns: [ParentColumn] {
        switch self {
        case .text(let text): ParentColumn.all(in: text)
        case .plain: []
        case .list(let values): values.flatMap(\.columns)
        case .mapping(let members): members.flatMap(\.value.columns)
        }
    }
}
