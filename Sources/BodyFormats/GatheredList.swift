internal import Feeds
internal import HTTP
internal import JSON
internal import Text

/// Gathers lists in several places of a body into one.
///
/// The list becomes the member `*` of the value whose members the lists are in. Members without a list stay beside it,
/// and so do flags beside a list that may say that it is not whole: `limited: true`, `isLast: false`, and those in
/// GraphQL's `pageInfo`.
struct GatheredList {
    private let lists: ScatteredLists
    private var items: [JSONValue] = []
    private var flags: [JSONObject.Member] = []

    private init(_ lists: ScatteredLists) { self.lists = lists }

    /// The body with its lists gathered; nil where nothing that could have any is at their root.
    ///
    /// - Throws: `BodyFault` for a value in the place of a list, and for a body of too many values.
    static func body(_ body: Body, of lists: ScatteredLists, limit: Int) throws(BodyFault) -> Body? {
        var whole: JSONValue
        do throws(JSONSyntaxError) {
            whole = try JSONValue(parsing: body.bytes)
        } catch {
            // The decoder says where it stops being JSON.
            guard error.isTooLarge else { return nil }
            throw BodyFault(
                "it has more than \(JSONValue.maximumCount) values, and `items` has a `*`",
                advice: "ask for smaller pages")
        }
        guard let root = whole.value(at: lists.root[...]) else { return nil }
        var gathered = GatheredList(lists)
        var members: [JSONObject.Member]
        switch root {
        case .object(let all):
            members = []
            for member in all {
                if try !gathered.add(member.value, lists.groups[...], [member.name]) { members.append(member) }
            }
        case .array(let elements):
            members = []
            for (index, element) in elements.enumerated() {
                _ = try gathered.add(element, lists.groups[...], ["\(index)"])
            }
        default: return nil
        }
        members += gathered.flags
        members.append((ScatteredLists.gathered, .array(gathered.items)))
        whole.set(lists.root[...], to: .object(of: members))
        let output = JSONOutput(limit: limit)
        try output.write(whole)
        return output.body
    }

    /// Adds the items below a value that a `*` stands for; false where it has no list.
    ///
    /// - Parameters:
    ///   - groups: The steps from the value on, and those behind each further `*`.
    ///   - names: The names that the `*` have stood for so far.
    private mutating func add(
        _ value: JSONValue, _ groups: ArraySlice<[Path.Segment]>, _ names: [String]
    ) throws(BodyFault) -> Bool {
        guard let group = groups.first, let found = value.value(at: Path(group)), found != .null else { return false }
        if !group.isEmpty { addFlags(beside: value.value(at: Path(group.dropLast()))) }
        let further = groups.dropFirst()
        switch found {
        case .object(let members) where !further.isEmpty:
            for member in members { _ = try add(member.value, further, names + [member.name]) }
        case .array(let elements) where !further.isEmpty:
            for (index, element) in elements.enumerated() { _ = try add(element, further, names + ["\(index)"]) }
        case .array(let elements):
            for element in elements { items.append(try named(element, names)) }
        case .object: items.append(try named(found, names))
        default:
            // A scalar at the last `*` is not an item.
            guard !group.isEmpty else { return false }
            let place = (names + [Path(group).description]).joined(separator: ".")
            throw BodyFault("\(Excerpt.quoted(place, limit: 100)) is \(found.kindWords), not a list")
        }
        return true
    }

    /// The most flags that are kept: one says enough.
    private static let mostFlags = 50

    private mutating func addFlags(beside parent: JSONValue?) {
        for (name, value) in parent?.members?.all ?? [] {
            addFlag(name, value)
            guard let members = value.members, !PagingNames.envelopes.isDisjoint(with: MemberName(name).words) else {
                continue
            }
            for (name, value) in members.all { addFlag(name, value) }
        }
    }

    /// Keeps a flag unless it says that its list is whole: the others may not be.
    private mutating func addFlag(_ name: String, _ value: JSONValue) {
        guard case .bool(let says) = value, flags.count < Self.mostFlags,
            says != PagingNames.last.contains(MemberName(name).folded), !flags.contains(where: { $0.name == name })
        else { return }
        flags.append((name, value))
    }

    /// The item with the names on the way to it.
    private func named(_ item: JSONValue, _ names: [String]) throws(BodyFault) -> JSONValue {
        guard !lists.names.isEmpty, case .object(let members) = item else { return item }
        for name in lists.names where members[name] != nil {
            throw BodyFault(
                "an item has a member `\(name)` of its own",
                advice: "give `keyed_by` of the feed's `items` another name")
        }
        return .object(of: zip(lists.names, names).map { ($0, .string($1)) } + members.all)
    }
}
