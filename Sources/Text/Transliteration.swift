/// Text in Latin, Greek and Cyrillic letters, written in ASCII as people type it.
package enum Transliteration {
    /// The text in lower-case ASCII, where each letter is known; others stay as they are.
    package static func ascii(_ text: String) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.lowercased().unicodeScalars {
            if scalar.isASCII {
                result.append(scalar)
            } else if let letters = letters[scalar] {
                result.append(contentsOf: letters.unicodeScalars)
            } else if scalar.properties.generalCategory != .nonspacingMark {
                result.append(scalar)
            }
        }
        return String(result)
    }

    /// The ASCII text of each letter, by the letters that share one.
    private static let letters: [Unicode.Scalar: String] = {
        let groups = [
            "a": "àáâãåāăąǎ", "ae": "äæ", "b": "б", "c": "çćĉċč", "d": "ďđðд", "e": "èéêëēĕėęěеэεέ", "f": "фφ",
            "g": "ĝğġģгґγ",
            "h": "ĥħ", "i": "ìíîïĩīĭįıиіιίϊΐη", "j": "ĵ", "k": "ķкκ", "l": "ĺļľŀłлλ", "m": "мμ", "n": "ñńņňŉнν",
            "o": "òóôõōŏőоοόωώ",
            "oe": "öøœ", "p": "пπ", "r": "ŕŗřрρ", "s": "śŝşšșсσς", "ss": "ß", "t": "ţťŧțтτ", "th": "þθ",
            "u": "ùúûũūŭůűųу", "ue": "ü",
            "v": "вβ", "w": "ŵ", "y": "ýÿŷйыυύϋ", "z": "źżžзζ", "zh": "ж", "kh": "хχ", "ts": "ц", "ch": "ч", "sh": "ш",
            "shch": "щ",
            "yo": "ё", "yu": "ю", "ya": "я", "yi": "ї", "ye": "є", "x": "ξ", "ps": "ψ", "": "ъь",
        ]
        var letters: [Unicode.Scalar: String] = ["α": "a", "ά": "a", "δ": "d", "ή": "i", "а": "a"]
        for (written, all) in groups { for scalar in all.unicodeScalars { letters[scalar] = written } }
        return letters
    }()
}
