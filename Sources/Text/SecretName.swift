/// The one list of names of secrets: in parameters, header fields and members of a body.
///
/// A name is read word by word, whatever its case and however its words are joined: `api_key`, `X-Api-Key` and `apiKey`
/// are one name. So `author` is not `auth`, and `keyword` is not `key`.
package enum SecretName {
    /// True if a value of that name is masked wherever it is shown.
    package static func matches(_ name: some StringProtocol) -> Bool {
        var words = words(of: name)
        // Header fields of one's own begin so.
        if words.first == "x" { words.removeFirst() }
        for (index, word) in words.enumerated() {
            let before = words[..<index].last
            switch word {
            case _ where secrets.contains(word): return true
            case "key": if words.count == 1 || before.map(ownersOfKeys.contains) == true { return true }
            case "token", "tokens": if !words.contains(where: pagingWords.contains) { return true }
            case "session": if words.dropFirst(index + 1).first == "id" { return true }
            default: if joined.contains(where: word.hasSuffix) { return true }
            }
        }
        return false
    }

    /// Words that mark a secret wherever they stand in a name.
    private static let secrets: Set<String> = [
        "auth", "authentication", "authorization", "bearer", "cookie", "credential", "credentials", "hmac", "jwt",
        "passcode", "passphrase", "passwd", "password", "pwd", "secret", "sig", "signature",
    ]

    /// Words before "key" that make it a secret; `sort_key` and `start_key` are none.
    private static let ownersOfKeys: Set<String> = [
        "access", "account", "api", "app", "application", "auth", "client", "consumer", "developer", "encryption",
        "license", "master", "private", "rapidapi", "service", "session", "shared", "signing", "subscription", "user",
    ]

    /// Words that make a token a page cursor.
    private static let pagingWords: Set<String> = [
        "after", "before", "continuation", "continue", "cursor", "delta", "list", "marker", "next", "page",
        "pagination",
        "paging", "prev", "previous", "resume", "resumption", "scroll", "skip", "start", "sync",
    ]

    /// Endings of names whose words are not separated.
    private static let joined = [
        "accesskey", "accesstoken", "apikey", "apitoken", "appkey", "authkey", "authtoken", "bearertoken", "idtoken",
        "passwd", "password", "privatekey", "privatetoken", "refreshtoken", "secret", "secretkey", "secrettoken",
        "securitytoken", "sessionid", "sessiontoken", "usertoken",
    ]

    /// The words in lower case; a capital behind a small letter begins one, and so does the last of several capitals in
    /// front of a small letter.
    private static func words(of name: some StringProtocol) -> [String] {
        var words: [String] = []
        var word = ""
        let scalars = Array(name.unicodeScalars)
        for (index, scalar) in scalars.enumerated() {
            guard scalar.properties.isAlphabetic || scalar.properties.numericType != nil else {
                words.append(word)
                word = ""
                continue
            }
            if scalar.properties.isUppercase, index > 0 {
                let isBehindSmall = scalars[index - 1].properties.isLowercase
                let isBeforeSmall = index + 1 < scalars.count && scalars[index + 1].properties.isLowercase
                if isBehindSmall || isBeforeSmall {
                    words.append(word)
                    word = ""
                }
            }
            word += scalar.properties.lowercaseMapping
        }
        return (words + [word]).filter { !$0.isEmpty }
    }
}

/// Masks parameters of URLs that stand within a text, such as a `Link` header.
package enum SecretParameters {
    /// The text with `***` as the value of each parameter that has a secret's name.
    package static func masked(in text: String) -> String {
        guard text.contains("=") else { return text }
        var result = ""
        var rest = text[...]
        while let separator = rest.firstIndex(where: { $0 == "?" || $0 == "&" }) {
            let start = rest.index(after: separator)
            result += rest[..<start]
            rest = rest[start...]
            let name = rest.prefix { !ends.contains($0) && $0 != "=" }
            guard rest[name.endIndex...].first == "=", SecretName.matches(name) else { continue }
            result += "\(name)=\(Secrets.mask)"
            rest = rest[rest.index(after: name.endIndex)...].drop { !ends.contains($0) }
        }
        return result + rest
    }

    /// Characters that end a parameter.
    private static let ends: Set<Character> = ["?", "&", "#", "<", ">", "\"", "'", ";", ",", " ", "\t"]
}
