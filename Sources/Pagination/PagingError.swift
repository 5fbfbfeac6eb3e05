/// A page that cannot be asked for or followed.
public struct PagingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What is wrong, in a sentence.
    public let problem: String

    /// A failure of this kind.
    public init(_ problem: String) {
        self.problem = problem
    }

    /// The same as `problem`.
    public var description: String { problem }
}
