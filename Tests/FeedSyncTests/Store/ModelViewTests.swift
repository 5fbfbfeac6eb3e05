import SQLite
import Testing

@testable import FeedTables

@Suite("The view of a model")
struct ModelViewTests {
    @Test("The view of a model shows more feeds than SQLite joins at once, and fewer when some are gone")
    func manyFeeds() async throws {
        let queries = try await QueriesStore()
        let connection = queries.connection
        try connection.transaction {
            for number in 1...501 {
                try queries.addFeed("f\(number)", columns: ["id"])
                try queries.addRow("f\(number)", [Value(number)], position: 0)
            }
            try connection.run("UPDATE feed SET model = 'thing'")
            try ModelView(model: "thing").apply(to: connection)
        }
        #expect(try connection.scalar("SELECT count(DISTINCT feed) FROM thing")?.integer == 501)
        #expect(try connection.scalar("SELECT sum(id) FROM thing")?.integer == 501 * 502 / 2)
        let views = "SELECT count(*) FROM sqlite_schema WHERE type = 'view' AND name LIKE '%thing%'"
        #expect(try connection.scalar(views)?.integer == 3)
        try connection.transaction {
            try connection.run("DELETE FROM feed WHERE name = 'f7'")
            try ModelView(model: "thing").apply(to: connection)
        }
        #expect(try connection.scalar("SELECT count(*) FROM thing WHERE feed = 'f7'")?.integer == 0)
        #expect(try connection.scalar("SELECT count(*) FROM thing")?.integer == 500)
        #expect(try connection.scalar(views)?.integer == 1)
    }
}
