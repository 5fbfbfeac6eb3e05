import Foundation
import TemporaryFolder
import Testing

@testable import Web

@Suite(.timeLimit(.minutes(10))) struct FileWatchTests {
    @Test("A change is reported once a listener is there, however often something else changes before")
    func busy() async throws {
        let folder = try TemporaryFolder()
        func write(_ name: String) {
            #expect(FileManager.default.createFile(atPath: folder.file(name), contents: Data("x".utf8)))
        }
        let store = ["store", "store-wal"].map(folder.file)
        let watch = try #require(FileWatch([store, [folder.file("configuration")], [folder.file("end")]]))
        write("configuration")
        for number in 1...5_000 { write(number.isMultiple(of: 2) ? "store" : "store-wal") }
        write("end")
        var told: [Set<Int>] = []
        for await groups in watch.values {
            told.append(groups)
            if groups.contains(2) { break }
        }
        #expect(told.reduce([]) { $0.union($1) } == [0, 1, 2])
        // Waiting changes are reported together.
        #expect(told.count <= 64)
    }

    #if !canImport(Darwin)
    @Test("A folder that is replaced is reported, and its path leads to another one")
    func replacedFolder() async throws {
        let parent = try TemporaryFolder()
        let folder = parent.file("folder")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        let watch = try #require(FileWatch([[parent.file("other")], ["\(folder)/file"]]))
        #expect(watch.isCurrent)
        try FileManager.default.moveItem(atPath: folder, toPath: parent.file("before"))
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for await groups in watch.values {
            #expect(groups == [1])
            break
        }
        #expect(!watch.isCurrent)
    }
    #endif

    @Test("Stamps show which group has a file that was written, created, replaced or removed")
    func stamps() throws {
        let folder = try TemporaryFolder()
        func write(_ name: String, _ text: String) throws {
            try Data(text.utf8).write(to: URL(fileURLWithPath: folder.file(name)))
        }
        try write("store", "x")
        var stamps = FileStamps([[folder.file("store"), folder.file("store-wal")], [folder.file("*.yaml")]])
        #expect(stamps.change() == [])
        try write("store", "xx")
        #expect(stamps.change() == [0])
        try write("store-wal", "x")
        #expect(stamps.change() == [0])
        try write("a.yaml", "x")
        try write("another", "x")
        #expect(stamps.change() == [1])
        try write("new", "y")
        try FileManager.default.removeItem(atPath: folder.file("a.yaml"))
        try FileManager.default.moveItem(atPath: folder.file("new"), toPath: folder.file("a.yaml"))
        #expect(stamps.change() == [1])
        try FileManager.default.removeItem(atPath: folder.file("a.yaml"))
        try FileManager.default.removeItem(atPath: folder.file("store"))
        #expect(stamps.change() == [0, 1])
        #expect(stamps.change() == [])
    }
}
