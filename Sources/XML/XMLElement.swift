internal import Text

/// A name in a document.
package struct XMLName: Sendable, Hashable {
    /// The namespace; nil where there is none, or its prefix is bound to none.
    package let space: String?
    /// The prefix as it is written.
    package let prefix: String?
    /// The name without its prefix.
    package let local: String

    package init(space: String?, prefix: String? = nil, local: String) {
        self.space = space
        self.prefix = prefix
        self.local = local
    }
}

/// A child of an element.
package enum XMLNode: Sendable {
    case text(String)
    case element(XMLElement)
}

/// An element with everything in it.
package struct XMLElement: Sendable {
    package let name: XMLName
    /// In the document's order, without the declarations of namespaces.
    package let attributes: [(name: XMLName, value: String)]
    /// The value of `xml:base`: looked for once, because all elements in it ask for it.
    package let base: String?
    package var nodes: [XMLNode] = []

    init(name: XMLName, attributes: [(name: XMLName, value: String)]) {
        (self.name, self.attributes) = (name, attributes)
        base = attributes.first { $0.name.local == "base" && $0.name.space == XMLNames.xml }?.value
    }

    /// The elements in it.
    package var elements: [XMLElement] {
        nodes.compactMap { if case .element(let element) = $0 { element } else { nil } }
    }

    /// All text in it, that of inner elements too.
    package var text: String {
        var text = ""
        for node in nodes {
            switch node {
            case .text(let piece): text += piece
            case .element(let element): text += element.text
            }
        }
        return text
    }

    /// The value of an attribute without a namespace.
    package func attribute(_ name: String) -> String? {
        attributes.first { $0.name.space == nil && $0.name.local == name }?.value
    }

    /// The value of an attribute of a namespace.
    package func attribute(_ name: String, in space: String) -> String? {
        attributes.first { $0.name.space == space && $0.name.local == name }?.value
    }

    /// The element's content, as markup without prefixes.
    package var innerMarkup: String {
        var markup = ""
        for node in nodes {
            switch node {
            case .text(let text): markup += XMLText.escaped(text)
            case .element(let element): markup += element.markup
            }
        }
        return markup
    }

    private var markup: String {
        let attributes = attributes.map { " \($0.name.local)=\"\(XMLText.escaped($0.value))\"" }.joined()
        let isVoid = nodes.isEmpty && Self.void.contains(name.local)
        return isVoid
            ? "<\(name.local)\(attributes)/>" : "<\(name.local)\(attributes)>\(innerMarkup)</\(name.local)>"
    }

    /// Elements of HTML that have no end tag: https://html.spec.whatwg.org/#void-elements
    private static let void: Set<String> = [
        "area", "br", "col", "embed", "hr", "img", "input", "link", "source", "wbr",
    ]
}

/// A document that cannot be read.
package struct XMLError: Error, Sendable, Hashable {
    /// The fault, in plain words.
    package let problem: String
    /// The line of the fault, from 1.
    package let line: Int
    /// The column of the fault, from 1.
    package let column: Int
    /// True if the document ends too early.
    package let isCutOff: Bool
}
