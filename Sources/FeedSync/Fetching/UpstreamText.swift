internal import HTTP

/// What an upstream says about a failure, fit for a message.
enum UpstreamText {
    /// The most Unicode scalars that are quoted.
    private static let limit = 200
    /// The bytes of a body that are looked at; more than the longest secret there can be.
    private static let bodyLimit = 1 << 17

    /// Where APIs put the sentence that is meant for people, best first.
    private static let places = [
        ["message"], ["error", "message"], ["error_description"], ["error"], ["detail"], ["title"],
    ].map { Path($0.map(Path.Segment.member)) }

    /// The sentence in quotes; nil where the body has none.
    static func quotation(of response: Response, secrets: Secrets, bodyValue: BodyValue) -> String? {
        guard !response.body.isEmpty else { return nil }
        for place in places {
            guard case .text(let text)? = bodyValue(response.body, place) else { continue }
            if let quotation = quoted(text, secrets) { return quotation }
        }
        // The words of an HTML page drown in its mark-up.
        guard response.contentType?.hasSuffix("html") != true else { return nil }
        let bytes = response.body.withUnsafeBytes { Array($0.prefix(bodyLimit)) }
        // Of a secret that is cut off here nothing may be left to be seen.
        let isCut = bytes.count < response.body.count
        return quoted(String(decoding: bytes, as: UTF8.self), secrets, isCut: isCut)
    }

    private static func quoted(_ text: String, _ secrets: Secrets, isCut: Bool = false) -> String? {
        excerpt(text, secrets, isCut: isCut).map { "\"\($0)\"" }
    }

    /// The beginning of a text, secrets masked before anything is cut off, controls escaped; nil if there is nothing,
    /// or if the end of the excerpt would be one that was cut off before.
    static func excerpt(_ text: String, _ secrets: Secrets, isCut: Bool = false) -> String? {
        var excerpt = ""
        var count = 0
        for scalar in secrets.mask(text).unicodeScalars {
            let piece = written(scalar)
            // Indented JSON is no easier to read in one line.
            if piece == " ", excerpt.isEmpty || excerpt.hasSuffix(" ") { continue }
            count += piece.unicodeScalars.count
            if count >= limit { return excerpt + "…" }
            excerpt += piece
        }
        if excerpt.hasSuffix(" ") { excerpt.removeLast() }
        return excerpt.isEmpty || isCut ? nil : excerpt
    }

    /// A scalar that can do nothing to a terminal: neither command it nor turn the direction of writing.
    private static func written(_ scalar: Unicode.Scalar) -> String {
        switch scalar.properties.generalCategory {
        case .lineSeparator, .paragraphSeparator, .spaceSeparator: " "
        case .control where ["\n", "\r", "\t"].contains(scalar): " "
        case .control, .format, .privateUse, .unassigned: "\\u{\(String(scalar.value, radix: 16))}"
        default: String(scalar)
        }
    }
}
