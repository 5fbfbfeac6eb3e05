import Foundation
import HTTPServer
import ScriptedServer
import Testing

@Suite("show --at")
struct ShowAtTests {
    /// A folder whose feed has had these lists, and the times after each of them.
    private func place(
        _ lists: [String], extra: String = "", key: String = "id"
    ) async throws -> (place: Workplace, times: [String]) {
        let place = try Workplace([])
        try place.write(
            "feedsync.yaml",
            """
            feeds:
              things:
                {url: "\(place.server.url)/things", items: items, key: \(key), retries: 0, sync: {mode: all},
                 pagination: {style: none},
                 columns: {id: id, name: name, n: n, ok: {path: ok, type: boolean}, more: {path: more, type: json}}\(extra)}
            """)
        var times: [String] = []
        for list in lists {
            place.server.route("/things") { _ in .json(#"{"items":[\#(list)]}"#) }
            let run = try await place.run("sync")
            #expect(run.code == 0, "\(run.errors)")
            times.append(try await place.shell(#"sqlite3 feedsync.db "SELECT max(finished_at) FROM run""#).output)
        }
        return (place, times.map { $0.trimmingCharacters(in: .whitespacesAndNewlines) })
    }

    private let lists = [
        #"{"id":1,"name":"one","n":1,"ok":true,"more":{"a":[1]}},{"id":2,"name":"two \"2\"","n":null,"ok":false}"#,
        #"{"id":1,"name":"ONE","n":1.5,"ok":null,"more":7},{"id":3,"name":"three","n":3,"ok":true}"#,
        #"{"id":1,"name":"One","n":"I","ok":false},{"id":2,"name":"two \"2\"","n":2,"ok":false}"#,
        #"{"id":2,"name":"zwei","n":2,"ok":true}"#,
    ]

    @Test("The items are those that each sync left, with their values, whatever came later")
    func each() async throws {
        let (place, times) = try await place(lists)
        let columns = "--columns id,name,n,ok,more --json --sort id"
        var seen: [String] = []
        for time in times { seen.append(try await place.run("show things --at \(time) \(columns)").output) }
        for (index, count) in lists.indices.enumerated() {
            let (earlier, _) = try await self.place(Array(lists.prefix(count + 1)))
            #expect(try await earlier.run("show things \(columns)").output == seen[index])
        }
        #expect(try await place.run("show things \(columns)").output == seen[3])
    }

    @Test("Conditions, limits and sections select among the items of that time")
    func conditions() async throws {
        let (place, times) = try await place(lists, extra: ", section: ok")
        let show = "show things --at \(times[1])"
        #expect(try await place.run("\(show) --where id>2 --columns name --csv").output == "name\nthree\n")
        #expect(try await place.run("\(show) --limit 1 --columns id --csv").output.hasPrefix("id\n"))
        let times2 = try await place.run("\(show) --columns _changed_at,_removed_at,id --sort id --csv").output
        #expect(times2.contains(",,1\n") && times2.contains(",,3\n"))
    }

    @Test("Keys of several columns are found again")
    func keys() async throws {
        let (place, times) = try await place(
            [
                #"{"id":1,"name":"a\t\"b","n":1},{"id":1,"name":"c","n":2}"#,
                #"{"id":1,"name":"a\t\"b","n":9}"#,
            ], key: "[id, name]")
        #expect(
            try await place.run("show things --at \(times[0]) --columns n --sort n --csv").output == "n\n1\n2\n")
        #expect(try await place.run("show things --at \(times[1]) --columns n --csv").output == "n\n9\n")
    }

    @Test("Before the first page there were no items, and the note says so")
    func before() async throws {
        let (place, _) = try await place([lists[0]])
        let run = try await place.run("show things --at yesterday --csv")
        #expect(run.code == 0)
        #expect(run.errors.contains("it had no items then"))
    }

    @Test(
        "A time that is not kept, and what contradicts --at, are refused",
        arguments: [
            ("--at 2001-01-01", "changes are kept for 90d"), ("--at tomorow", "--at must be a time"),
            ("--at 1h --since 2h", "--at and --since cannot be used together"),
            ("--at 1h --removed", "--at and --removed cannot be used together"),
        ])
    func refused(options: String, message: String) async throws {
        let (place, _) = try await place([lists[0]])
        let run = try await place.run("show things \(options)")
        #expect(run.code == 64)
        #expect(run.errors.contains(message), "\(run.errors)")
    }

    @Test("Weeks are understood, and nothing is printed of no items")
    func weeks() async throws {
        let (place, _) = try await place([lists[0]])
        #expect(try await place.run("show things --since 1w --csv").output.split(separator: "\n").count == 3)
        #expect(try await place.run("show things --where 0 --markdown").output.isEmpty)
    }

    @Test("A feed whose changes are not kept has no past")
    func unkept() async throws {
        let (place, times) = try await place([lists[0]], extra: ", changes: false")
        let run = try await place.run("show things --at \(times[0])")
        #expect(run.code == 64)
        #expect(run.errors.contains("`changes: false`"))
    }
}
