/// A count that the upstream gave with a page, if it can be true.
struct ReportedCount {
    /// The count; nil where there is none that can be believed.
    let value: Int?
    /// Why what stood there is passed over.
    let notice: String?

    /// The count at a path, unless it is no count or is less than what has come already.
    init(_ path: Path?, _ scalar: JSONScalar?, atLeast least: Int, secrets: Secrets) {
        guard let path, let scalar, scalar != .null else {
            value = nil
            notice = nil
            return
        }
        guard let count = scalar.count else {
            value = nil
            notice = "`\(path)` is \(scalar.shown(secrets)), not a count; it is ignored"
            return
        }
        value = count >= least ? count : nil
        notice = count >= least ? nil : "`\(path)` says \(count), but \(least) were received; it is ignored"
    }
}
