extension Timestamp {
    /// A stored moment in milliseconds since 1970, further digits dropped; nil for a text that is none.
    static func milliseconds(of text: String?) -> Int64? {
        guard let text, let moment = Array(text.utf8).withUnsafeBytes(Timestamp.init) else { return nil }
        let digits = (moment.fraction + [UInt8](repeating: 0x30, count: 3)).prefix(3)
        return moment.seconds * 1000 + digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }
}
