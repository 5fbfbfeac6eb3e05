package import Text

/// A value that can be written as JSON.
package protocol JSONWritable {
    /// The value as JSON text, without white space between its parts.
    var json: String { get }
}

/// A value that is written as a JSON object. Its type is the only place that names the members and their order.
package protocol JSONRecord: JSONWritable {
    /// The members with their values.
    var fields: JSONFields { get }
}

extension JSONRecord {
    /// The record as an object.
    package var json: String { fields.json }
}

/// The version of the objects that are printed or sent to programs.
package enum ResultVersion {
    /// Grows when a member is removed or changes its meaning, not when one is added.
    package static let current = 1
}

extension JSONRecord {
    /// The record as an object for programs, with the version of its format.
    package var result: String { (fields + ["version": ResultVersion.current]).json }
}

/// Members of an object, in the order in which they are written. A value that is nil is written as `null`.
package struct JSONFields: JSONRecord, ExpressibleByDictionaryLiteral {
    private var list: [(name: String, value: any JSONWritable)]

    package init(_ members: [(String, any JSONWritable)]) { list = members.map { (name: $0.0, value: $0.1) } }

    package init(dictionaryLiteral elements: (String, any JSONWritable)...) { self.init(elements) }

    /// These members, and others behind them.
    package static func + (one: JSONFields, other: JSONFields) -> JSONFields {
        var all = one
        all.list += other.list
        return all
    }

    package var fields: JSONFields { self }

    /// The names of the members, in order.
    package var names: [String] { list.map(\.name) }

    /// The values of the members as JSON, in order.
    package var values: [String] { list.map(\.value.json) }

    /// The object.
    package var json: String {
        var object = JSONObjectText()
        for member in list { object.add(member.name, json: member.value.json) }
        return object.text
    }
}

/// JSON that has been written before, such as a stored document.
package struct JSONDocument: JSONWritable {
    package let json: String

    package init(_ json: String) { self.json = json }
}

extension JSONValue: JSONWritable {}

extension String: JSONWritable {
    /// The string with its quotes.
    package var json: String { JSONText.string(self) }
}

extension NamedValue: JSONRecord {
    package var fields: JSONFields { ["name": name, "value": value] }
}

extension Int: JSONWritable {
    package var json: String { String(self) }
}

extension Bool: JSONWritable {
    package var json: String { "\(self)" }
}

extension Optional: JSONWritable where Wrapped: JSONWritable {
    /// The value, or `null`.
    package var json: String { self?.json ?? "null" }
}

extension Array: JSONWritable where Element: JSONWritable {
    package var json: String { "[\(map(\.json).joined(separator: ","))]" }
}
