/// A page that cannot be requested or followed.
package struct PagingError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The fault, in a sentence.
    package let problem: String

    /// A failure of this kind.
    package init(_ problem: String) {
        self.problem = problem
    }

    /// The same as `problem`.
    package var description: String { problem }
}
