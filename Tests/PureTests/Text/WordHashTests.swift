import Testing
import Text

@Suite("A hash of words")
struct WordHashTests {
    private func hash(_ bytes: [UInt8]) -> String {
        var hash = WordHash()
        hash.add(bytes)
        return hash.digits
    }

    @Test("A hash of words changes with each byte, at any place, and with each length")
    func differs() {
        for count in 0..<40 {
            let zeros = [UInt8](repeating: 0, count: count)
            var hashes: Set = [hash(zeros), hash(zeros + [0])]
            for place in 0..<count {
                for bit in 0..<8 {
                    var bytes = zeros
                    bytes[place] = 1 << bit
                    hashes.insert(hash(bytes))
                }
            }
            #expect(hashes.count == 2 + count * 8)
        }
    }

    @Test("A hash of words is the same in every process")
    func lasts() {
        #expect(hash(Array("The quick brown fox".utf8)) == "1670f3f9cd70094b")
    }
}
