import Concurrency
import SQLite
import Testing

@Suite struct WorkLimitTests {
    private static let endless =
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"

    private func connection() throws -> Connection {
        let connection = try Connection(path: ":memory:")
        connection.heedWorkLimits()
        return connection
    }

    private func isInterrupted(_ connection: Connection) -> Bool {
        do throws(SQLiteError) {
            try connection.execute(Self.endless)
            return false
        } catch {
            return error.isInterrupted
        }
    }

    @Test("A statement beyond the limit is ended, and so are those after it in the task")
    func limit() throws {
        let connection = try connection()
        let limit = WorkLimit(.milliseconds(20))
        WorkLimit.$current.withValue(limit) {
            #expect(isInterrupted(connection))
            #expect(limit.isExceeded)
            #expect(isInterrupted(connection))
        }
        // Others are not concerned.
        try WorkLimit.$current.withValue(WorkLimit(.seconds(60))) { try connection.execute("SELECT 1") }
    }

    @Test("A statement of a cancelled task is ended at once")
    func cancelled() async throws {
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return isInterrupted(try connection())
        }
        #expect(try await task.value)
    }
}
