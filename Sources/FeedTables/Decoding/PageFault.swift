internal import CPageDecoder
internal import HTTP

/// The error for a body that is not a page.
enum PageFault {
    static func error(_ page: json_page, of body: Body, plan: DecodePlan, secrets: Secrets) -> FeedSyncError {
        let items = plan.itemsPath.map { "`items: \($0)`" } ?? "the body, which should be the array of items,"
        let place = "at byte \(page.offset) of \(body.count)"
        let found = excerpt(of: body, at: page.offset, secrets)
        let memory = SizeText.text(plan.memory.most)
        func fault(_ words: String, advice: String? = nil) -> FeedSyncError {
            FeedSyncError(.undecodable, words, advice: advice)
        }
        return switch page.error {
        case JSON_EMPTY: fault("the response is empty; JSON was expected")
        case JSON_NOT_JSON where isStart(page.offset, of: body):
            .otherFormat(body, secrets: secrets)
                ?? fault(
                    "the body is not JSON: it begins with \(found)",
                    advice: "open the URL in a browser: a login or error page is often HTML")
        case JSON_NOT_JSON: fault("the JSON is broken \(place): \(found)")
        case JSON_TRUNCATED: fault("the JSON is cut off, \(place)", advice: "run it again")
        case JSON_INVALID_UTF8: fault("the body is not UTF-8 \(place)")
        case JSON_INVALID_ESCAPE: fault("a string has an invalid escape \(place): \(found)")
        case JSON_CONTROL_CHARACTER: fault("a string has an unescaped control character \(place)")
        case JSON_INVALID_NUMBER: fault("a number is malformed \(place): \(found)")
        case JSON_TRAILING_BYTES:
            .otherFormat(body, secrets: secrets) ?? fault("more follows after the JSON \(place): \(found)")
        case JSON_TOO_DEEP: fault("arrays and objects are nested more than \(JSON_MAXIMUM_DEPTH) deep \(place)")
        case JSON_TOO_LARGE: fault("the body takes more than \(memory)", advice: smallerPages)
        case JSON_TOO_MANY_TOKENS:
            fault("the page has too many values for \(memory) of memory", advice: smallerPages)
        case JSON_TOO_MANY_ITEMS:
            fault("the page has too many items for \(memory) of memory \(place)", advice: smallerPages)
        case JSON_ITEMS_MISSING:
            fault(
                "\(items) matches nothing in the body, which begins with \(excerpt(of: body, at: 0, secrets))",
                advice: "correct `items` in the feed's definition")
        case JSON_ITEMS_WRONG_KIND:
            fault(
                "\(items) is \(page.items_kind.words), not an array, \(place)",
                advice: "correct `items` in the feed's definition" + wayToMembers(plan.itemsPath, body))
        default: .outOfMemory
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
