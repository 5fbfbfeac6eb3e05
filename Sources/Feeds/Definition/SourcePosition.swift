internal import YAML

/// A place in a configuration file.
public struct SourcePosition: Sendable, Hashable, CustomStringConvertible {
    /// The file as it was named to us.
    public let file: String
    /// The line, from 1; 0 where the file as a whole is meant.
    public let line: Int
    /// The column in Unicode scalars, from 1; 0 where the file as a whole is meant.
    public let column: Int

    /// A place in `file`, or the file as a whole.
    package init(file: String, line: Int = 0, column: Int = 0) {
        self.file = file
        self.line = line
        self.column = column
    }

    /// The place as compilers write it: `file:line:column`.
    public var description: String { line > 0 ? "\(file):\(line):\(column)" : file }
}

extension SourcePosition {
    init(_ mark: Mark) {
        self.init(file: mark.source, line: mark.line, column: mark.column)
    }

    /// The place of a character of a scalar, counted from the scalar's first.
    init(_ node: Node, offset: Int) {
        let quote = node.scalar?.style == .quoted ? 1 : 0
        self.init(file: node.mark.source, line: node.mark.line, column: node.mark.column + quote + offset)
    }
}
