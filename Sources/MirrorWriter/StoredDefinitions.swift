internal import SQLite

/// The definition of a feed as the store keeps it.
struct StoredDefinition {
    let key: String
    let text: String
    let model: String?
    let url: String
    let findings: Findings
    /// True if no page has been stored, and nothing was found.
    private let hasNoPage: Bool

    fileprivate init(_ row: Statement) {
        key = row.text(at: 0) ?? ""
        text = row.text(at: 1) ?? ""
        model = row.text(at: 2)
        url = row.text(at: 3) ?? ""
        findings = row.text(at: 4).flatMap(Findings.init) ?? Findings()
        hasNoPage = row.isNull(at: 4) && row.isNull(at: 5)
    }

    /// True if the first page is to make the table, with the columns that it brings.
    fileprivate func waitsForColumns(of declared: FeedDefinition, canonical: String) -> Bool {
        declared.hasOpenColumns && hasNoPage && text == canonical
    }

    /// True if the definition has changed, also where that matters to nothing that is stored.
    fileprivate func isOther(than declared: FeedDefinition, canonical: String) -> Bool {
        text != canonical || model != declared.model || url != declared.shownURL
    }

    /// The definition with the findings of earlier runs, as far as they still hold.
    ///
    /// - Parameter canonical: The canonical text of the definition.
    func resolved(_ declared: FeedDefinition, canonical: String) throws(FeedSyncError) -> ResolvedFeed {
        var findings = findings
        if text != canonical {
            // The key stays, because it tells rows apart. The places of items and pages may have changed.
            findings.items = nil
            findings.pagination = nil
            findings.triedElementCount = nil
            findings.mayGoOn = false
            findings.failedSearchCount = 0
            findings.triedKeys = nil
            findings.triedSigns = nil
            findings.strayItemCount = nil
            findings.sign = nil
        }
        return try ResolvedFeed(declared, findings)
    }
}

/// The definitions of the store's feeds: enters new ones, and applies changed ones.
///
/// Each change is part of the caller's transaction.
///
/// - Isolation: the store's.
struct StoredDefinitions {
    let connection: Connection
    let path: String
    let salt: String
    let views: StoreViews

    /// - Throws: `FeedSyncError` of kind `store` if the store does not have the feed.
    func definition(of feed: String) throws -> StoredDefinition {
        if let row = try row(of: feed) { return row }
        throw FeedSyncError(
            .store, "\(path): the tables `feed` and `_feed` disagree about the feed",
            advice: "the store is damaged; restore a backup, or use another with --store")
    }

    private func row(of feed: String) throws -> StoredDefinition? {
        try connection.first(
            """
            SELECT key, definition, model, url, found, _feed.crawl FROM _feed JOIN feed ON feed.name = _feed.feed
            WHERE feed = ?
            """, [.text(feed)]
        ) { StoredDefinition($0) }
    }

    // MARK: - New feeds

    /// The number of the next feed or part. Feeds and parts share one sequence, because locks use the number.
    private static let nextNumber = """
        (SELECT coalesce(max(seq), 0) + 1 FROM sqlite_sequence WHERE name IN ('_feed', '_feed_part'))
        """

    /// Adds a feed, or a list of one, and returns its number. A feed that is there already keeps its number.
    func enter(_ definition: FeedDefinition) throws -> Int64 {
        if let part = definition.part { return try enter(part, definition) }
        if let id = try connection.int64("SELECT id FROM _feed WHERE feed = ?", .text(definition.name)) { return id }
        let schema = TableSchema(definition)
        let table = Value.text(schema.name)
        if let other = try connection.scalar("SELECT feed FROM _feed WHERE \"table\" = ?", table)?.text {
            throw FeedSyncError(
                .configuration, "its table already belongs to feed `\(other)`",
                advice: "rename the feed, or use another store")
        }
        // A table that gets its columns with the first page is made then: SQLite reads its whole schema for each change
        // of it, which is slow in a store of thousands of feeds.
        if definition.isResolved, !definition.hasOpenColumns, definition.forEach == nil {
            try schema.create(on: connection)
            views.changeViewMayLag = true
        } else {
            try schema.checkName(on: connection)
        }
        try connection.run(
            "INSERT INTO feed (name, model, url) VALUES (?, ?, ?)", .text(definition.name), Value(definition.model),
            .text(definition.shownURL))
        try connection.run(
            """
            INSERT INTO _feed (id, feed, "table", key, key_columns, columns, definition)
            VALUES (\(Self.nextNumber), ?, ?, ?, ?, ?, ?)
            """, .text(definition.name), .text(schema.name), .text(definition.isResolved ? definition.keyText : ""),
            .text(definition.keyColumnsJSON),
            .text(definition.columns.json), .text(definition.canonicalText(salt: salt)))
        let id = connection.lastInsertRowID
        try followModels([definition.model])
        return id
    }

