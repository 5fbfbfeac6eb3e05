/// The version of the library and of the command.
public enum FeedSyncVersion {
    /// Such as `1.2.3`: https://semver.org.
    public static let text = "0.1.0"
}
