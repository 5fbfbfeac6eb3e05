import Testing
import Text

@Suite("A size in bytes")
struct SizeTextTests {
    @Test(
        "A size in bytes is a whole number, with or without a unit",
        arguments: [
            ("0", 0), ("512", 512), ("512B", 512), ("64kB", 64_000), ("64 KiB", 65_536), ("16MiB", 16 << 20),
            ("256MB", 256_000_000), ("1GB", 1_000_000_000), ("2GiB", 2 << 30),
        ])
    func reads(text: String, bytes: Int) {
        #expect(SizeText.parse(text) == bytes)
    }

    @Test(
        "Any other text is no size in bytes",
        arguments: ["", "MB", "-1", "1.5MB", "1 M", "1mb", "1MBs", "99999999999GB", "٣MB", "0x10"])
    func refuses(text: String) {
        #expect(SizeText.parse(text) == nil)
    }

    @Test(
        "A size in bytes is written in the largest unit that divides it",
        arguments: [(0, "0B"), (1_500, "1500B"), (64_000_000, "64MB"), (256 << 20, "256MiB"), (2 << 30, "2GiB")])
    func writes(bytes: Int, text: String) {
        #expect(SizeText.text(bytes) == text)
        #expect(SizeText.parse(text) == bytes)
    }
}
