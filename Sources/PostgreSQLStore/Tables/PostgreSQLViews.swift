internal import FeedTables
internal import Feeds
internal import JSON
package import PostgreSQL
internal import Text

/// The views that are made of the feeds' tables: `change`, and one for each model.
package struct PostgreSQLViews {
    /// A feed with its table, and the names of the key's columns.
    package struct Feed {
        let stored: StoredFeed
        let table: CopiedTable
        let key: [String]
    }

    let feeds: [Feed]

    package init(feeds: [Feed]) { self.feeds = feeds }

    private static let own = PlaceColumn.allCases.map(\.rawValue)

    /// Creates the views again that have changed.
    ///
    /// - Throws: `PostgreSQLError`, also if a user's view depends on one that must be dropped.
    package func apply(to connection: PostgreSQL.Connection) throws {
        var wanted = views("change", ["at", "feed", "run", "kind", "key", "before"], of: changes)
        for model in Set(feeds.compactMap(\.stored.model)).sorted() {
            let (columns, terms) = union(of: feeds.filter { $0.stored.model == model })
            wanted += views(TableSchema.tableName(model), columns, of: terms)
        }
        for feed in feeds {
            for list in feed.stored.lists {
                guard let query = query(of: list, in: feed) else { continue }
                let names = list.columnNames(key: feed.key)
                let shown = names.map { CopiedTable.Column(name: $0, type: .text).shortName }
                wanted += views(list.viewName(of: feed.table.name), shown, of: [query])
            }
        }
        let marked = wanted.map { (name: $0.name, sql: $0.sql, mark: "feedsync \(FNV1a($0.sql).digits)") }
        let marks = try Self.marks(on: connection)
        let isSame =
            marks.count == marked.count
            && marked.allSatisfy { view in [view.mark, view.mark + Self.outdated].contains(marks[view.name]) }
        if !isSame { try drop(from: connection) }
        for view in marked where !isSame || marks[view.name] != view.mark {
            let name = PostgreSQL.Connection.identifier(view.name)
            if !isSame { try connection.execute(view.sql) }
            try connection.execute("COMMENT ON VIEW \(name) IS \(PostgreSQL.Connection.literal(view.mark))")
        }
    }

    /// SQL that marks the views as outdated; empty if there are none. It is committed with the new or changed table,
    /// because the worker may end before it updates the views.
    package static func outdating(on connection: PostgreSQL.Connection) throws -> String {
        guard let mark = try marks(on: connection, of: "change")["change"], !mark.hasSuffix(outdated) else {
            return ""
        }
        return "COMMENT ON VIEW change IS \(PostgreSQL.Connection.literal(mark + outdated));\n"
    }

    /// True if tables were created or changed since the views were.
    package static func areOutdated(on connection: PostgreSQL.Connection) throws -> Bool {
        try marks(on: connection, of: "change")["change"]?.hasSuffix(outdated) ?? true
    }

    private static let outdated = " outdated"

    /// Drops all views.
    ///
    /// - Throws: `PostgreSQLError` if a user's view depends on one of them.
    package func drop(from connection: PostgreSQL.Connection) throws {
        // Views that read the others go first; the names of the others begin with an underscore.
        let names = try Self.marks(on: connection).keys.map { (isPart: $0.hasPrefix("_"), name: $0) }
        for name in names.filter({ !$0.isPart }) + names.filter(\.isPart) {
            try connection.execute("DROP VIEW \(PostgreSQL.Connection.identifier(name.name))")
        }
    }

    /// The marks of existing views, which identify their SQL.
    ///
    /// - Parameter name: The only view of interest.
    private static func marks(on connection: PostgreSQL.Connection, of name: String? = nil) throws -> [String: String] {
        let stored = try connection.query(
            """
            SELECT c.relname, obj_description(c.oid, 'pg_class')
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE n.nspname = current_schema() AND c.relkind = 'v' AND obj_description(c.oid, 'pg_class') LIKE 'feedsync %'
                AND c.relname = coalesce($1, c.relname)
            """, [name])
        return Dictionary(stored.map { ($0[0] ?? "", $0[1] ?? "") }) { first, _ in first }
    }

    /// The statements that create the view of a union and its parts. Each names the columns: in PostgreSQL a part gets
    /// the names of its own first term.
    private func views(_ name: String, _ columns: [String], of terms: [String]) -> [(name: String, sql: String)] {
        let header = columns.map(PostgreSQL.Connection.identifier).joined(separator: ", ")
        let parts = UnionParts(name, of: terms) { PostgreSQL.Connection.identifier(ShortName.of($0)) }
        return parts.views.map { view in
            let name = ShortName.of(view.name)
            return (name, "CREATE VIEW \(PostgreSQL.Connection.identifier(name)) (\(header)) AS\n\(view.query)")
        }
    }
}

