internal import Concurrency

/// The memory that one page of a feed may use, whatever the upstream sends: a few KB of gzip can hold many millions of
/// values.
package struct PageMemory: Sendable, Hashable {
    /// The bytes of the body and its decoded form until it is stored; within `range`.
    package let most: Int

    /// The most if nothing is said.
    package static let standard = PageMemory(most: 256 << 20)
    /// The permitted values of `max_memory`.
    package static let range = (16 << 20)...(2 << 30)

    /// Advice for a process without enough memory for a page.
    package static let advice = "ask for smaller pages, or let the process have more memory (`ulimit -v`)"

    /// The most bytes of a body: its decoded form takes several times as much.
    package var body: Int { most / 4 }
    /// The most values of a body that is read as a tree, where each takes about 128 bytes. Where `ulimit` leaves the
    /// process less, twice that has to be left: an array that grows has its old and its new storage for a moment.
    package var values: Int { min(most / 128, (AddressSpace.left ?? .max) / 256) }
}
