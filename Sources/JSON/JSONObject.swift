internal import Text

/// The members of a JSON object in their original order, with unique names.
///
/// Names are compared by code points. Two objects are equal if they have the same members in any order, as JSON defines
/// it.
package struct JSONObject: Sendable {
    /// A name with its value.
    package typealias Member = (name: String, value: JSONValue)

    /// In the order in which the names came first.
    package private(set) var all: [Member] = []
    /// The place of each name, where there are too many names to go through them.
    private var places: [ExactText: Int] = [:]
    private static let fewNames = 12

    /// Members of which the last counts where several have one name.
    package init(_ members: [Member] = []) {
        all.reserveCapacity(members.count)
        for (name, value) in members { self[name] = value }
    }

    /// The value of a member; nil where there is none, and to remove it. A new one goes to the end.
    package subscript(name: String) -> JSONValue? {
        get { place(of: name).map { all[$0].value } }
        set {
            switch (place(of: name), newValue) {
            case (let place?, let value?): all[place].value = value
            case (let place?, nil):
                all.remove(at: place)
                findPlaces()
            case (nil, let value?):
                all.append((name, value))
                if !places.isEmpty { places[ExactText(name)] = all.count - 1 } else { findPlaces() }
            case (nil, nil): break
            }
        }
    }

    /// The names in order.
    package var names: [String] { all.map(\.name) }

    private func place(of name: String) -> Int? {
        let name = ExactText(name)
        return places.isEmpty ? all.firstIndex { ExactText($0.name) == name } : places[name]
    }

    private mutating func findPlaces() {
        places = [:]
        guard all.count > Self.fewNames else { return }
        for (place, member) in all.enumerated() { places[ExactText(member.name)] = place }
    }
}

extension JSONObject: RandomAccessCollection {
    /// The place of the first member.
    package var startIndex: Int { all.startIndex }
    /// The place behind the last member.
    package var endIndex: Int { all.endIndex }
    /// The member at a place.
    package subscript(place: Int) -> Member { all[place] }
}

extension JSONObject: Hashable {
    /// True if both have the same names with the same values.
    package static func == (one: JSONObject, other: JSONObject) -> Bool {
        one.count == other.count && one.all.allSatisfy { other[$0.name] == $0.value }
    }

    /// Hashes the members independently of their order.
    package func hash(into hasher: inout Hasher) {
        var sum = 0
        for member in all {
            var own = Hasher()
            own.combine(member.name)
            own.combine(member.value)
            sum ^= own.finalize()
        }
        hasher.combine(sum)
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    /// Members in the order of the literal.
    package init(dictionaryLiteral members: (String, JSONValue)...) {
        self.init(members.map { (name: $0, value: $1) })
    }
}
