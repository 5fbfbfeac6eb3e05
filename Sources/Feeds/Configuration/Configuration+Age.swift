internal import Platform

extension Configuration {
    /// The time at which one of the configuration's files changed last, in milliseconds since 1970; 0 if it is unknown.
    ///
    /// The files are its own, those that it includes, and the presets beside it.
    package func changedAt() -> Int64 {
        let presets = FilePath.join(FilePath.join(folder, "presets"), "*.yaml")
        return ([file] + (includes + [presets]).flatMap(WrittenFeeds.files)).map(Self.changedAt).max() ?? 0
    }

    fileprivate static func changedAt(_ path: String) -> Int64 {
        var status = stat()
        guard stat(path, &status) == 0 else { return 0 }
        let changed = platform_changed_at(&status)
        let (milliseconds, isBeyond) = Int64(changed.tv_sec).multipliedReportingOverflow(by: 1_000)
        return isBeyond ? 0 : max(milliseconds + Int64(changed.tv_nsec / 1_000_000), 0)
    }
}

extension [FeedDefinition] {
    /// The time at which the files with their lines changed last, in milliseconds since 1970; 0 if they are not there.
    package func changedAt() -> Int64 { Set(map(\.position.file)).map(Configuration.changedAt).max() ?? 0 }
}
