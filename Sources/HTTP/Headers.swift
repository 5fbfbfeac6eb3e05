package import Text

/// The header fields of a message, in order; names compare without regard to case and may come more than once.
package struct Headers: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// Every field, in order: each value without the spaces around it, and with U+FFFD for bytes that are not UTF-8.
    package private(set) var fields: [NamedValue] = []

    /// No fields.
    package init() {}

    /// Fields in the given order; an invalid one is refused when it is sent.
    package init(_ fields: [NamedValue]) { self.fields = fields }

    /// Fields in the given order; a name may come more than once.
    package init(dictionaryLiteral elements: (String, String)...) {
        fields = elements.map { NamedValue(name: $0.0, value: $0.1) }
    }

    /// The first value of that name; assigning replaces every field of the name, nil removes them.
    package subscript(name: String) -> String? {
        get {
            let count = name.utf8.count
            for field in fields where field.name.utf8.count == count && field.name.isSameASCII(as: name) {
                return field.value
            }
            return nil
        }
        set {
            let position = fields.firstIndex { $0.name.isSameASCII(as: name) }
            fields.removeAll { $0.name.isSameASCII(as: name) }
            // Nothing before the first field of the name was removed, so its position still holds.
            if let newValue { fields.insert(NamedValue(name: name, value: newValue), at: position ?? fields.count) }
        }
    }

    /// The values of every field of that name, in order.
    package func values(of name: String) -> [String] {
        fields.filter { $0.name.isSameASCII(as: name) }.map(\.value)
    }

    /// The members of a comma-separated list, over all fields of that name; nil if there are none.
    ///
    /// Source: https://www.rfc-editor.org/rfc/rfc9110#section-5.3
    package func joined(_ name: String) -> String? {
        let values = values(of: name)
        return values.isEmpty ? nil : values.joined(separator: ", ")
    }

    /// Adds a field at the end, beside others of its name.
    package mutating func append(name: String, value: String) {
        fields.append(NamedValue(name: name, value: value))
    }

    /// Continues the last field's value: a line that began with a space (RFC 9112, section 5.2).
    mutating func extendLast(with text: String) {
        guard let last = fields.indices.last else { return }
        fields[last].value += " " + text
    }
}

extension NamedValue {
    /// True for a header field that can be sent: the name is a token, and the value holds no control character but the
    /// tab.
    ///
    /// Source: https://www.rfc-editor.org/rfc/rfc9110#section-5.5
    var isValidField: Bool {
        name.isHTTPToken && value.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
    }
}
