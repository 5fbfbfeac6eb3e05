import Testing

@testable import HTTP

@Suite("The events of a stream") struct EventStreamTests {
    @Test(
        "Events are counted at their empty lines, however they come",
        arguments: [
            ("", 0), ("data: x\n", 0), ("data: x\n\n", 1), ("\n\n\n", 0), (": comment\n\n", 0),
            ("data: x\r\n\r\n", 1), ("data: x\r\rdata: y\r\r", 2), ("data: x\n\ndata: y\n\n: z\n", 2),
        ])
    func count(text: String, expected: Int) {
        for size in [1, 2, 1_000] {
            var counter = EventCounter()
            let bytes = Array(text.utf8)
            for start in stride(from: 0, to: bytes.count, by: size) {
                bytes[start..<min(start + size, bytes.count)].withUnsafeBytes { counter.receive($0) }
            }
            #expect(counter.count == expected)
        }
    }
}
