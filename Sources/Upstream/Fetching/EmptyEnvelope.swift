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
    /// - Parameter isFirst: True if it answers the feed's own request.
    package static func holds(_ body: Body, isFirst: Bool, pagination: some Paginator) -> Bool {
        guard body.count <= longest, let tree = try? JSONValue(body), let members = tree.members else { return false }
        guard isPlain(members), !members.all.isEmpty else { return false }
        return !isFirst || members.all.contains { PagingNames.isOfPaging($0.name) || isOfEmptyList($0) }
            || pagination.bodyPaths.contains { tree.value(at: $0) != nil }
    }

    /// True if no member says anything in words, and none has elements.
    private static func isPlain(_ members: JSONObject) -> Bool {
        members.all.allSatisfy { member in
            words.isDisjoint(with: MemberName(member.name).words) && member.value.elements?.isEmpty != false
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
