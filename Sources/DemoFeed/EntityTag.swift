/// A weak entity tag, as GitHub's are: the FNV-1a hash of the body.
///
/// Source: http://www.isthe.com/chongo/tech/comp/fnv/
func entityTag(of body: String) -> String {
    let hash = body.utf8.reduce(14_695_981_039_346_656_037 as UInt64) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
    return "W/\"\(String(hash, radix: 16))\""
}

/// Whether an `If-None-Match` names the tag, compared weakly.
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
