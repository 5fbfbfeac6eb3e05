// `environ` is a variable; nobody in this process changes it.
@preconcurrency internal import Glibc

/// The environment variables.
enum Environment {
    /// Those that the process started with; the first of several with one name.
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
