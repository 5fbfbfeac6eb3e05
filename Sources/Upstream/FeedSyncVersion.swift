/// The version of the library and of the command.
package enum FeedSyncVersion {
    /// Such as `1.2.3`: https://semver.org.
    package static let text = "0.1.0"
}
