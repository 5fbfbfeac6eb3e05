internal import Platform

extension Configuration {
    /// The time at which a file changed last, in milliseconds since 1970; 0 if it is unknown.
    static func changedAt(_ path: String) -> Int64 {
        var status = stat()
        guard stat(path, &status) == 0 else { return 0 }
        let changed = platform_changed_at(&status)
        let (milliseconds, isBeyond) = Int64(changed.tv_sec).multipliedReportingOverflow(by: 1_000)
        return isBeyond ? 0 : max(milliseconds + Int64(changed.tv_nsec / 1_000_000), 0)
    }

    /// The time of the latest change to an included file, or to a file of presets beside `file`, in milliseconds since
    /// 1970; 0 if there are none.
    static func changedAt(included patterns: [String], beside file: String) -> Int64 {
        let presets = FilePath.join(FilePath.join(FilePath.folder(of: file), "presets"), "*.yaml")
        return (patterns + [presets]).flatMap(WrittenFeeds.files).map(changedAt).max() ?? 0
    }
}
