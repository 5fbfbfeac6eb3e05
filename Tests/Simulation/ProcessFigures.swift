internal import Platform

/// The kernel's figures of processes.
enum ProcessFigures {
    /// The processor time of a process and of its children, those that ended included, in seconds.
    static func processorTime(ofTree root: Int) -> Double {
        let children = text("/proc/\(root)/task/\(root)/children").split(separator: " ").compactMap { Int($0) }
        let sum = ticks(root, 13...16) + children.reduce(0) { $0 + ticks($1, 13...14) }
        return Double(sum) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// The memory that this process has in use, in bytes.
    static var memory: Int {
        let pages = text("/proc/self/statm").split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * sysconf(Int32(_SC_PAGESIZE))
    }

    /// The sum of fields of /proc/PID/stat, numbered from 0: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html
    private static func ticks(_ process: Int, _ fields: ClosedRange<Int>) -> Int {
        // The name in brackets may contain spaces.
        let behindName = text("/proc/\(process)/stat").split(separator: ")").last ?? ""
        let values = behindName.split(separator: " ")
        return fields.reduce(0) { sum, field in
            sum + (field - 2 < values.count ? Int(values[field - 2]) ?? 0 : 0)
        }
    }

    /// A small file's text; empty where it cannot be read.
    static func text(_ path: String) -> String {
        let file = open(path, O_RDONLY)
        guard file >= 0 else { return "" }
        defer { close(file) }
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(file, &buffer, buffer.count)
            guard count > 0 else { return String(decoding: all, as: UTF8.self) }
            all += buffer[..<count]
        }
    }
}
