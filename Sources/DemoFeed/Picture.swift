internal import HTTPServer
internal import JSON

/// The pictures of the demo's owners and hosts: patterns that are the same for the same number, as PNG.
enum Picture {
    /// The placeholder in items for the URL of the demo.
    static let base = "{demo}"
    /// The squares of a side, and the pixels of a square.
    private static let (squares, size) = (5, 12)

    /// The path of a number's picture, below the URL of the demo.
    static func url(_ number: Int) -> String { "\(base)/pictures/\(number).png" }

    /// The answer for a path such as `/pictures/7.png`; nil for any other.
    static func answer(_ path: String) -> ServerResponse? {
        guard path.hasPrefix("/pictures/"), path.hasSuffix(".png"), let number = Int(path.dropFirst(10).dropLast(4))
        else {
            return nil
        }
        let headers = [(name: "Content-Type", value: "image/png"), (name: "Cache-Control", value: "max-age=86400")]
        return ServerResponse(headers: headers, body: png(number))
    }

    /// A pattern that is the same from left to right and from right to left.
    private static func png(_ number: Int) -> [UInt8] {
        var random = SplitMix64(seed: UInt64(bitPattern: Int64(number)))
        let colour = [UInt8(40 + random.below(130)), UInt8(60 + random.below(110)), UInt8(70 + random.below(130))]
        var pixels: [UInt8] = []
        for _ in 0..<squares {
            let half = (0...squares / 2).map { _ in random.chance(percent: 55) }
            let row = (0..<squares * size).map { x -> UInt8 in
                let square = x / size
                return half[min(square, squares - 1 - square)] ? 1 : 0
            }
            for _ in 0..<size { pixels += [0] + row }
        }
        let side = UInt32(squares * size)
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + chunk("IHDR", bytes(side) + bytes(side) + [8, 3, 0, 0, 0]) + chunk("PLTE", [238, 241, 238] + colour)
            + chunk("IDAT", stored(pixels)) + chunk("IEND", [])
    }

    private static func bytes(_ number: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    }

    /// Source: https://www.w3.org/TR/png-3/#5Chunk-layout
    private static func chunk(_ kind: String, _ content: [UInt8]) -> [UInt8] {
        let body = Array(kind.utf8) + content
        return bytes(UInt32(content.count)) + body + bytes(Gzip.checksum(body))
    }

    /// Bytes as a zlib stream that is not compressed.
    ///
    /// Source: https://www.rfc-editor.org/rfc/rfc1950
    private static func stored(_ content: [UInt8]) -> [UInt8] {
        var (low, high) = (UInt32(1), UInt32(0))
        for byte in content {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return [0x78, 0x01] + Gzip.storedBlock(content) + bytes(high << 16 | low)
    }
}

/// An item that was rendered once, with the URLs that depend on the address of the demo left open.
struct RenderedItem: Sendable {
    private let parts: [String]

    init(_ item: some JSONRecord) {
        var parts = [""]
        var rest = item.json[...]
        while let place = rest.firstRange(of: Picture.base) {
            parts[parts.count - 1] = String(rest[..<place.lowerBound])
            parts.append("")
            rest = rest[place.upperBound...]
        }
        parts[parts.count - 1] = String(rest)
        self.parts = parts
    }

    /// The item for a demo at a URL.
    func json(at url: String) -> JSONDocument { JSONDocument(parts.joined(separator: url)) }
}
