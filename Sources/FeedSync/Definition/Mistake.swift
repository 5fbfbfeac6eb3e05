internal import YAML

/// One mistake in a configuration.
public struct Mistake: Sendable, Hashable, CustomStringConvertible {
    /// Where it is.
    public let position: SourcePosition
    /// What is wrong, in a sentence without the place; never holds a credential.
    public let problem: String
    /// The word that is wrong, where it is one word.
    public let word: String?
    /// The valid word nearest to it, where one is near.
    public let suggestion: String?

    /// A mistake at `position`.
    public init(position: SourcePosition, problem: String, word: String? = nil, suggestion: String? = nil) {
        self.position = position
        self.problem = problem
        self.word = word
        self.suggestion = suggestion
    }

    /// The mistake on one line: ``feedsync.yaml:12:5: unknown member `colums` in feed `x`; did you mean `columns`?``.
    public var description: String {
        let hint = suggestion.map { "; did you mean `\($0)`?" } ?? ""
        return "\(position): \(problem)\(hint)"
    }
}

/// All that is wrong with a configuration.
public struct ConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The mistakes in the order of the file; never empty.
    public let mistakes: [Mistake]

    /// A configuration with one mistake and perhaps more.
    public init(_ first: Mistake, _ others: [Mistake] = []) {
        mistakes = [first] + others
    }

    /// The mistakes, one a line.
    public var description: String {
        mistakes.map(\.description).joined(separator: "\n")
    }
}

extension ConfigurationError {
    init(_ error: YAMLError) {
        self.init(Mistake(position: SourcePosition(error.mark), problem: error.problem))
    }
}

/// Gathers mistakes while a configuration is read, so that one run tells them all.
///
/// - Isolation: that of the one reader it belongs to.
final class MistakeLog {
    private(set) var mistakes: [Mistake] = []
    private var known: Set<Mistake> = []

    /// Adds a mistake that is not known yet: a member may be read more than once.
    func add(_ mistake: Mistake) {
        if known.insert(mistake).inserted { mistakes.append(mistake) }
    }

    /// - Throws: `ConfigurationError` with everything gathered, in the order of the file, if there is anything.
    func throwIfAny() throws(ConfigurationError) {
        let sorted = mistakes.sorted { ($0.position.line, $0.position.column) < ($1.position.line, $1.position.column) }
        guard let first = sorted.first else { return }
        throw ConfigurationError(first, Array(sorted.dropFirst()))
    }
}
