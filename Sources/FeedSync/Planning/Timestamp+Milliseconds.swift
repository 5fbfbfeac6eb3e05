extension Timestamp {
    /// A stored moment in milliseconds since 1970, further digits dropped; nil for a text that is none.
    static func milliseconds(of text: String?) -> Int64? {
        text.flatMap { Timestamp($0)?.wholeMilliseconds }
    }
}
