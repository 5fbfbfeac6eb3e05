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
