package import FeedSync

/// Figures with their labels, in Prometheus' text format.
///
/// Source: https://prometheus.io/docs/instrumenting/exposition_formats/
package struct MetricText {
    /// The header field of a response with it.
    package static let type = (name: "Content-Type", value: "text/plain; version=0.0.4; charset=utf-8")

    package private(set) var text = ""
    private var name = ""

    /// None yet.
    package init() {}

    /// Begins a figure.
    ///
    /// - Parameter type: `counter` or `gauge`.
    package mutating func begin(_ name: String, _ type: String, _ help: String) {
        self.name = name
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }

    /// A figure with a single value, without labels.
    package mutating func add(_ name: String, _ type: String, _ help: String, _ value: Int) {
        begin(name, type, help)
        add([], value)
    }

    /// Adds a value of it.
    package mutating func add(_ labels: [(name: String, value: String)], _ value: Int) {
        let list = labels.map { label in
            let escaped = label.value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing(
                "\n", with: "\\n")
            return "\(label.name)=\"\(escaped)\""
        }
        text += "\(name)\(list.isEmpty ? "" : "{\(list.joined(separator: ","))}") \(value)\n"
    }
}

extension ItemCounts {
    /// The counts by the kinds of a figure's label.
    package var kinds: [(kind: String, count: Int)] {
        [("inserted", inserted), ("updated", updated), ("unchanged", unchanged), ("removed", removed)]
    }

    /// The counts that are not 0, in words for people.
    package var words: [String] {
        NumberFormat.counts([
            (inserted, "new"), (updated, "changed"), (unchanged, "unchanged"), (removed, "removed"),
        ])
    }
}
