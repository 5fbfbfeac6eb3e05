internal import Concurrency
internal import Glibc

/// The memory of bodies that are gone, for the next ones: what is got from the system anew is paid for by the page.
///
/// It keeps a few buffers of a size that pages have, 8 MiB in all at most, however many and large the bodies were.
///
/// - Isolation: any thread.
final class BodyBuffers: Sendable {
    /// Memory of a body's.
    struct Buffer: @unchecked Sendable {
        // Sendable: whoever holds it is its only owner.
        let start: UnsafeMutableRawPointer
        let capacity: Int
    }

    private let kept = Lock<[Buffer]>([])

    private static let mostBuffers = 4
    private static let largestBuffer = 2 << 20

    deinit { for buffer in kept.withLock({ $0 }) { free(buffer.start) } }

    /// The buffer that was given back last, which the processor's cache is likeliest to have; nil where there is none.
    func take() -> Buffer? { kept.withLock { $0.popLast() } }

    /// Takes a buffer back, to be used again or freed.
    func give(_ buffer: Buffer) {
        let isKept = kept.withLock { kept in
            guard kept.count < Self.mostBuffers, buffer.capacity <= Self.largestBuffer else { return false }
            kept.append(buffer)
            return true
        }
        if !isKept { free(buffer.start) }
    }
}
