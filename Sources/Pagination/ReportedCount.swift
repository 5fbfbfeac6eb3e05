package import JSON
package import Text

/// A count that the upstream gave with a page, if it can be true.
package struct ReportedCount {
    /// The count; nil where there is none that can be believed.
    package let value: Int?
    /// Why what stood there is passed over.
    package let notice: String?

    /// The most that is believed: the counts of very many parts can be added to one without an overflow.
    package static let most = 1_000_000_000_000

    /// The count at a path, unless it is no count or is less than what has come already.
    package init(_ path: Path?, _ scalar: JSONScalar?, atLeast least: Int, secrets: Secrets) {
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
        value = count >= least ? min(count, Self.most) : nil
        notice = count >= least ? nil : "`\(path)` says \(count), but \(least) were received; it is ignored"
    }
}
