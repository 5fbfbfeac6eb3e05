internal import Text

/// The beginning of a store's address: none for a file, `postgres` or `postgresql` for a database.
package enum StoreScheme {
    /// The fault of an address that begins with another one; nil for a file and for PostgreSQL. The rest of an address
    /// may hold a password.
    package static func fault(of address: String) -> String? {
        let known = ["postgres", "postgresql"]
        guard let end = address.firstRange(of: "://")?.lowerBound else { return nil }
        let scheme = address[..<end]
        guard !scheme.isEmpty, scheme.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "+.-".contains($0)) }),
            !known.contains(String(scheme))
        else { return nil }
        let nearest = NearestWord.suggestion(for: String(scheme), among: known)
        return "a store is a file or `postgres://…`, not `\(scheme)://…`"
            + (nearest.map { "; did you mean \($0)?" } ?? "")
    }
}