    private func enter(_ part: FeedPart, _ definition: FeedDefinition) throws -> Int64 {
        guard try connection.scalar("SELECT 1 FROM _feed WHERE feed = ?", .text(part.feed)) != nil else {
            throw FeedSyncError(.bug, "a part of feed `\(part.feed)` comes before the feed")
        }
        let name = Value.text(definition.name)
        try connection.run(
            "INSERT INTO feed_part (name, feed, parent_key, url) VALUES (?, ?, ?, ?)", name, .text(part.feed),
            part.parentKey, .text(definition.shownURL))
        try connection.run(
            "INSERT INTO _feed_part (id, feed, definition) VALUES (\(Self.nextNumber), ?, '')", name)
        let number = connection.lastInsertRowID
        try PartsAhead.noteList(part, on: connection)
        return number
    }

    // MARK: - Changed definitions

    /// A feed's definition with the findings of earlier runs; nil if a run has to adopt it first, because it, its table
    /// or its search index has changed.
    ///
    /// - Parameter canonical: The canonical text of the definition.
    func unchanged(_ declared: FeedDefinition, canonical: String) throws -> FeedDefinition? {
        guard let stored = try row(of: declared.name), !stored.isOther(than: declared, canonical: canonical) else {
            return nil
        }
        let definition = try declared.settled(by: stored.findings)
        guard definition.isResolved, stored.key == definition.keyText,
            TableSchema(definition).isComplete(on: connection), try SearchIndex.isCurrent(definition, on: connection)
        else { return nil }
        return definition
    }

    /// Applies the definition of a feed, or of one of its lists: rows stay, and the upstream's state is dropped if the
    /// definition has changed.
    ///
    /// - Returns: The definition with the findings of earlier runs.
    func adopt(_ declared: FeedDefinition) throws -> ResolvedFeed {
        if let part = declared.part { return try adopt(part, declared) }
        let stored = try definition(of: declared.name)
        let canonical = declared.canonicalText(salt: salt)
        let shape = try stored.resolved(declared, canonical: canonical)
        let definition = shape.definition
        try checkKey(of: definition, stored, owner: declared.name, hasParts: false)
        let waits = stored.waitsForColumns(of: declared, canonical: canonical)
        let extended = waits ? .none : try extend(definition)
        if stored.text != canonical || extended != .none { try forgetUpstream(shape, canonical: canonical) }
        try SearchIndex.follow(definition, on: connection)
        if stored.isOther(than: definition, canonical: canonical) { try describe(definition, over: stored) }
        return shape
    }

    /// Applies a list's definition: its own members, and the findings shared by all lists of the feed.
    private func adopt(_ part: FeedPart, _ declared: FeedDefinition) throws -> ResolvedFeed {
        let owner = try definition(of: part.feed)
        let shape = try ResolvedFeed(declared, owner.findings)
        let definition = shape.definition
        let name = Value.text(declared.name)
        try checkKey(of: definition, owner, owner: part.feed, hasParts: true)
        // Every list has to be read again for the rows or the values that are missing.
        if try extend(definition) != .none {
            try connection.run(
                "UPDATE _feed_part SET definition = '' WHERE feed IN (SELECT name FROM feed_part WHERE feed = ?)",
                .text(part.feed))
        }
        let fingerprint = declared.fingerprint(salt: salt)
        let known = try connection.scalar("SELECT definition FROM _feed_part WHERE feed = ?", name)?.text
        if known != fingerprint {
            try forgetUpstream(shape, canonical: fingerprint)
            try connection.run(
                "UPDATE feed_part SET url = ? WHERE name = ?", .text(declared.shownURL), name)
        }
        try SearchIndex.follow(definition, on: connection)
        return shape
    }

