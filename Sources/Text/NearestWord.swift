/// Finds the word that the user probably meant.
package enum NearestWord {
    /// The candidate nearest to a mistyped word, or nil where none is near.
    ///
    /// Near is one typing slip (a letter too many, too few, wrong, or two swapped) for each three letters, three at
    /// most, and one in a shorter word; case does not count, nor do the dashes of an option. More than one slip needs
    /// the same first letter, which people rarely get wrong: otherwise it is another word. Of equally near candidates
    /// the first wins.
    package static func suggestion(for word: String, among candidates: some Sequence<String>) -> String? {
        let letters = Self.letters(word)
        guard !letters.isEmpty, letters.count <= 64 else { return nil }
        var best: (word: String, distance: Int)?
        for candidate in candidates {
            let other = Self.letters(candidate)
            let limit = min(3, max(1, min(letters.count, other.count) / 3))
            // Every letter changed is another word, not a slip.
            guard abs(other.count - letters.count) <= limit, other.count <= 67 else { continue }
            let distance = distance(letters, other)
            guard distance <= limit, distance < max(letters.count, other.count),
                distance == 1 || letters.first == other.first
            else { continue }
            if distance < best?.distance ?? .max { best = (candidate, distance) }
        }
        return best?.word
    }

    /// The question after the nearest candidate, for the end of a message; empty where none is near.
    package static func question(for word: String, among candidates: some Sequence<String>) -> String {
        suggestion(for: word, among: candidates).map { "; did you mean \($0)?" } ?? ""
    }

    private static func letters(_ word: String) -> [Unicode.Scalar] {
        Array(word.lowercased().unicodeScalars.drop { $0 == "-" })
    }

    /// The optimal string alignment distance.
    ///
    /// Source: https://en.wikipedia.org/wiki/Damerau–Levenshtein_distance#Optimal_string_alignment_distance
    private static func distance(_ from: [Unicode.Scalar], _ to: [Unicode.Scalar]) -> Int {
        var beforeLast: [Int] = []
        var last = Array(0...to.count)
        for row in from.indices {
            var current = [row + 1]
            for column in to.indices {
                let change = last[column] + (from[row] == to[column] ? 0 : 1)
                var cost = min(change, last[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, from[row] == to[column - 1], from[row - 1] == to[column] {
                    cost = min(cost, beforeLast[column - 1] + 1)
                }
                current.append(cost)
            }
            beforeLast = last
            last = current
        }
        return last[to.count]
    }
}
