internal import CContentCoding
internal import Text

/// A coding of a response's body that makes it shorter.
///
/// Source: https://www.rfc-editor.org/rfc/rfc9110#section-8.4
package enum ContentEncoder: String, Sendable, CaseIterable {
    /// Shorter than gzip, and preferred.
    case brotli = "br"
    case gzip

    /// The coding for a client with this `Accept-Encoding`; nil if the body goes out as it is.
    package static func accepted(by field: String?) -> ContentEncoder? {
        var weights: [String: Double] = [:]
        for word in field?.split(separator: ",") ?? [] {
            let parts = word.split(separator: ";").map { $0.trimmingSpaces.lowercased() }
            guard let name = parts.first else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 }
            weights[name] = weight ?? 1
        }
        let known = allCases.filter { content_coding_can_encode($0.coding) != 0 }
            .map { (coder: $0, weight: weights[$0.rawValue] ?? weights["*"] ?? 0) }
        guard let best = known.map(\.weight).max(), best > 0 else { return nil }
        return known.first { $0.weight == best }?.coder
    }

    /// The bytes in this coding; nil if that makes them no shorter.
    package func encoded(_ bytes: [UInt8]) -> [UInt8]? {
        let encoded = [UInt8](unsafeUninitializedCapacity: bytes.count) { buffer, count in
            count = bytes.withUnsafeBufferPointer { input in
                content_coding_encode(coding, input.baseAddress, input.count, buffer.baseAddress, buffer.count)
            }
        }
        return encoded.isEmpty ? nil : encoded
    }

    private var coding: content_coding {
        switch self {
        case .brotli: CONTENT_CODING_BROTLI
        case .gzip: CONTENT_CODING_GZIP
        }
    }
}
