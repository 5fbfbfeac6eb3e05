/// Masks parameters of URLs that stand within a text, such as a `Link` header.
package enum SecretParameters {
    /// The text with `***` as the value of each parameter that has a secret's name.
    package static func masked(in text: String) -> String {
        guard text.contains("=") else { return text }
        var result = ""
        var rest = text[...]
        while let separator = rest.firstIndex(where: { $0 == "?" || $0 == "&" }) {
            let start = rest.index(after: separator)
            result += rest[..<start]
            rest = rest[start...]
            let name = rest.prefix { !ends.contains($0) && $0 != "=" }
            guard rest[name.endIndex...].first == "=", SecretName.matches(name) else { continue }
            result += "\(name)=\(Secrets.mask)"
            rest = rest[rest.index(after: name.endIndex)...].drop { !ends.contains($0) }
        }
        return result + rest
    }

    /// Characters that end a parameter.
    private static let ends: Set<Character> = ["?", "&", "#", "<", ">", "\"", "'", ";", ",", " ", "\t"]
}
