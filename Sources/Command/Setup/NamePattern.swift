/// A word that names feeds: a name, or a pattern with `*` for any characters and `?` for one.
struct NamePattern: Sendable {
    private let word: [Character]

    /// True if the word may mean several feeds.
    let isPattern: Bool

    init(_ word: String) {
        self.word = Array(word)
        isPattern = word.contains { $0 == "*" || $0 == "?" }
    }

    func matches(_ name: String) -> Bool {
        let name = Array(name)
        var (place, at) = (0, 0)
        // The place to continue from if the characters after the last `*` do not match: it takes one more.
        var retry: (place: Int, at: Int)?
        while at < name.count {
            if place < word.count, word[place] == "*" {
                retry = (place + 1, at)
                place += 1
            } else if place < word.count, word[place] == "?" || word[place] == name[at] {
                place += 1
                at += 1
            } else if let last = retry {
                retry = (last.place, last.at + 1)
                (place, at) = (last.place, last.at + 1)
            } else {
                return false
            }
        }
        return word[place...].allSatisfy { $0 == "*" }
    }

    /// The names that words mean, each once, in the order of the words and then of the names; nil for a word that means
    /// none.
    static func names(_ words: [String], among all: [String]) -> (names: [String], unknown: String?) {
        var names: [String] = []
        for word in words {
            let pattern = NamePattern(word)
            let matching = pattern.isPattern ? all.filter(pattern.matches) : all.filter { $0 == word }
            guard !matching.isEmpty else { return (names, word) }
            names += matching.filter { !names.contains($0) }
        }
        return (names, nil)
    }
}
