internal import Fleet
internal import PostgreSQL

/// The commits of a sync in PostgreSQL, from the log of one with an unchanged page: the run, the page's begin, the
/// page, and the run's end.
struct SyncCommits {
    let claim: Claim
    let feed: String
    let url: String
    /// The number of the feed's crawl and of its page, and of the run.
    let crawl: Int
    let run: Int

    /// Before the first request.
    func beginning(at now: Int64, dueAt: Int64) -> [String] {
        let now = Database.text(now)
        return [
            script([runRow(startedAt: now, finishedAt: nil, outcome: nil, pages: 0)]),
            script([feedRow("beginHeader", now: now, dueAt: dueAt), eventRow(0, "beginHeader", now)]),
        ]
    }

    /// After the last answer.
    func end(startedAt: Int64, at now: Int64, dueAt: Int64, outcome: String, pages: Int64) -> [String] {
        let started = Database.text(startedAt)
        let now = Database.text(now)
        let page = [
            feedRow("noMoreData", now: now, dueAt: dueAt), eventRow(1, "noMoreData", now),
            upsert(
                "_crawl", "id",
                [
                    ("id", "\(crawl)"), ("feed", feed), ("mode", "new"), ("generation", "1"), ("started_at", started),
                    ("pages", "\(pages)"), ("elements", "20"), ("position", "20"), ("complete", "1"), ("ended_at", now),
                ]),
            upsert(
                "_crawl_page", "crawl, number",
                [("crawl", "\(crawl)"), ("number", "1"), ("page", "\(crawl)"), ("position", "0")]),
        ]
        let end = [
            feedRow("noMoreData", now: now, dueAt: dueAt),
            runRow(startedAt: started, finishedAt: now, outcome: outcome, pages: pages),
            """
            UPDATE _feed SET round_started_at = '\(started)', round_ended_at = '\(now)', failures = 0, failing_since = NULL,
                planned_due_at = '\(Database.text(dueAt))' WHERE id = \(crawl);

            """,
        ]
        return [script(page), script(end)]
    }

    private func script(_ statements: [String]) -> String {
        "BEGIN;\n" + [claim].guarded + statements.joined() + "COMMIT"
    }

    private func feedRow(_ status: String, now: String, dueAt: Int64) -> String {
        upsert(
            "feed", "name",
            [
                ("name", feed), ("url", url), ("status", status), ("no_more_data", "t"), ("generation", "1"),
                ("item_count", "20"), ("complete", "t"), ("reloaded_at", now), ("synced_at", now),
                ("next_due_at", Database.text(dueAt)),
            ])
    }

    private func runRow(startedAt: String, finishedAt: String?, outcome: String?, pages: Int64) -> String {
        upsert(
            "run", "id",
            [
                ("id", "\(run)"), ("feed", feed), ("command", "sync"), ("started_at", startedAt),
                ("finished_at", finishedAt),
                ("outcome", outcome), ("pages", "\(pages)"), ("requests", "\(pages)"),
            ])
    }

    private func eventRow(_ index: Int, _ status: String, _ now: String) -> String {
        upsert(
            "event", "id",
            [
                ("id", "\(2 * run + index)"), ("at", now), ("feed", feed), ("run", "\(run)"), ("status", status),
                ("page", "1"),
            ])
    }

    /// As `WriteThrough` writes rows.
    private func upsert(_ table: String, _ key: String, _ fields: [(String, String?)]) -> String {
        let columns = fields.map { Connection.identifier($0.0) }
        let values = fields.map { $0.1.map(Connection.literal) ?? "NULL" }
        let settings = columns.map { "\($0) = EXCLUDED.\($0)" }
        return """
            INSERT INTO "\(table)" (\(columns.joined(separator: ", "))) VALUES (\(values.joined(separator: ", ")))
            ON CONFLICT (\(key)) DO UPDATE SET \(settings.joined(separator: ", "));

            """
    }
}
