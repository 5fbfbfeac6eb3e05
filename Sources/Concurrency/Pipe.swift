internal import CProcess
internal import Glibc

/// A pipe between this process and a child, or between two of its threads.
package enum Pipe {
    /// Opens one. No child inherits its ends, however many are started meanwhile: a child that held the end to write to
    /// would keep whoever reads from seeing the end.
    ///
    /// - Throws: `ChildProcess.Failure` if the process has no descriptors left.
    package static func open() throws(ChildProcess.Failure) -> (read: Int32, write: Int32) {
        var ends: [Int32] = [-1, -1]
        guard cprocess_pipe(&ends) == 0 else { throw ChildProcess.Failure(code: errno) }
        return (ends[0], ends[1])
    }
}
