internal import CExpat
internal import Concurrency

/// Reads a document from beginning to end, and hands over some of its elements as soon as they end.
///
/// What was handed over is not kept, so that the memory is that of the largest such element and of the rest. No
/// external entity is loaded and no DTD; entities that a document declares may not name others, and may not make it
/// longer than four times its bytes; no more may the attributes that it declares for elements. So the work grows with
/// the bytes, and no faster. It ends early, with an error, where `WorkLimit.hasToEnd`.
///
/// Source: https://libexpat.github.io/doc/
package struct XMLStream {
    /// The deepest nesting.
    package static let deepest = 200
    /// The largest number of elements, attributes and texts kept at a time: the item's and its ancestors'.
    package static let mostNodes = 200_000
    /// The most bytes of one tag or comment, about: expat keeps it until it ends, and needs ten times as much for
    /// attributes.
    package static let longestTag = 8 << 20

    /// Selects the elements to deliver, by their names and their ancestors.
    package typealias Choice = (XMLName, _ outer: [XMLElement]) -> Bool
    /// Receives an element, with its ancestors as far as they have been read, and returns its fault, if any.
    package typealias Use = (XMLElement, _ outer: [XMLElement]) -> String?

    /// Reads UTF-8.
    ///
    /// - Returns: The root, without the delivered elements.
    /// - Throws: `XMLError` with the place.
    package static func read(_ text: [UInt8], choose: Choice, use: Use) throws(XMLError) -> XMLElement {
        // Before the XML declaration there may be nothing, and in the wild there are empty lines.
        let blank = text.prefix { [0x09, 0x0A, 0x0D, 0x20].contains($0) }
        let result: Result<XMLElement, XMLError> = withoutActuallyEscaping(choose) { choose in
            withoutActuallyEscaping(use) { use in
                guard missingLibrary == nil, let parser = cexpat_create("UTF-8") else {
                    let problem = missingLibrary.map {
                        "libexpat cannot be loaded (Debian's package is libexpat1): \($0)"
                    }
                    let error = XMLError(problem: problem ?? "out of memory", line: 1, column: 1, isCutOff: false)
                    return .failure(error)
                }
                let builder = TreeBuilder(
                    parser, mostText: 4 * text.count + (64 << 10), skipped: blank.count { $0 == 0x0A },
                    choose: choose, use: use)
                return builder.read(text.dropFirst(blank.count))
            }
        }
        return try result.get()
    }
}

/// The reason for which expat cannot be used; nil if it can. The first use opens the library.
private let missingLibrary = cexpat_load().map { String(cString: $0) }

extension XMLStream {
    /// The version of the library that reads XML, as `expat_2.5.0`; nil if there is none.
    package static var libraryVersion: String? {
        missingLibrary == nil ? cexpat_version().map { String(cString: $0) } : nil
    }
}

/// expat's parser, and the elements that are open.
private final class TreeBuilder {
    private let parser: XML_Parser
    private let choose: XMLStream.Choice
    private let use: XMLStream.Use
    private let skipped: Int
    private let mostText: Int
    private var textCount = 0
    /// The number of nodes kept now, and their number at the start of each open element.
    private var nodeCount = 0
    private var nodesBefore: [Int] = []
    private var open: [XMLElement] = []
    /// The namespaces that each prefix stood for, in the open elements that declare it; the last one counts.
    private var spaces: [String: [String]] = ["xml": [XMLNames.xml]]
    /// The prefixes that each open element declares.
    private var declared: [[String]] = []
    private var steps = 0
    private var root: XMLElement?
    private var problem: String?

    init(
        _ parser: XML_Parser, mostText: Int, skipped: Int, choose: @escaping XMLStream.Choice,
        use: @escaping XMLStream.Use
    ) {
        self.parser = parser
        self.mostText = mostText
        self.skipped = skipped
        self.choose = choose
        self.use = use
    }

    deinit { cexpat_free(parser) }

