internal import CContentCoding
internal import Text

/// Undoes the content codings of one body, and knows whether they came to their end.
///
/// Source: https://www.rfc-editor.org/rfc/rfc9110#section-8.4
///
/// - Isolation: one thread.
package final class ContentDecoder {
    /// A coding of a body that could not be removed.
    package enum Failure: Error, Equatable {
        /// A coding that nothing here can undo.
        case unknown(String)
        /// More codings than any server has a use for.
        case tooMany
        /// The bytes are not of the coding.
        case broken
        /// Bytes follow the end of the coding.
        case trailing
        /// There is not enough memory.
        case outOfMemory
        /// There are more bytes than allowed, or the reader wants no more.
        case refused
    }

    /// The codings that we can remove, for `Accept-Encoding`.
    static let accepted: String = {
        let known = names.filter { content_coding_is_known($0.coding) != 0 && !$0.name.hasPrefix("x-") }.map(\.name)
        return known.isEmpty ? "identity" : known.joined(separator: ", ")
    }()

    private static let names: [(name: String, coding: content_coding)] = [
        ("gzip", CONTENT_CODING_GZIP), ("x-gzip", CONTENT_CODING_GZIP), ("deflate", CONTENT_CODING_DEFLATE),
        ("br", CONTENT_CODING_BROTLI), ("zstd", CONTENT_CODING_ZSTD),
    ]
    private static let mostCodings = 5
    private static let blockSize = 64 << 10

    /// The state of each coding, the one that is undone first in front.
    private var decoders: [OpaquePointer] = []
    private var hasEnded: [Bool] = []
    /// The number of bytes that each coding may still produce. Inner codings count too, because they cost time.
    private var left: [Int]
    private let blocks: [UnsafeMutablePointer<UInt8>]

    /// A decoder for the values of `Content-Encoding`; nil if they name no coding.
    ///
    /// - Parameter limit: The most bytes that each coding may produce.
    /// - Throws: `unknown`, `tooMany`, `outOfMemory`.
    package init?(_ values: [String], limit: Int) throws(Failure) {
        let codings = values.flatMap { $0.split(separator: ",") }.map { $0.trimmingSpaces.lowercased() }
            .filter { !$0.isEmpty && $0 != "identity" && $0 != "none" }
        guard !codings.isEmpty else { return nil }
        guard codings.count <= Self.mostCodings else { throw .tooMany }
        var found: [content_coding] = []
        _ = Self.accepted
        for name in codings.reversed() {
            guard let known = Self.names.first(where: { $0.name == name }), content_coding_is_known(known.coding) != 0
            else { throw .unknown(name) }
            found.append(known.coding)
        }
        blocks = found.map { _ in .allocate(capacity: Self.blockSize) }
        hasEnded = found.map { _ in false }
        left = found.map { _ in limit }
        for coding in found {
            guard let decoder = content_decoder_new(coding) else { throw .outOfMemory }
            decoders.append(decoder)
        }
    }

    deinit {
        for decoder in decoders { content_decoder_free(decoder) }
        for block in blocks { block.deallocate() }
    }

    /// True if every coding has reached its end.
    package var isAtEnd: Bool { hasEnded.allSatisfy(\.self) }

    /// Decodes the next bytes and passes the result on in blocks; `use` returns false to stop.
    ///
    /// - Throws: `broken`, `trailing`, `outOfMemory`, `refused`.
    package func decode(
        _ bytes: UnsafeRawBufferPointer, _ use: (UnsafeRawBufferPointer) -> Bool
    ) throws(Failure) {
        try decode(bytes, from: 0, use)
    }

    private func decode(
        _ bytes: UnsafeRawBufferPointer, from place: Int, _ use: (UnsafeRawBufferPointer) -> Bool
    ) throws(Failure) {
        guard place < decoders.count else {
            guard use(bytes) else { throw .refused }
            return
        }
        var input = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var rest = bytes.count
        guard rest > 0 else { return }
        while true {
            var count = Self.blockSize
            let result = content_decoder_decode(decoders[place], &input, &rest, blocks[place], &count)
            hasEnded[place] = result == CONTENT_ENDED
            if count > 0 {
                left[place] -= count
                guard left[place] >= 0 else { throw .refused }
                try decode(UnsafeRawBufferPointer(start: blocks[place], count: count), from: place + 1, use)
            }
            switch result {
            case CONTENT_FULL: continue
            case CONTENT_OPEN, CONTENT_ENDED: return
            case CONTENT_TRAILING: throw .trailing
            case CONTENT_OUT_OF_MEMORY: throw .outOfMemory
            default: throw .broken
            }
        }
    }
}
