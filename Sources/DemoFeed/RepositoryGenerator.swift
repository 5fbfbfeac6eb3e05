/// Makes up the repositories, oldest first, the same ones every time.
struct RepositoryGenerator {
    private var random = SplitMix64(seed: 0xfeed)
    private var names: Set<String> = []

    /// 2011-01-01 and 2026-10-31: everything is created and changed between them.
    private static let start = 1_293_840_000
    private static let end = 1_793_404_800

    mutating func repositories(_ count: Int) -> [Repository] {
        let ranks = random.shuffled(Array(0..<count))
        return ranks.enumerated().map { repository(number: $0.offset, rank: $0.element, of: count) }
    }

    private mutating func repository(number: Int, rank: Int, of count: Int) -> Repository {
        let category = random.pick(Category.all)
        let language = random.chance(percent: 6) ? nil : random.pick(category.languages)
        let owner = random.below(WordLists.owners.count)
        let name = uniqueName(category)
        // As on a real site, a few projects have most of the stars.
        let stars = 182_000 / (rank + 2) + 40 + random.below(90)
        let created = Self.start + number * ((Self.end - Self.start) / (count + 1)) + random.below(400_000)
        let pushed = moment(from: created)
        return Repository(
            id: 1_204_411 + number * 918_273 + random.below(900_000),
            nodeID: "R_kgDO" + letters(8),
            name: name,
            owner: Account(login: WordLists.owners[owner], id: 204_881 + owner * 77_431),
            category: category.name,
            description: description(category, language: language),
            isFork: random.chance(percent: 4),
            createdAt: created,
            updatedAt: moment(from: pushed),
            pushedAt: pushed,
            homepage: homepage(name),
            size: 80 + random.below(random.chance(percent: 10) ? 900_000 : 30_000),
            stars: stars,
            forks: stars / (4 + random.below(18)),
            openIssues: random.below(stars / 60 + 12),
            language: language,
            license: random.pick(WordLists.licenses),
            topics: topics(category, language: language),
            isArchived: random.chance(percent: 5),
            defaultBranch: number * 10 < count * 6 && random.chance(percent: 60) ? "master" : "main")
    }

    private mutating func uniqueName(_ category: Category) -> String {
        while true {
            let suffix = random.chance(percent: 15) ? "" : random.pick(category.suffixes)
            let name = random.pick(WordLists.stems) + suffix
            if names.insert(name).inserted { return name }
        }
    }

    private mutating func description(_ category: Category, language: String?) -> String? {
        let kind = random.below(100)
        let head: String
        var tail: String
        switch kind {
        case 0..<7: return nil
        case 7..<19: (head, tail) = (random.pick(category.german), random.pick(WordLists.germanTails))
        case 19..<31: (head, tail) = (random.pick(category.japanese), random.pick(WordLists.japaneseTails))
        default: (head, tail) = (random.pick(category.english), random.pick(WordLists.englishTails))
        }
        if let range = tail.firstRange(of: "{language}") {
            if let language { tail.replaceSubrange(range, with: language) } else { tail = "" }
        }
        let emoji = random.chance(percent: 14) ? " " + random.pick(WordLists.emoji) : ""
        return head + tail + emoji
    }

    private mutating func homepage(_ name: String) -> String? {
        guard random.chance(percent: 35) else { return nil }
        // GitHub returns an empty text, too, if the user cleared the field.
        guard !random.chance(percent: 15) else { return "" }
        let host = String(name.map { $0 == "." ? "-" : $0 })
        return "https://\(host).example"
    }

    private mutating func topics(_ category: Category, language: String?) -> [String] {
        let some = random.shuffled(category.topics).prefix(random.below(5))
        guard !some.isEmpty, let language, random.chance(percent: 50) else { return some.sorted() }
        let name = String(language.lowercased().map { $0 == " " ? "-" : $0 }).replacing("++", with: "pp")
        return (some + [name]).sorted()
    }

    /// A moment between `start` and the end, more often late than early: starred repositories are active.
    private mutating func moment(from start: Int) -> Int {
        let span = max(Self.end - start, 1)
        return Self.end - min(random.below(span), random.below(span), random.below(span))
    }

    private mutating func letters(_ count: Int) -> String {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789")
        return String((0..<count).map { _ in random.pick(alphabet) })
    }
}
