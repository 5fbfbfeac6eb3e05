extension FeedSyncError {
    /// The error in an `error` column.
    ///
    /// Text that `json` did not write becomes the message as a whole: an error must never hide behind another.
    init(stored text: String) {
        guard case .object(let members)? = try? JSONValue(parsing: text), case .string(let word)? = members["kind"],
            let kind = Kind(rawValue: word), case .string(let message)? = members["message"]
        else {
            self.init(.bug, text)
            return
        }
        var status: Int?
        if case .number(let digits)? = members["http_status"] { status = Int(digits) }
        var url: String?
        if case .string(let text)? = members["url"] { url = text }
        self.init(kind, message, httpStatus: status, url: url)
    }
}
