/// How many requests of one feed may be under way at once, where its pages can be worked out.
enum LookAheadLimit {
    /// The most that a feed may ask for: more is rude to any host, and gains nothing on any line.
    static let range = 1...16

    /// Reads `look_ahead`: 1 if nothing is said.
    static func read(_ members: MappingReader) -> Int { members.integer("look_ahead", in: range) ?? 1 }
}
