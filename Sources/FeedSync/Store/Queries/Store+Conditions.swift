internal import SQLite

extension Store {
    /// What a page would be asked for with; nil where it would be asked unconditionally.
    func conditions(for page: PreparedPage, of definition: FeedDefinition) throws(FeedError) -> Validators? {
        try records(
            """
            SELECT etag, last_modified, continuation FROM _page WHERE feed = ? AND request = ? AND credential = ?
            ORDER BY id DESC LIMIT 1
            """, [.text(definition.name), .text(page.identity), Value(page.credentialFingerprint)]
        ) { row in
            let validators = Validators(etag: try row.text("etag"), lastModified: try row.text("last_modified"))
            // A 304 would not tell that the header which leads on has come since.
            let mayHaveGoneOn = try definition.pagination.endsByAbsence && row.text("continuation") == nil
            return mayHaveGoneOn || validators.isEmpty ? nil : validators
        }.first.flatMap(\.self)
    }
}