    func read(_ text: ArraySlice<UInt8>) -> Result<XMLElement, XMLError> {
        cexpat_set_context(parser, Unmanaged.passUnretained(self).toOpaque())
        // Undeclared entities then reach the handler and are no error.
        _ = cexpat_use_foreign_dtd(parser)
        setHandlers()
        let isRead = text.withUnsafeBytes { bytes in
            var rest = bytes[...]
            var begun = 0
            repeat {
                let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(1 << 20))
                rest = rest.dropFirst(piece.count)
                let start = piece.baseAddress?.assumingMemoryBound(to: CChar.self)
                guard cexpat_parse(parser, start, Int32(piece.count), rest.isEmpty ? 1 : 0) == XML_STATUS_OK else {
                    return false
                }
                // -1 where expat 2.6 or later waits for more of a tag that it began to read before.
                let place = cexpat_byte(parser)
                if place >= 0 { begun = place }
                if !rest.isEmpty, text.count - rest.count - begun > XMLStream.longestTag {
                    problem = "a tag or a comment has more than \(XMLStream.longestTag >> 20) MiB"
                    return false
                }
            } while !rest.isEmpty
            return true
        }
        guard isRead, problem == nil, let root else { return .failure(failure()) }
        return .success(root)
    }

    private func failure() -> XMLError {
        let code = cexpat_error(parser)
        let isCutOff =
            problem == nil
            && [
                XML_ERROR_NO_ELEMENTS, XML_ERROR_UNCLOSED_TOKEN, XML_ERROR_PARTIAL_CHAR,
                XML_ERROR_UNCLOSED_CDATA_SECTION,
            ].contains(code)
        let words = cexpat_error_text(code).map { String(cString: $0) } ?? "it is not XML"
        return XMLError(
            problem: problem ?? (isCutOff ? "the document is cut off" : words),
            line: cexpat_line(parser) + skipped,
            column: cexpat_column(parser) + 1, isCutOff: isCutOff)
    }

    private func stop(_ problem: String) {
        guard self.problem == nil else { return }
        self.problem = problem
        _ = cexpat_stop(parser, 0)
    }

    private func setHandlers() {
        cexpat_on_elements(
            parser,
            { context, name, attributes in TreeBuilder.of(context)?.begin(name, attributes) },
            { context, _ in TreeBuilder.of(context)?.end() })
        cexpat_on_text(parser) { context, text, count in
            guard let text else { return }
            let bytes = UnsafeRawBufferPointer(start: text, count: Int(count))
            TreeBuilder.of(context)?.add(String(decoding: bytes, as: UTF8.self))
        }
        cexpat_on_skipped_entity(parser) { context, name, isParameter in
            guard isParameter == 0, let name else { return }
            TreeBuilder.of(context)?.addEntity(String(cString: name))
        }
        cexpat_on_entity_declaration(parser) { context, name, isParameter, value, count, _, _, _, _ in
            guard isParameter == 0, let name, let value else { return }
            let bytes = UnsafeRawBufferPointer(start: value, count: Int(count))
            TreeBuilder.of(context)?.declare(String(cString: name), String(decoding: bytes, as: UTF8.self))
        }
        cexpat_on_external_entity(parser) { parser, _, _, _, _ in
            let context = parser.flatMap { cexpat_context($0) }
            TreeBuilder.of(context)?.stop("it refers to an external entity, and none is loaded")
            return 0
        }
    }

    private static func of(_ context: UnsafeMutableRawPointer?) -> TreeBuilder? {
        context.map { Unmanaged<TreeBuilder>.fromOpaque($0).takeUnretainedValue() }
    }

    private func begin(
        _ name: UnsafePointer<CChar>?, _ list: UnsafeMutablePointer<UnsafePointer<CChar>?>?
    ) {
        guard problem == nil, let name else { return }
        step()
        guard open.count < XMLStream.deepest else {
            return stop("elements are nested more than \(XMLStream.deepest) deep")
        }
        var written: [(name: String, value: String)] = []
        var place = 0
        while let list, let name = list[place], let value = list[place + 1] {
            written.append((String(cString: name), String(cString: value)))
            place += 2
            guard written.count <= XMLStream.mostNodes else { return count(written.count) }
        }
        var prefixes: [String] = []
        for attribute in written {
            let isDefault = attribute.name == "xmlns"
            guard isDefault || attribute.name.hasPrefix("xmlns:") else { continue }
            let prefix = isDefault ? "" : String(attribute.name.dropFirst(6))
            spaces[prefix, default: []].append(attribute.value)
            prefixes.append(prefix)
        }
        declared.append(prefixes)
        let attributes = written.filter { $0.name != "xmlns" && !$0.name.hasPrefix("xmlns:") }.map {
            (name: self.name($0.name, isAttribute: true), value: $0.value)
        }
        // Attributes that a DTD declares stand in no tag, and may have no value.
        textCount += written.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 1 }
        let element = XMLElement(name: self.name(String(cString: name), isAttribute: false), attributes: attributes)
        open.append(element)
        nodesBefore.append(nodeCount)
        count(1 + attributes.count)
        checkLength()
    }

    private func name(_ written: String, isAttribute: Bool) -> XMLName {
        let parts = written.split(separator: ":", maxSplits: 1).map(String.init)
        guard parts.count == 2 else {
            let space = isAttribute ? nil : spaces[""]?.last.flatMap { $0.isEmpty ? nil : $0 }
            return XMLName(space: space, local: written)
        }
        return XMLName(space: spaces[parts[0]]?.last, prefix: parts[0], local: parts[1])
    }

    private func count(_ nodes: Int) {
        nodeCount += nodes
        if nodeCount > XMLStream.mostNodes {
            stop("an item, or what is around the items, has more than \(XMLStream.mostNodes) elements")
        }
    }

    private func end() {
        guard problem == nil, let element = open.popLast() else { return }
        for prefix in declared.popLast() ?? [] { spaces[prefix]?.removeLast() }
        let before = nodesBefore.popLast() ?? 0
        guard !open.isEmpty else {
            root = element
            return
        }
        if choose(element.name, open) {
            nodeCount = before
            if let problem = use(element, open) { stop(problem) }
        } else {
            open[open.count - 1].nodes.append(.element(element))
        }
    }

    private func add(_ text: String) {
        guard problem == nil, !open.isEmpty else { return }
        step()
        textCount += text.utf8.count
        checkLength()
        let last = open.count - 1
        // Pieces of one text are joined, without copying the text before them.
        if case .text(var whole)? = open[last].nodes.popLastText() {
            whole += text
            open[last].nodes.append(.text(whole))
        } else {
            open[last].nodes.append(.text(text))
            count(1)
        }
    }

    private func addEntity(_ name: String) {
        // An unknown entity stays as it is written.
        add(HTMLEntities.text(of: name) ?? "&\(name);")
    }

    private func declare(_ name: String, _ value: String) {
        // A reference to a character is none to an entity.
        if value.replacing("&#", with: "").contains("&") {
            stop("the entity `&\(name);` is made of other entities")
        }
    }

    private func checkLength() {
        if textCount > mostText { stop("its entities or declared attributes make it more than four times as long") }
    }

    /// Looks now and then whether the work has to end.
    private func step() {
        steps &+= 1
        if steps & 0x3FF == 0, WorkLimit.hasToEnd { stop("the work was ended") }
    }
}

extension [XMLNode] {
    /// Takes the last node away if it is text.
    fileprivate mutating func popLastText() -> XMLNode? {
        guard case .text? = last else { return nil }
        return popLast()
    }
}

/// The namespaces of built-in prefixes.
enum XMLNames {
    static let xml = "http://www.w3.org/XML/1998/namespace"
}