    /// Applies the definition of a feed with a list for each row of another. The lists do that for themselves when they
    /// are requested.
    func adoptOwner(_ declared: FeedDefinition) throws {
        let stored = try definition(of: declared.name)
        let canonical = declared.canonicalText(salt: salt)
        let shape = try stored.resolved(declared, canonical: canonical)
        try checkKey(of: shape.definition, stored, owner: declared.name, hasParts: true)
        guard stored.isOther(than: declared, canonical: canonical) else { return }
        try connection.run(
            "UPDATE _feed SET definition = ?, found = ? WHERE feed = ?", .text(canonical), .text(shape.findings.json),
            .text(declared.name))
        try describe(declared, over: stored)
    }

    /// - Throws: `FeedSyncError` of kind `configuration` if the rows have another key.
    private func checkKey(
        of definition: FeedDefinition, _ stored: StoredDefinition, owner: String, hasParts: Bool
    ) throws(FeedSyncError) {
        guard !stored.key.isEmpty, stored.key != definition.keyText else { return }
        throw FeedSyncError(
            .configuration, "`key` differs from the one the stored rows use",
            advice: hasParts
                ? "restore the old `key`, or delete the rows with feedsync remove \(owner) --data and add the feed again"
                : "feedsync rekey \(owner)  # or restore the old `key`")
    }

    /// Adds to the table what the definition has and the table lacks.
    ///
    /// The table or a column may have been dropped by hand. Values derived from its rows are then no longer true, and a
    /// page that has not changed would not bring the column's values again.
    private func extend(_ definition: FeedDefinition) throws -> TableSchema.Extension {
        guard definition.isResolved else { return .none }
        let extended = try TableSchema(definition).extend(on: connection)
        guard extended == .table else { return extended }
        views.changeViewMayLag = true
        let name = Value.text(definition.owner)
        // A feed without rows has no table in PostgreSQL, and gets one in each file of a worker: nothing was lost.
        guard try connection.count("SELECT item_count FROM feed WHERE name = ?", name) > 0 else { return .none }
        try connection.run("DELETE FROM _section WHERE feed = ?", name)
        try connection.run("UPDATE feed SET item_count = 0 WHERE name = ?", name)
        try connection.run("UPDATE feed_part SET item_count = 0 WHERE feed = ?", name)
        return extended
    }

    /// Drops the validators, page cursor, synced ranges and watermark, which belong to another definition.
    func forgetUpstream(_ shape: ResolvedFeed, canonical: String) throws {
        let definition = shape.definition
        let name = Value.text(definition.name)
        try StoredState(of: definition.name, on: connection).forgetPlaces()
        if definition.part != nil {
            try connection.run("UPDATE _feed_part SET definition = ? WHERE feed = ?", .text(canonical), name)
            return try ListTable.record(shape, on: connection)
        }
        try connection.run(
            """
            UPDATE _feed SET definition = ?, columns = ?, found = ?, key = ?, key_columns = ?, moved_to = NULL WHERE feed = ?
            """, .text(canonical), .text(try StoredTable.columns(merging: definition, on: connection)),
            .text(shape.findings.json), .text(definition.isResolved ? definition.keyText : ""),
            .text(definition.keyColumnsJSON), name)
    }

    /// Writes the definition's model and URL.
    private func describe(_ definition: FeedDefinition, over stored: StoredDefinition) throws {
        try connection.run(
            "UPDATE feed SET model = ?, url = ? WHERE name = ?", Value(definition.model), .text(definition.shownURL),
            .text(definition.name))
        try followModels([stored.model, definition.model])
    }

    private func followModels(_ models: Set<String?>) throws {
        for model in models.compactMap(\.self) {
            try ModelView(model: model).follow(on: connection)
            views.modelsThatMayLag.insert(model)
        }
    }
}

extension Store {
    var definitions: StoredDefinitions {
        StoredDefinitions(connection: connection, path: path, salt: salt, views: views)
    }
}

/// The parts of a definition that the store keeps.
extension FeedDefinition {
    /// The names of the key columns: those of the parent's key, then the item's; a JSON array.
    var keyColumnsJSON: String {
        let names = (part?.key.map(\.name) ?? []) + key
        return "[\(names.map(JSONText.string).joined(separator: ","))]"
    }

    /// A hash of the definition that changes whenever the definition does. The store keeps one for each part.
    package func fingerprint(salt: String) -> String { fingerprint(salt: salt, common: commonLines(salt: salt)) }

    /// The same hash, computed with the lines that all lists of the feed share.
    package func fingerprint(salt: String, common: CommonLines) -> String {
        FNV1a(canonicalText(salt: salt, common: common)).digits
    }
}
