internal import Upstream

extension Configuration {
    /// Puts the values into the URI of a store in PostgreSQL, if it is one: `postgres://feeds:${PASSWORD}@db/feeds`, or
    /// all of it as `${DATABASE_URL}`.
    ///
    /// - Throws: `ConfigurationError` if a variable is unset, a file cannot be read, or the result is not such a URI.
    package mutating func resolveStore(environment: [String: String]) throws(ConfigurationError) {
        guard let writtenStore else { return }
        var uri = ""
        for part in writtenStore.parts {
            let value = try Template([part], position: writtenStore.position)
                .resolved(environment: environment, relativeTo: folder).text
            if case .literal = part { uri += value } else { uri += uri.isEmpty ? value : Self.encoded(value) }
        }
        guard ["postgres://", "postgresql://"].contains(where: uri.hasPrefix) else {
            throw ConfigurationError(
                Diagnostic(
                    position: writtenStore.position,
                    problem: "the value of `store` must be a URI that begins with postgres://"))
        }
        sharedStore = uri
    }

    /// A value within a URI, with all characters escaped that have a meaning in URIs.
    private static func encoded(_ value: String) -> String {
        value.utf8.map { byte in
            let character = Character(Unicode.Scalar(byte))
            let isPlain = byte < 128 && (character.isLetter || character.isNumber || "-._~".contains(character))
            return isPlain ? String(character) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }
}
