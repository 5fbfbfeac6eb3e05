import Foundation
import Testing

@testable import Web

@Suite(.timeLimit(.minutes(10))) struct FileWatchTests {
    @Test("A change is reported once a listener is there, however often something else changes before")
    func busy() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("feedsync-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        func write(_ name: String) {
            #expect(FileManager.default.createFile(atPath: "\(folder)/\(name)", contents: Data("x".utf8)))
        }
        let store = ["store", "store-wal"].map { "\(folder)/\($0)" }
        let watch = try #require(FileWatch([store, ["\(folder)/configuration"], ["\(folder)/end"]]))
        write("configuration")
        for number in 1...5_000 { write(number.isMultiple(of: 2) ? "store" : "store-wal") }
        write("end")
        var told: [Set<Int>] = []
        for await groups in watch.values {
            told.append(groups)
            if groups.contains(2) { break }
        }
        #expect(told.reduce([]) { $0.union($1) } == [0, 1, 2])
        // What waits is told together.
        #expect(told.count <= 64)
    }
}
