internal import YAML

/// A fault at one position of a configuration.
public struct Diagnostic: Sendable, Hashable, CustomStringConvertible {
    /// The position of the fault.
    public let position: SourcePosition
    /// The fault, in a sentence without the position; never holds a credential.
    public let problem: String
    /// The word that is wrong, where it is one word.
    public let word: String?
    /// The valid word nearest to it, where one is near.
    public let suggestion: String?

    /// A diagnostic at `position`.
    package init(position: SourcePosition, problem: String, word: String? = nil, suggestion: String? = nil) {
        self.position = position
        self.problem = problem
        self.word = word
        self.suggestion = suggestion
    }

    /// The diagnostic on one line: ``feedsync.yaml:12:5: unknown member `colums` in feed `x`; did you mean
    /// `columns`?``.
    public var description: String {
        let hint = suggestion.map { "; did you mean `\($0)`?" } ?? ""
        return "\(position): \(problem)\(hint)"
    }
}

/// All that is wrong with a configuration.
public struct ConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The diagnostics in the order of the file; never empty.
    public let diagnostics: [Diagnostic]

    /// A configuration with one diagnostic and perhaps more.
    package init(_ first: Diagnostic, _ others: [Diagnostic] = []) {
        diagnostics = [first] + others
    }

    /// The diagnostics, one a line.
    public var description: String {
        diagnostics.map(\.description).joined(separator: "\n")
    }
}

extension ConfigurationError {
    init(_ error: YAMLError) {
        self.init(Diagnostic(position: SourcePosition(error.mark), problem: error.problem))
    }
}

extension Node {
    /// Reads the text of a configuration, or of a part of one; nil if there are only comments.
    static func ofConfiguration(_ bytes: [UInt8], source: String) throws(ConfigurationError) -> Node? {
        do throws(YAMLError) {
            return try parse(bytes, source: source)
        } catch {
            throw ConfigurationError(error)
        }
    }
}

/// Collects diagnostics while a configuration is read, so that one run reports them all.
///
/// - Isolation: that of the reader to which it belongs.
final class Diagnostics {
    private(set) var diagnostics: [Diagnostic] = []
    private var known: Set<Diagnostic> = []
    /// Lines that several feeds have in common.
    private var common: (file: String, lines: ClosedRange<Int>)?
    private var reported: Set<SourcePosition> = []

    /// Reports each fault in these shared lines once, not once per feed.
    func share(_ file: String, _ lines: ClosedRange<Int>) { common = (file, lines) }

    /// Adds a diagnostic that is not known yet: a member may be read more than once.
    func add(_ diagnostic: Diagnostic) {
        let position = diagnostic.position
        if let common, common.file == position.file, common.lines.contains(position.line),
            !reported.insert(position).inserted
        {
            return
        }
        if known.insert(diagnostic).inserted { diagnostics.append(diagnostic) }
    }

    /// Adds a fault, if it is not known yet.
    func report(_ problem: String, at position: SourcePosition, word: String? = nil, suggestion: String? = nil) {
        add(Diagnostic(position: position, problem: problem, word: word, suggestion: suggestion))
    }

    /// - Throws: `ConfigurationError` with everything gathered, in the order of the file, if there is anything.
    func throwIfAny() throws(ConfigurationError) {
        let sorted = diagnostics.sorted {
            ($0.position.file, $0.position.line, $0.position.column)
                < ($1.position.file, $1.position.line, $1.position.column)
        }
        guard let first = sorted.first else { return }
        throw ConfigurationError(first, Array(sorted.dropFirst()))
    }
}
