internal import Platform

/// A pipe between this process and a child, or between two of its threads.
package enum Pipe {
    /// Opens one. No child inherits its ends, even if another thread starts one at the same moment: as long as a child
    /// holds the end to write to, the reader does not see the end.
    ///
    /// - Throws: `ChildProcess.Failure` if the process has no descriptors left.
    package static func open() throws(ChildProcess.Failure) -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        guard platform_pipe(&ends) == 0 else { throw ChildProcess.Failure(code: errno) }
        return (ends[0], ends[1])
    }
}
