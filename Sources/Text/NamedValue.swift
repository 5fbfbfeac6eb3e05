/// A name with a value: a header field, or a parameter of a query or a form, neither of them encoded.
package struct NamedValue: Sendable, Hashable {
    /// The name as it was written.
    package var name: String
    /// The value; empty if only a name was written.
    package var value: String

    package init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}
