internal import Platform

/// The memory that the process may have.
package enum AddressSpace {
    /// The bytes that `ulimit -v` and `ulimit -d` leave to the process; nil without such a limit.
    ///
    /// A failed allocation ends the process: Swift cannot report that an array did not grow. Code that needs much
    /// memory therefore checks first. Source: https://man7.org/linux/man-pages/man5/proc_pid_statm.5.html
    ///
    /// - Isolation: any thread.
    package static var left: Int? {
        let (space, data) = (limit(of: platform_address_space), limit(of: platform_data))
        guard space != nil || data != nil else { return nil }
        guard let used else { return nil }
        return [space.map { $0 - used.space }, data.map { $0 - used.data }].compactMap(\.self).min().map { max($0, 0) }
    }

    private static func limit(of resource: Int32) -> Int? {
        var limit = rlimit()
        guard platform_get_limit(resource, &limit) == 0, limit.rlim_cur <= rlim_t(Int.max) else { return nil }
        return Int(limit.rlim_cur)
    }

    /// The memory of the process in bytes: all of it, and the private, writable part.
    private static var used: (space: Int, data: Int)? {
        let file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var text = [UInt8](repeating: 0, count: 256)
        let count = read(file, &text, text.count)
        guard count > 0 else { return nil }
        let pages = text[..<count].split(separator: UInt8(ascii: " ")).map { Int(String(decoding: $0, as: UTF8.self)) }
        guard pages.count > 5, let space = pages[0], let data = pages[5] else { return nil }
        let size = sysconf(Int32(_SC_PAGESIZE))
        return (space * size, data * size)
    }
}
