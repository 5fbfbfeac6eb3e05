internal import CPageDecoder
internal import HTTP

/// The error for a body that is not a page.
struct PageFault {
    let error: FeedSyncError

    init(_ page: json_page, of body: Body, plan: DecodePlan, secrets: Secrets) {
        let items = plan.itemsPath.map { "`items: \($0)`" } ?? "the body, which should be the array of items,"
        let place = "at byte \(page.offset) of \(body.count)"
        let found = Self.excerpt(of: body, at: page.offset, secrets)
        switch page.error {
        case JSON_EMPTY:
            error = FeedSyncError(.undecodable, "the response is empty; JSON was expected")
        case JSON_NOT_JSON where Self.isStart(page.offset, of: body):
            error =
                .otherFormat(body, secrets: secrets)
                ?? FeedSyncError(
                    .undecodable, "the body is not JSON: it begins with \(found)",
                    advice: "open the URL in a browser: a login or error page is often HTML")
        case JSON_NOT_JSON:
            error = FeedSyncError(.undecodable, "the JSON is broken \(place): \(found)")
        case JSON_TRUNCATED:
            error = FeedSyncError(.undecodable, "the JSON is cut off, \(place)", advice: "run it again")
        case JSON_INVALID_UTF8:
            error = FeedSyncError(.undecodable, "the body is not UTF-8 \(place)")
        case JSON_INVALID_ESCAPE:
            error = FeedSyncError(.undecodable, "a string has an invalid escape \(place): \(found)")
        case JSON_CONTROL_CHARACTER:
            error = FeedSyncError(.undecodable, "a string has an unescaped control character \(place)")
        case JSON_INVALID_NUMBER:
            error = FeedSyncError(.undecodable, "a number is malformed \(place): \(found)")
        case JSON_TRAILING_BYTES:
            error =
                .otherFormat(body, secrets: secrets)
                ?? FeedSyncError(.undecodable, "more follows after the JSON \(place): \(found)")
        case JSON_TOO_DEEP:
            error = FeedSyncError(
                .undecodable, "arrays and objects are nested more than \(JSON_MAXIMUM_DEPTH) deep \(place)")
        case JSON_TOO_LARGE:
            error = FeedSyncError(
                .undecodable, "the body takes more than \(SizeText.text(plan.memory.most))", advice: Self.smallerPages)
        case JSON_TOO_MANY_TOKENS:
            error = FeedSyncError(
                .undecodable, "the page has too many values for \(SizeText.text(plan.memory.most)) of memory",
                advice: Self.smallerPages)
        case JSON_TOO_MANY_ITEMS:
            error = FeedSyncError(
                .undecodable, "the page has too many items for \(SizeText.text(plan.memory.most)) of memory \(place)",
                advice: Self.smallerPages)
        case JSON_ITEMS_MISSING:
            error = FeedSyncError(
                .undecodable,
                "\(items) matches nothing in the body, which begins with \(Self.excerpt(of: body, at: 0, secrets))",
                advice: "correct `items` in the feed's definition")
        case JSON_ITEMS_WRONG_KIND:
            error = FeedSyncError(
                .undecodable, "\(items) is \(page.items_kind.words), not an array, \(place)",
                advice: "correct `items` in the feed's definition" + Self.wayToMembers(plan.itemsPath, body))
        default:
            error = .outOfMemory
        }
    }

    private static let smallerPages =
        "ask for smaller pages, with `size` in the feed's `pagination`, or give the feed a larger `max_memory`"

    /// Advice to use the members of an object as the items, if each is an object.
    private static func wayToMembers(_ path: Path?, _ body: Body) -> String {
        let path = path ?? Path([])
        guard case .json(let text)? = BodyProbe.value(of: body, at: path), let value = try? JSONValue(parsing: text),
            case .object(let members) = value, !members.isEmpty,
            members.allSatisfy({ if case .object = $0.value { true } else { false } })
        else { return "" }
        return "; if its members are the items, set `items: {path: \(path), keyed_by: COLUMN}`"
    }

    /// At most 40 characters of the body, in backticks.
    private static func excerpt(of body: Body, at offset: Int, _ secrets: Secrets) -> String {
        Excerpt.of(body, from: offset, limit: 40, secrets: secrets).map { "`\($0)`" } ?? "the end of the body"
    }

    /// True if only white space and a byte order mark come before `offset`.
    private static func isStart(_ offset: Int, of body: Body) -> Bool {
        body.withUnsafeBytes { bytes in
            var start = bytes.prefix(max(0, offset))
            if start.starts(with: [0xEF, 0xBB, 0xBF]) { start = start.dropFirst(3) }
            return start.allSatisfy { [0x09, 0x0A, 0x0D, 0x20].contains($0) }
        }
    }
}
