/// Entities of HTML, which feeds use without declaring them.
///
/// Source: https://www.w3.org/TR/html4/sgml/entities.html
package enum HTMLEntities {
    /// The text of an entity; nil for an unknown one.
    package static func text(of name: String) -> String? { characters[name].map { String($0) } }

    private static let characters: [String: Character] = {
        var all: [String: Character] = [
            "ndash": "–", "mdash": "—", "lsquo": "‘", "rsquo": "’", "sbquo": "‚", "ldquo": "“", "rdquo": "”",
            "bdquo": "„", "hellip": "…", "bull": "•", "euro": "€", "trade": "™", "larr": "←", "uarr": "↑", "rarr": "→",
            "darr": "↓", "harr": "↔", "lsaquo": "‹", "rsaquo": "›", "dagger": "†", "Dagger": "‡", "permil": "‰",
            "prime": "′", "Prime": "″", "minus": "−", "infin": "∞", "ne": "≠", "le": "≤", "ge": "≥", "asymp": "≈",
            "sum": "∑", "radic": "√", "OElig": "Œ", "oelig": "œ", "Scaron": "Š", "scaron": "š", "Yuml": "Ÿ",
            "fnof": "ƒ", "circ": "ˆ", "tilde": "˜", "ensp": "\u{2002}", "emsp": "\u{2003}", "thinsp": "\u{2009}",
            "zwnj": "\u{200C}", "zwj": "\u{200D}", "lrm": "\u{200E}", "rlm": "\u{200F}", "alpha": "α", "beta": "β",
            "gamma": "γ", "delta": "δ", "lambda": "λ", "mu": "μ", "pi": "π", "sigma": "σ", "omega": "ω", "Omega": "Ω",
            "Delta": "Δ", "hearts": "♥", "spades": "♠", "clubs": "♣", "diams": "♦", "loz": "◊", "check": "✓",
        ]
        for (place, name) in latin.split(separator: " ").enumerated() {
            all[String(name)] = Unicode.Scalar(UInt8(160 + place)).description.first
        }
        return all
    }()

    /// The characters from 160 to 255.
    private static let latin = """
        nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro \
        para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil \
        Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave \
        Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml \
        igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute \
        thorn yuml
        """
}
