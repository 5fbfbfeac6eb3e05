internal import Feeds
internal import XML

/// Writes any XML document as JSON: an object with the root as its member.
///
/// | element | JSON |
/// | --- | --- |
/// | with text alone | a string |
/// | with nothing in it, or `xsi:nil="true"` | `null` |
/// | any other | an object: `@attribute`, inner elements by their local names, `#text` |
/// | one of several that have one name | an element of a list |
///
/// The elements at the path of the items are always a list, however many there are, and so are elements that a column's
/// path takes for one, as `propstat[status=…]` does. Items are written as they end, so that
/// no more than one is kept.
struct XMLReader {
    private let text: [UInt8]
    /// The names from the root to the items; empty where they are not known.
    private let names: [String]
    private let lists: XMLLists

    /// - Parameter columns: The paths of columns in an item.
    init(_ text: [UInt8], items: Path?, columns: [Path] = []) {
        self.text = text
        lists = XMLLists(columns)
        let segments = items?.segments ?? []
        let members = segments.compactMap { if case .member(let name) = $0 { name } else { nil } }
        names = members.count == segments.count && members.count > 1 ? members : []
    }

    /// - Throws: `BodyFault` with line and column.
    func write(to output: inout JSONOutput) throws(BodyFault) {
        var count = 0
        var fault: BodyFault?
        let root: XMLElement
        do throws(XMLError) {
            root = try XMLStream.read(
                text,
                choose: { name, outer in
                    outer.count == names.count - 1 && name.local == names.last
                        && zip(outer, names).allSatisfy { $0.name.local == $1 }
                },
                use: { element, _ in
                    do throws(BodyFault) {
                        if count == 0 { try open(&output) } else { try output.write(",\n") }
                        count += 1
                        try output.write(element.json(lists))
                        return nil
                    } catch {
                        fault = error
                        return error.problem
                    }
                })
        } catch {
            throw fault ?? BodyFault(error, in: text)
        }
        if let wanted = names.first, root.name.local != wanted {
            throw BodyFault(
                "it begins with `<\(root.name.local)>`, and not with `<\(wanted)>`", line: 1,
                advice: "look at the response; `items` begins with the name of the first element")
        }
        let levels = levels(of: root)
        // Without the element that the items are in, nothing says that there are none.
        guard count > 0 || levels.count == names.count - 1, !names.isEmpty else {
            return try output.write(.object(JSONObject([(root.name.local, root.json(XMLLists()))])))
        }
        if count == 0 { try open(&output) }
        try output.write("]")
        for (level, elements) in levels.enumerated().reversed() {
            for member in XMLElement.members(of: elements, without: level + 1 < names.count ? names[level + 1] : nil) {
                try output.write(",")
                try output.write(string: member.name)
                try output.write(":")
                try output.write(member.value)
            }
            try output.write("}")
        }
        try output.write("}")
    }

    /// Writes what is in front of the items.
    private func open(_ output: inout JSONOutput) throws(BodyFault) {
        for name in names {
            try output.write("{")
            try output.write(string: name)
            try output.write(":")
        }
        try output.write("[")
    }

    /// The elements on the way to the items, level by level; several of one name are taken for one.
    private func levels(of root: XMLElement) -> [[XMLElement]] {
        var levels = [[root]]
        for name in names.dropFirst().dropLast() {
            let inner = (levels.last ?? []).flatMap { $0.elements.filter { $0.name.local == name } }
            guard !inner.isEmpty else { return levels }
            levels.append(inner)
        }
        return levels
    }
}

extension BodyFault {
    /// The advice for HTML in the place of XML.
    static let adviceOnHTML = "open the URL in a browser: a login or error page is often HTML"

    /// The fault of a text that is not XML; HTML is seldom XML, too.
    init(_ error: XMLError, in text: [UInt8], advice: String? = nil) {
        let start = String(decoding: text.prefix(1024), as: UTF8.self).lowercased()
        let isHTML = start.contains("<!doctype html") || start.contains("<html")
        self.init(
            isHTML ? "it is HTML" : error.problem, line: error.line, column: error.column,
            advice: isHTML ? Self.adviceOnHTML : advice)
    }
}

/// The elements inside an element that are lists even where there is one.
struct XMLLists: Sendable {
    private var isList = false
    private var inner: [String: XMLLists] = [:]

    init(_ paths: [Path] = []) {
        for path in paths { add(path.segments[...]) }
    }

    private mutating func add(_ segments: ArraySlice<Path.Segment>) {
        guard case .member(let name)? = segments.first else { return }
        let rest = segments.dropFirst()
        let further = rest.drop { if case .member = $0 { false } else { true } }
        if further.count < rest.count { inner[name, default: XMLLists()].isList = true }
        inner[name, default: XMLLists()].add(further)
    }

    /// The lists inside the elements of a name.
    func within(_ name: String) -> XMLLists { inner[name] ?? XMLLists() }

    func isList(_ name: String) -> Bool { inner[name]?.isList ?? false }
}

extension XMLElement {
    /// The element as JSON.
    fileprivate func json(_ lists: XMLLists) -> JSONValue {
        let nil1999 = attribute("nil", in: "http://www.w3.org/2001/XMLSchema-instance")
        if nil1999 == "true" || nil1999 == "1" { return .null }
        if attributes.isEmpty, elements.isEmpty { return nodes.isEmpty ? .null : .string(text) }
        return .object(JSONObject(Self.members(of: [self], without: nil, lists)))
    }

    /// The members of elements that are taken for one, without the inner elements of a name.
    fileprivate static func members(
        of elements: [XMLElement], without name: String?, _ lists: XMLLists = XMLLists()
    ) -> [JSONObject.Member] {
        var order: [String] = []
        var values: [String: [JSONValue]] = [:]
        func add(_ name: String, _ value: JSONValue) {
            if values[name] == nil { order.append(name) }
            values[name, default: []].append(value)
        }
        for element in elements {
            for attribute in element.attributes where values["@\(attribute.name.local)"] == nil {
                add("@\(attribute.name.local)", .string(attribute.value))
            }
            for inner in element.elements where inner.name.local != name {
                add(inner.name.local, inner.json(lists.within(inner.name.local)))
            }
            let text = element.nodes.map { if case .text(let text) = $0 { text } else { "" } }.joined()
            // White space between elements is for people.
            if element.elements.isEmpty ? !text.isEmpty : !text.trimmed.isEmpty, name == nil {
                add("#text", .string(element.elements.isEmpty ? text : text.trimmed))
            }
        }
        return order.map { name in
            let all = values[name] ?? []
            return (name, all.count == 1 && !lists.isList(name) ? all[0] : .array(all))
        }
    }
}
