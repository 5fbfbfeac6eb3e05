/// The times of a feed's pages during a run. Each page has its own time, which tells which page stored a row.
struct PageClock {
    private var last = ""

    /// The time of the next page: at least a millisecond after the previous page.
    mutating func time(_ now: String) -> String {
        if now <= last, let known = Timestamp.milliseconds(of: last) {
            last = Timestamp(milliseconds: known + 1)?.text ?? now
        } else {
            last = now
        }
        return last
    }
}
