/// A small random generator: the same numbers for the same seed, on every machine and with every compiler.
///
/// The standard library's `random(in:using:)` does not promise that. Source: https://prng.di.unimi.it/splitmix64.c
struct SplitMix64 {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var bits = state
        bits = (bits ^ (bits >> 30)) &* 0xbf58_476d_1ce4_e5b9
        bits = (bits ^ (bits >> 27)) &* 0x94d0_49bb_1331_11eb
        return bits ^ (bits >> 31)
    }

    /// A number from 0 to below `count`, or 0 if there is none. The bias is far too small to notice.
    mutating func below(_ count: Int) -> Int {
        count > 0 ? Int(truncatingIfNeeded: next() >> 1) % count : 0
    }

    mutating func chance(percent: Int) -> Bool {
        below(100) < percent
    }

    /// One of the values; the list must not be empty.
    mutating func pick<Value>(_ values: [Value]) -> Value {
        values[below(values.count)]
    }

    mutating func shuffled<Value>(_ values: [Value]) -> [Value] {
        var values = values
        for last in stride(from: values.count - 1, to: 0, by: -1) {
            values.swapAt(last, below(last + 1))
        }
        return values
    }
}