extension PostgreSQLViews {
    /// The queries for changes of stored rows, and for new rows in each feed's table.
    private var changes: [String] {
        let first = """
            SELECT at, feed, run, kind, CAST(key AS json) #>> '{}', before FROM _change
            """
        return [first]
            + feeds.map { feed in
                let own = feed.stored.name
                let name = PostgreSQL.Connection.literal(own)
                let isOfFeed =
                    feed.stored.hasParts
                    ? "(feed = \(name) OR left(feed, \(own.count + 1)) = \(PostgreSQL.Connection.literal(own + "/")))"
                    : "feed = \(name)"
                let columns = feed.key.map { key in
                    let column = feed.table.columns.first { $0.name == key }?.shortName ?? key
                    return "t.\(PostgreSQL.Connection.identifier(column))"
                }
                let values = columns.map { "CAST(to_json(\($0)) AS text)" }.joined(separator: " || ',' || ")
                let key = columns.count == 1 ? "CAST(\(columns[0]) AS text)" : "'[' || \(values) || ']'"
                return """
                    SELECT t._first_seen_at, CAST(\(name) AS text), e.run, CAST('new' AS text), \(key), CAST(NULL AS json)
                    FROM \(PostgreSQL.Connection.identifier(feed.table.name)) t JOIN (
                        SELECT at, max(run) AS run FROM event WHERE \(isOfFeed) AND inserted > 0 GROUP BY at
                    ) e ON e.at = t._first_seen_at
                    """
            }
    }

    /// The elements of a list, each with the key of its row; nil unless the column holds JSON. Members are text,
    /// objects and arrays their JSON.
    private func query(of list: ListShape, in feed: Feed) -> String? {
        let quoted = PostgreSQL.Connection.identifier
        guard let column = feed.table.columns.first(where: { $0.name == list.column }),
            [.json, .jsonb].contains(column.type)
        else { return nil }
        let json = "CAST(t.\(quoted(column.shortName)) AS jsonb)"
        let key = feed.key.map { key in
            "t.\(quoted(feed.table.columns.first { $0.name == key }?.shortName ?? key))"
        }
        let plain =
            list.hasPlain ? ["CASE jsonb_typeof(e.value) WHEN 'object' THEN NULL ELSE e.value #>> '{}' END"] : []
        let members = list.members.map { "e.value ->> \(PostgreSQL.Connection.literal($0))" }
        let values = key + ["CAST(e.number - 1 AS bigint)"] + plain + members
        return """
            SELECT \(values.joined(separator: ", ")) FROM \(quoted(feed.table.name)) t CROSS JOIN LATERAL
                jsonb_array_elements(CASE jsonb_typeof(\(json)) WHEN 'array' THEN \(json) ELSE '[]' END)
                    WITH ORDINALITY AS e (value, number)
            WHERE t._removed_at IS NULL
            """
    }

    /// A model's feeds: `feed` first, then every column that any of them has. Where feeds differ in a column's type, it
    /// is text.
    private func union(of feeds: [Feed]) -> (columns: [String], terms: [String]) {
        var columns: [String] = []
        var types: [[UInt8]: Set<FieldType>] = [:]
        for feed in feeds {
            for column in feed.stored.columns {
                let name = TableSchema.folded(column)
                guard let type = feed.type(of: column) else { continue }
                if types[name] == nil { columns.append(column) }
                types[name, default: []].insert(type)
            }
        }
        let names = ["feed"] + ColumnNames.columnNames(for: ["feed"] + columns).dropFirst()
        let shown = names.map { CopiedTable.Column(name: $0, type: .text).shortName }
        let terms = feeds.map { feed in
            let values = columns.map { column in
                let all = types[TableSchema.folded(column)] ?? []
                let type = all.count == 1 ? all.first?.sql ?? "text" : "text"
                let own = feed.stored.columns.first { TableSchema.folded($0) == TableSchema.folded(column) }
                guard let own, let ownType = feed.type(of: own) else { return "CAST(NULL AS \(type))" }
                let name = PostgreSQL.Connection.identifier(CopiedTable.Column(name: own, type: ownType).shortName)
                return all.count == 1 ? name : "CAST(\(name) AS text)"
            }
            let all = ["CAST(\(PostgreSQL.Connection.literal(feed.stored.name)) AS text)"] + values + Self.own
            return "SELECT \(all.joined(separator: ", ")) FROM \(PostgreSQL.Connection.identifier(feed.table.name))"
        }
        return (shown + Self.own, terms)
    }
}

extension PostgreSQLViews.Feed {
    fileprivate func type(of column: String) -> FieldType? { table.columns.first { $0.name == column }?.type }
}
