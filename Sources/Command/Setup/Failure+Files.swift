internal import FeedSync

extension Failure {
    /// A file that cannot be made because its folder is missing; nil if that is there.
    static func missingFolder(of path: String, _ code: ExitCode = .store) -> Failure? {
        guard let folder = MissingPath(path)?.missingFolder else { return nil }
        return Failure(
            code, ["\(path) cannot be written: the folder \(folder) does not exist"], advice: "mkdir -p \(folder)")
    }

    /// The failure of a command that needs a store.
    ///
    /// - Parameter options: The options that name it, for the command that creates it.
    static func noStore(at path: String?, _ options: String) -> Failure {
        let missing = path.flatMap(MissingPath.init)
        if let folder = missing?.missingFolder {
            return Failure(
                .store, ["no store at \(path ?? ""): the folder \(folder) does not exist"],
                advice: "check the path: feedsync path shows which store is used otherwise")
        }
        if let nearest = missing?.nearest {
            return Failure(.store, ["no store at \(path ?? ""); did you mean \(nearest)?"])
        }
        return Failure(.store, ["no store at \(path ?? "") yet"], advice: "feedsync sync\(options)  # creates it")
    }
}

extension ConfigurationFile {
    /// The text; empty if there is no file.
    ///
    /// - Throws: `Failure` with exit code 73.
    func contents() throws(Failure) -> [UInt8] {
        do throws(FeedSyncError) { return try text() } catch { throw Failure(error) }
    }

    /// Changes the text, as `edit(isPrivate:failing:_:)`.
    ///
    /// - Throws: The error of `change`, or `Failure` with exit code 73; the file is then unchanged.
    @discardableResult
    func edit(_ change: ([UInt8]) throws(Failure) -> [UInt8]) throws(Failure) -> Bool {
        try edit(failing: { Failure($0) }, change)
    }
}
