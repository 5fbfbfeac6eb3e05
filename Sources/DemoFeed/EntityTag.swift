internal import Text

/// A weak entity tag, as GitHub's are: the FNV-1a hash of the body.
func entityTag(of body: String) -> String {
    var hash = FNV1a()
    hash.add(body.utf8)
    return "W/\"\(hash.digits)\""
}

/// True if an `If-None-Match` names the tag, compared weakly.
///
/// Source: https://www.rfc-editor.org/rfc/rfc9110#section-13.1.2
func matches(_ tag: String, _ condition: String) -> Bool {
    condition.split(separator: ",").contains { candidate in
        let candidate = candidate.drop { $0 == " " }.prefix { $0 != " " }
        return candidate == "*" || opaque(candidate) == opaque(tag[...])
    }
}

private func opaque(_ tag: Substring) -> Substring {
    tag.hasPrefix("W/") ? tag.dropFirst(2) : tag
}
