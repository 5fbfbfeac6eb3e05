/// The same numbers for the same seed (SplitMix64), so that a test that fails can be played again.
///
/// Source: https://prng.di.unimi.it/splitmix64.c
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// The numbers of a seed.
    package init(_ seed: UInt64) { state = seed }

    /// The next number.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

extension SeededGenerator {
    /// At most 12 characters, now and then such as few texts have.
    package mutating func string() -> String {
        var scalars = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...12, using: &self) {
            let limits: [UInt32] = [0x20, 0x80, 0x800, 0x11_0000]
            let limit = limits.randomElement(using: &self) ?? 0x80
            scalars.append(Unicode.Scalar(UInt32.random(in: 0..<limit, using: &self)) ?? "\u{D7FF}")
        }
        return String(scalars)
    }
}
