internal import Concurrency
internal import Platform

/// The bytes of a response, in one buffer with zeroed padding after its end.
///
/// The padding lets simdjson read past the end of a document without a copy.
package final class Body: @unchecked Sendable {
    // Sendable: only the transfer that receives it writes, on its one thread, and it stops before handing it over.

    /// The zeroed bytes that can be read after the end.
    package static let padding = 64

    /// The number of bytes, padding not counted.
    package private(set) var count = 0
    private var start: UnsafeMutableRawPointer?
    private var capacity = 0
    private let buffers: BodyBuffers?
    /// The number of this body's bytes that `allBytes` includes.
    private var noted = 0

    /// The bytes of all large bodies that are being received or read.
    private static let allBytes = Lock(0)

    /// An empty body, for `append`.
    package convenience init() { self.init(buffers: nil) }

    /// An empty body that takes its memory from `buffers` and returns it there.
    init(buffers: BodyBuffers?) {
        self.buffers = buffers
        start = Self.none
    }

    /// A body with a copy of `bytes`.
    package convenience init(_ bytes: [UInt8]) {
        self.init()
        bytes.withUnsafeBytes { bytes in
            _ = append(bytes, limit: .max - Self.padding)
        }
    }

    deinit {
        if noted > 0 { Self.allBytes.withLock { $0 -= noted } }
        guard capacity > 0, let start else { return }
        let buffer = BodyBuffers.Buffer(start: start, capacity: capacity)
        if let buffers { buffers.give(buffer) } else { free(start) }
    }

    /// True if there are no bytes.
    package var isEmpty: Bool { count == 0 }

    /// Calls `use` with the bytes, after which `padding` zeroed ones can be read; the pointer is valid during the call.
    ///
    /// - Throws: the error of `use`.
    package func withUnsafeBytes<Result, Failure: Error>(
        _ use: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try use(UnsafeRawBufferPointer(start: start, count: count))
    }

    /// A copy of the bytes.
    package var bytes: [UInt8] { withUnsafeBytes { Array($0) } }

    /// Makes room for `total` bytes at once, within `limit`. What the upstream announced may be wrong, so at most
    /// 1 MiB is reserved for it.
    func reserve(_ total: Int, limit: Int) {
        let total = min(total, limit, 1 << 20)
        if total > count { _ = grow(to: total + Self.padding) }
    }

    /// Adds bytes; false if that would exceed `limit` or the memory left.
    ///
    /// - Isolation: the maker of the body, before it is passed on.
    package func append(_ bytes: UnsafeRawBufferPointer, limit: Int) -> Bool {
        guard let source = bytes.baseAddress, bytes.count > 0 else { return true }
        guard bytes.count <= limit - count else { return false }
        let needed = count + bytes.count + Self.padding
        if needed > capacity {
            guard grow(to: max(needed, min(capacity &* 2, limit &+ Self.padding))) else { return false }
        }
        guard let start else { return false }
        memcpy(start + count, source, bytes.count)
        count += bytes.count
        memset(start + count, 0, Self.padding)
        return true
    }

    /// Takes note of how large it is.
    ///
    /// - Returns: The bytes of all bodies in the process that were noted, and are still there.
    func noteSize() -> Int {
        Self.allBytes.withLock { all in
            all += count - noted
            noted = count
            return all
        }
    }

    /// The unit of large buffers' sizes.
    private static let step = 64 << 10

    private func grow(to newCapacity: Int) -> Bool {
        if capacity == 0, let buffer = buffers?.take() {
            start = buffer.start
            capacity = buffer.capacity
            memset(buffer.start, 0, Self.padding)
            if capacity >= newCapacity { return true }
        }
        // Pages of a list differ little: the memory of one is to hold the next one, too.
        let newCapacity = newCapacity > Self.step ? (newCapacity &+ Self.step &- 1) & ~(Self.step &- 1) : newCapacity
        if count == 0, capacity > 0 {
            // A buffer without bytes needs no copy.
            free(start)
            capacity = 0
        }
        guard let grown = realloc(capacity > 0 ? start : nil, newCapacity) else {
            if capacity == 0 { start = Self.none }
            return false
        }
        if capacity == 0 { memset(grown, 0, Self.padding) }
        start = grown
        capacity = newCapacity
        return true
    }

    /// The padding that all empty bodies share; never written.
    private nonisolated(unsafe) static let none: UnsafeMutableRawPointer? = calloc(1, padding)
}

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
