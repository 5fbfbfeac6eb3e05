internal import Platform

/// The time of day of a simulation, which its PostgreSQL reads from a file (clock.c).
struct SimulatedClock {
    private let memory: UnsafeMutablePointer<Int64>

    /// - Parameter path: The file, of eight bytes.
    init?(path: String) {
        let file = open(path, O_RDWR)
        guard file >= 0 else { return nil }
        defer { close(file) }
        let address = mmap(nil, 8, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
        guard let address, address != MAP_FAILED else { return nil }
        memory = address.assumingMemoryBound(to: Int64.self)
    }

    /// Makes it this time, in milliseconds since 1970.
    func set(_ now: Int64) { memory.pointee = now * 1000 }
}
