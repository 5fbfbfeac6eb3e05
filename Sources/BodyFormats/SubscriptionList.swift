internal import XML

/// The feeds of an OPML file, as readers of feeds export them.
///
/// Source: http://opml.org/spec2.opml
package struct SubscriptionList: Sendable {
    /// A feed of the list.
    package struct Subscription: Sendable, Hashable {
        /// The URL, as in the file.
        package let url: String
        /// The title in the reader.
        package let title: String
        /// The folder in the reader; nil for none.
        package let folder: String?
    }

    /// A file that is no such list, with the position of the fault: lines and columns count from 1, and are nil if it
    /// is the whole file.
    package struct Fault: Error, Sendable, Hashable {
        /// The fault, in plain words.
        package let problem: String
        package let line: Int?
        package let column: Int?
    }

    /// The feeds in the order of the file, from all folders, each URL once.
    package let subscriptions: [Subscription]

    /// Reads a file of any encoding.
    package init(parsing bytes: [UInt8]) throws(Fault) {
        let text: [UInt8]
        do throws(BodyFault) {
            text = try TextEncoding(of: bytes, charset: nil, isXML: true).utf8(bytes)
        } catch {
            throw Fault(problem: "its encoding is not what it says", line: nil, column: nil)
        }
        let root: XMLElement
        do throws(XMLError) {
            root = try XMLStream.read(text, choose: { _, _ in false }, use: { _, _ in nil })
        } catch {
            throw Fault(problem: error.problem, line: error.line, column: error.column)
        }
        guard root.name.local.lowercased() == "opml" else {
            throw Fault(problem: "it begins with `<\(root.name.local)>`, and not with `<opml>`", line: nil, column: nil)
        }
        var found: [Subscription] = []
        var known: Set<String> = []
        Self.collect(from: root, folder: nil, into: &found, &known)
        subscriptions = found
    }

    private static func collect(
        from element: XMLElement, folder: String?, into found: inout [Subscription], _ known: inout Set<String>
    ) {
        for outline in element.elements {
            let titles = [outline.attribute("title"), outline.attribute("text")].compactMap(\.self)
            let title = titles.first { !$0.isEmpty }
            // Programs disagree about its case.
            let url = outline.attributes.first { $0.name.local.lowercased() == "xmlurl" }?.value ?? ""
            if !url.isEmpty, known.insert(url).inserted {
                found.append(Subscription(url: url, title: title ?? "", folder: folder))
            }
            collect(from: outline, folder: url.isEmpty ? title ?? folder : folder, into: &found, &known)
        }
    }
}
