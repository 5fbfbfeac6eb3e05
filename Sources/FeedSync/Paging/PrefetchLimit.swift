/// How many requests of one feed may be under way at once, where its pages can be worked out.
enum PrefetchLimit {
    /// The most that a feed may ask for: more is rude to any host, and gains nothing on any line.
    static let range = 1...16

    /// Reads `prefetch`: 1 if nothing is said.
    static func read(_ members: MappingDecoder) -> Int { members.integer("prefetch", in: range) ?? 1 }
}
