internal import CSimdjson
internal import HTTP

/// Puts into words why a body is not a page.
struct PageFault {
    let error: FeedError

    init(_ page: json_page, of body: Body, plan: DecodePlan) {
        let items = plan.itemsPath.map { "`items: \($0)`" } ?? "the body, which should be the array of items,"
        let place = "at byte \(page.offset) of \(body.count)"
        let found = Self.excerpt(of: body, at: page.offset)
        switch page.error {
        case JSON_EMPTY:
            error = FeedError(.undecodable, "the body is empty, where a page of JSON was expected")
        case JSON_NOT_JSON where page.offset == 0 || found.hasPrefix("<"):
            error = FeedError(
                .undecodable, "the body is not JSON: it begins with \(Self.excerpt(of: body, at: 0))",
                advice: "look at the URL in a browser: a login or error page is often HTML")
        case JSON_NOT_JSON:
            error = FeedError(.undecodable, "the JSON is broken \(place): \(found)")
        case JSON_TRUNCATED:
            error = FeedError(.undecodable, "the JSON ends in the middle, \(place)", advice: "try again")
        case JSON_INVALID_UTF8:
            error = FeedError(.undecodable, "the body is not UTF-8 \(place)")
        case JSON_INVALID_ESCAPE:
            error = FeedError(.undecodable, "a string has an invalid escape \(place): \(found)")
        case JSON_CONTROL_CHARACTER:
            error = FeedError(.undecodable, "a string has an unescaped control character \(place)")
        case JSON_INVALID_NUMBER:
            error = FeedError(.undecodable, "a number is malformed \(place): \(found)")
        case JSON_TRAILING_BYTES:
            error = FeedError(.undecodable, "more follows after the JSON \(place): \(found)")
        case JSON_TOO_DEEP:
            error = FeedError(
                .undecodable, "arrays and objects are nested more than \(JSON_MAXIMUM_DEPTH) deep \(place)")
        case JSON_TOO_LARGE:
            error = FeedError(.undecodable, "the body has more than 4 GiB")
        case JSON_ITEMS_MISSING:
            error = FeedError(
                .undecodable,
                "\(items) leads to nothing in the body, which begins with \(Self.excerpt(of: body, at: 0))",
                advice: "correct `items` in the feed's definition")
        case JSON_ITEMS_WRONG_KIND:
            error = FeedError(
                .undecodable, "\(items) leads to \(page.items_kind.words), not to an array, \(place)",
                advice: "correct `items` in the feed's definition")
        default:
            error = .outOfMemory
        }
    }

    /// At most 40 characters of what the upstream sent, in quotes, with nothing that a terminal would obey.
    private static func excerpt(of body: Body, at offset: Int) -> String {
        body.withUnsafeBytes { bytes in
            let end = min(bytes.count, offset + 160)
            guard offset < end else { return "the end of the body" }
            return Excerpt.quoted(String(decoding: bytes[offset..<end], as: UTF8.self), limit: 40)
        }
    }
}

/// Shows what an upstream sent.
enum Excerpt {
    /// At most `limit` characters of the text in backticks, control characters replaced.
    static func quoted(_ text: String, limit: Int) -> String {
        let shown = text.prefix(limit).unicodeScalars.map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: scalar == "\u{200D}" ? scalar : " "
            default: scalar
            }
        }
        return "`" + String(String.UnicodeScalarView(shown)) + (text.count > limit ? "…" : "") + "`"
    }
}
