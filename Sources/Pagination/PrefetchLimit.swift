/// The number of simultaneous requests of one feed whose pages can be computed.
package enum PrefetchLimit {
    /// The most that a feed may ask for: more is rude to any host, and gains nothing on any line.
    package static let range = 1...16
}
