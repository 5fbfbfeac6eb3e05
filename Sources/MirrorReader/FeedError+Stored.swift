extension FeedSyncError {
    /// The error in an `error` column.
    ///
    /// Text that `json` did not write becomes the message as a whole: an error must never hide behind another.
    init(stored text: String) {
        guard let members = try? JSONValue(parsing: text).members, let kind = members["kind"]?.text.flatMap(Kind.init),
            let message = members["message"]?.text
        else {
            self.init(.bug, text)
            return
        }
        var status: Int?
        if case .number(let digits)? = members["http_status"] { status = Int(digits) }
        self.init(kind, message, httpStatus: status, url: members["url"]?.text)
    }
}
