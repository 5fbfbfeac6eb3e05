import Foundation

/// A folder for one test, removed with this object: whoever needs it longer than a line keeps the object.
package final class TemporaryFolder: Sendable {
    package let path: String

    package init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "feedsync-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        // FileManager stops at the first file that somebody else, such as a server that is just ending, removes before
        // it, and finds a folder that got another file in the meantime not empty.
        for _ in 0..<10 where FileManager.default.fileExists(atPath: path) {
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    /// The path of a file in the folder.
    package func file(_ name: String) -> String { "\(path)/\(name)" }
}
