import DemoFeed
import Foundation
import HTTPServer
import Testing

@Suite("The upstream of `feedsync demo --hell`", .timeLimit(.minutes(5)))
struct HellTests {
    /// One server for all kinds; it ends with the process.
    private static let hell = Hell()
    private static let server = Result { () throws(ServerError) in try hell.start() }

    /// The kinds in groups that share a store, as most of a kind's time is that of its processes.
    private static let groups = stride(from: 0, to: HellKind.all.count, by: 20).map { first in
        HellKind.all[first...].prefix(20).map(\.name)
    }

    /// A list that was mirrored while it was sound keeps its rows after any later answer.
    @Test(
        "Each kind of fault has the exit code that is promised, and a message, and leaves the rows as they were",
        arguments: groups)
    func kinds(names: [String]) async throws {
        let place = try Workplace([])
        let feeds = try names.enumerated().map { number, name in
            let kind = try #require(HellKind.all.first { $0.name == name })
            return (name: "f\(number)", kind: kind)
        }
        let url = try Self.server.get().url
        try place.write(
            "feedsync.yaml", "feeds:\n" + feeds.map { Hell.feed($0.kind, named: $0.name, at: url) }.joined())
        for name in names { Self.hell.setCalm(name, true) }
        let sound = try await place.run("sync")
        #expect(sound.code == 0, "\(sound.errors)")
        for (feed, kind) in feeds {
            Self.hell.setCalm(kind.name, false)
            try await expectFailure(of: kind, as: feed, in: place)
            Self.hell.setCalm(kind.name, true)
            // They have one host, and each would wait for what the last one was told.
            _ = try place.query("DELETE FROM _quota RETURNING origin")
        }
        let mended = try await place.run("sync")
        #expect(mended.code == 0, "\(mended.errors)")
        for (feed, kind) in feeds {
            // An empty first page in between gives them new places.
            let listed = "SELECT id || name FROM \(feed) WHERE _removed_at IS NULL ORDER BY _generation DESC, _position"
            #expect(try place.query(listed) == (1...15).map { "\($0)thing \($0)" }, "\(kind.name)")
            try place.expectSound(feed)
        }
    }

    private func expectFailure(of kind: HellKind, as feed: String, in place: Workplace) async throws {
        let rows =
            "SELECT id || name || _generation || ' ' || _position || coalesce(_removed_at, '') FROM \(feed) ORDER BY id"
        let before = try place.query(rows)
        #expect(before.count == 15, "\(kind.name)")
        // Bounded, in seconds of a processor and in kB.
        let run = try await place.shell("ulimit -t 20 -d \(Self.memory); exec $FEEDSYNC sync \(feed)")
        #expect(run.code == kind.code, "\(kind.name): \(run.output) \(run.errors)")
        let failure = "SELECT coalesce(json_extract(error, '$.kind'), '') FROM"
        let told = try place.query("\(failure) run ORDER BY id DESC LIMIT 1")
        if kind.code == 0 {
            #expect(told == [""], "\(kind.name)")
        } else {
            #expect(run.errors.hasPrefix("feedsync: \(feed): "), "\(kind.name): \(run.errors)")
            #expect(run.output.isEmpty, "\(kind.name)")
            #expect(Self.codes[told.first ?? ""] == kind.code, "\(kind.name): \(told)")
            #expect(try place.query("\(failure) event ORDER BY id DESC LIMIT 1") == told, "\(kind.name)")
        }
        #expect(run.errors.utf8.count < 3_000, "\(kind.name): \(run.errors.prefix(500))")
        #expect(!run.errors.unicodeScalars.contains { $0.value < 32 && $0 != "\n" }, "\(kind.name)")
        #expect(try place.query(rows) == before, "\(kind.name)")
        try place.expectSound(feed)
        // A crooked list is left after a few requests.
        let requests = try place.query("SELECT requests FROM run ORDER BY id DESC LIMIT 1").first.flatMap(Int.init)
        #expect(try #require(requests) <= 40, "\(kind.name)")
    }

    /// The limit of a run's writable memory, in kB: a page's, and the stacks of its threads.
    private static let memory = 700_000

    /// The store's name of a failure, and its exit code.
    private static let codes: [String: Int32] = [
        "undecodable": 65, "unfollowable": 65, "unreachable": 69, "rejected": 69, "limited": 75, "refused": 77,
    ]

    @Test("`feedsync demo --hell` serves until Ctrl-C, with a configuration that has a feed for each kind")
    func serves() async throws {
        let place = try Workplace.withoutConfiguration()
        // A shell writes what it says to a file, where it can be read while it runs.
        let run = try RunningCommand(
            ["-c", "exec \"$0\" demo --hell > said.txt", RunningCommand.binary.path],
            executable: URL(fileURLWithPath: "/bin/sh"), folder: place.folder,
            environment: ["HOME": place.folder, "PATH": "/usr/bin:/bin", "TMPDIR": place.folder])
        let sync = try await place.shell(
            """
            until grep -q 'Ctrl-C' said.txt; do sleep 0.01; done
            line=$(grep -o 'sync redirect-self --config [^ ]*' said.txt)
            $FEEDSYNC $line --store self.db
            """)
        #expect(sync.errors.contains("the redirects go in a circle"), "\(sync.errors)")
        run.send(SIGINT)
        #expect(await run.end().code == 130)
    }

    @Test("Each kind has a name of its own that fits a path, and there are many")
    func names() {
        let names = HellKind.all.map(\.name)
        #expect(Set(names).count == names.count)
        #expect(names.count >= 150)
        #expect(
            names.allSatisfy {
                $0.utf8.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 45 }
            })
    }
}
