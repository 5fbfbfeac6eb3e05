internal import Platform

/// The name of this process for others: the machine and the process id.
enum ProcessName {
    static var own: String {
        var bytes = [CChar](repeating: 0, count: 256)
        gethostname(&bytes, bytes.count - 1)
        let host = bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
        return "\(String(decoding: host, as: UTF8.self)) \(getpid())"
    }
}
