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
            if case .literal = part { uri += value } else { uri += uri.isEmpty ? value : PercentCoding.encoded(value) }
        }
        guard ["postgres://", "postgresql://"].contains(where: uri.hasPrefix) else {
            throw ConfigurationError(
                Diagnostic(
                    position: writtenStore.position,
                    problem: "the value of `store` must be a URI that begins with postgres://"))
        }
        sharedStore = uri
    }
}
