/// A configuration file that is replaced as a whole, or not at all.
package struct ConfigurationFile: Sendable {
    /// The path, as given.
    package let path: String
    /// True if the file may contain `${command: …}`: not if it was only found in the current folder, nor if other users
    /// may write it.
    package let mayRunCommands: Bool

    /// A file at a path, where there may be none.
    package init(path: String, mayRunCommands: Bool = false) {
        self.path = path
        self.mayRunCommands = mayRunCommands
    }

    private var file: ReplacedFile {
        ReplacedFile(path: path, limit: Configuration.sizeLimit, advice: "name another file with --config")
    }

    /// Its folder; empty for the current one.
    package var folder: String { FilePath.folder(of: path) }

    /// The text; empty if there is no file.
    ///
    /// - Throws: `FeedSyncError` of kind `store`.
    package func text() throws(FeedSyncError) -> [UInt8] { try file.text() }

    /// Changes the text. Processes take turns, and each sees the changes of the one before.
    ///
    /// - Parameters:
    ///   - isPrivate: True if only the owner may read the file from now on, because it holds a credential.
    ///   - change: Makes the new text from the present one, which is empty if there is no file. It may be called again
    ///     if another process was faster.
    ///   - failing: Turns a failure to read or write the file, of kind `store`, into the error to throw.
    /// - Returns: True if the file was created.
    /// - Throws: The error of `change` or of `failing`; the file is unchanged then.
    @discardableResult
    package func edit<Problem: Error>(
        isPrivate: Bool = false, failing: (FeedSyncError) -> Problem, _ change: ([UInt8]) throws(Problem) -> [UInt8]
    ) throws(Problem) -> Bool {
        try file.edit(
            isPrivate: { isPrivate || Configuration.holdsCredential($0, file: path) }, failing: failing, change)
    }
}
