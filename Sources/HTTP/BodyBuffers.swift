internal import Concurrency
internal import Platform

/// The memory of freed bodies, for the next ones: new memory from the system costs time for every page.
///
/// It keeps a few buffers of a size that pages have, 8 MiB in all at most, however many and large the bodies were.
///
/// - Isolation: any thread.
final class BodyBuffers: Sendable {
    /// The memory of one body.
    struct Buffer: @unchecked Sendable {
        // Sendable: it has only one owner at a time.
        let start: UnsafeMutableRawPointer
        let capacity: Int
    }

    private let kept = Lock<[Buffer]>([])

    private static let mostBuffers = 4
    private static let largestBuffer = 2 << 20

    deinit { for buffer in kept.withLock({ $0 }) { free(buffer.start) } }

    /// The buffer that was returned last, which is most likely in the processor's cache; nil if there is none.
    func take() -> Buffer? { kept.withLock { $0.popLast() } }

    /// Takes a buffer back, to be reused or freed.
    func give(_ buffer: Buffer) {
        let isKept = kept.withLock { kept in
            guard kept.count < Self.mostBuffers, buffer.capacity <= Self.largestBuffer else { return false }
            kept.append(buffer)
            return true
        }
        if !isKept { free(buffer.start) }
    }
}
