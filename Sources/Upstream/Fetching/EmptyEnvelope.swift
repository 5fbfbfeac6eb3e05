package import HTTP

/// A body that lacks the member of its items: an empty page, or no page at all.
package enum EmptyEnvelope {
    /// The most bytes of an envelope.
    private static let longest = 1 << 16
    private static let words: Set<String> = [
        "message", "messages", "msg", "error", "errors", "detail", "details", "reason", "fault", "exception", "warning",
        "warnings", "note", "notice", "information",
    ]

    /// True for a body that has nothing at the items' path and is a page all the same.
    ///
    /// A first page must have a member of paging, or one in an object about the list that counts no items, such as
    /// `{"meta":{"result_count":0}}`; a further one must only have nothing else to say. An object without members is no
    /// page: many broken servers answer with one.
    ///
    /// A further page whose way to the items ends in null or in nothing, as in `{"data":null,"message":"ok"}` where
    /// others have `data.items`, may also have a message that says no more than that all is well.
    ///
    /// - Parameters:
    ///   - items: The path of the items; nil if it is unknown.
    ///   - isFirst: True if it answers the feed's own request.
    package static func holds(_ body: Body, items: Path? = nil, isFirst: Bool, pagination: some Paginator) -> Bool {
        guard body.count <= longest, let tree = try? JSONValue(body), let members = tree.members else { return false }
        let hasEnded = !isFirst && items.map { isEnd(of: $0, in: tree) } ?? false
        guard isPlain(members, mayBeWell: hasEnded), !members.all.isEmpty else { return false }
        return !isFirst || members.all.contains { PagingNames.isOfPaging($0.name) || isOfEmptyList($0) }
            || pagination.bodyPaths.contains { tree.value(at: $0) != nil }
    }

    /// True if no member says anything in words, and none has elements.
    ///
    /// - Parameter mayBeWell: True if words such as "ok" are nothing, too.
    private static func isPlain(_ members: JSONObject, mayBeWell: Bool = false) -> Bool {
        members.all.allSatisfy { member in
            words.isDisjoint(with: MemberName(member.name).words) && member.value.elements?.isEmpty != false
                || mayBeWell && PagingNames.saysNothing(member.value)
        }
    }

    /// True if a value on the way to the items, before their own place, is null or has nothing in it.
    private static func isEnd(of items: Path, in body: JSONValue) -> Bool {
        items.segments.indices.dropFirst().contains { length in
            switch body.value(at: Path(Array(items.segments[..<length]))) {
            case .null?: true
            case .object(let members)?: members.all.isEmpty
            case .array(let elements)?: elements.isEmpty
            default: false
            }
        }
    }

    /// True for an object about the list with a member of paging, which counts no items.
    private static func isOfEmptyList(_ member: JSONObject.Member) -> Bool {
        guard let inner = member.value.members, isPlain(inner),
            !PagingNames.envelopes.isDisjoint(with: MemberName(member.name).words)
        else { return false }
        return inner.all.contains { PagingNames.isOfPaging($0.name) }
            && inner.all.allSatisfy { member in
                !PagingNames.isTotal(MemberName(member.name), of: Path([])) || (member.value.count ?? 0) == 0
            }
    }
}
