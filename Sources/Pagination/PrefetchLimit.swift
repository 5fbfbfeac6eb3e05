/// How many requests of one feed may be under way at once, where its pages can be worked out.
package enum PrefetchLimit {
    /// The most that a feed may ask for: more is rude to any host, and gains nothing on any line.
    package static let range = 1...16
}
