internal import Platform

/// Words that name feeds: names, or patterns with `*` for any characters and `?` for one.
enum NamePattern {
    /// The names that words mean, each once, in the order of the words and then of the names; nil for a word that means
    /// none.
    static func names(_ words: [String], among all: [String]) -> (names: [String], unknown: String?) {
        var names: [String] = []
        for word in words {
            let isPattern = word.contains { $0 == "*" || $0 == "?" }
            let matching = all.filter { isPattern ? matches(word, $0) : $0 == word }
            guard !matching.isEmpty else { return (names, word) }
            names += matching.filter { !names.contains($0) }
        }
        return (names, nil)
    }

    /// True if a name has the pattern. No name has a `[`, which would begin a set of characters in `fnmatch`.
    private static func matches(_ pattern: String, _ name: String) -> Bool {
        !pattern.contains("[") && fnmatch(pattern, name, FNM_NOESCAPE) == 0
    }
}
