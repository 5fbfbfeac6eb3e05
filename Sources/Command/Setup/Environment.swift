// `environ` is a variable, but nothing in this process changes it.
@preconcurrency internal import Glibc

/// The environment variables.
enum Environment {
    /// The variables at the start of the process; the first one of each name.
    static var current: [String: String] {
        var result: [String: String] = [:]
        var next = environ
        while let entry = next.pointee {
            let text = String(cString: entry)
            next += 1
            guard let equals = text.firstIndex(of: "=") else { continue }
            let name = String(text[..<equals])
            if result[name] == nil { result[name] = String(text[text.index(after: equals)...]) }
        }
        return result
    }
}
