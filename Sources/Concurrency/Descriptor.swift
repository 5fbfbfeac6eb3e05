internal import Platform

/// Open files, by the system's numbers of them.
package enum Descriptor {
    /// Writes all bytes, in as many calls as that takes; false, with the reason in `errno`, if they cannot be written.
    package static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Platform.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                if count == 0 { errno = EIO }
                return false
            }
            rest = rest.dropFirst(count)
        }
        return true
    }
}

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
