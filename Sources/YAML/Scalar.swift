/// A single value of a YAML document, as text; `resolution` has its meaning.
package struct Scalar: Sendable, Hashable {
    /// The notation of a scalar.
    package enum Style: Sendable, Hashable {
        /// Without quotes: its meaning depends on its form.
        case plain
        /// In quotes, or as a block (`|`, `>`): always text.
        case quoted
    }

    /// The type that a tag such as `!!str` declares.
    package enum Tag: String, Sendable, Hashable {
        /// `!!null`
        case null
        /// `!!bool`
        case boolean = "bool"
        /// `!!int`
        case integer = "int"
        /// `!!float`
        case real = "float"
        /// `!!str`, or `!` alone
        case text = "str"
    }

    /// The meaning of a scalar in the YAML 1.2 core schema.
    package enum Resolution: Sendable, Hashable {
        /// `null`, `~` or empty.
        case null
        /// `true` or `false`.
        case boolean(Bool)
        /// A decimal, `0o` octal or `0x` hexadecimal integer.
        case integer(Int64)
        /// An integer that 64 bits cannot hold; its digits are in `text`.
        case oversizedInteger
        /// A number with a fraction or an exponent, `.inf` or `.nan`.
        case real(Double)
        /// Everything else, and everything in quotes.
        case text
    }

    /// The text, escapes replaced and lines folded.
    package let text: String
    /// The notation of this scalar.
    package let style: Style
    /// Its declared type.
    package let tag: Tag?

    /// A scalar of this text.
    package init(_ text: String, style: Style = .plain, tag: Tag? = nil) {
        self.text = text
        self.style = style
        self.tag = tag
    }

    /// The scalar's meaning: from its tag, else its quotes, else its form.
    ///
    /// Source: https://yaml.org/spec/1.2.2/#103-core-schema
    package var resolution: Resolution {
        switch tag {
        case .text: .text
        case .real: CoreSchema.real(text)
        case nil where style == .quoted: .text
        default: CoreSchema.resolve(text)
        }
    }

    /// True if the tag permits the text.
    var fitsTag: Bool {
        // Most have no tag, and then their meaning is not needed.
        guard let tag else { return true }
        return switch (tag, resolution) {
        case (.text, .text), (.null, .null), (.boolean, .boolean), (.integer, .integer),
            (.integer, .oversizedInteger), (.real, .real):
            true
        default: false
        }
    }
}
