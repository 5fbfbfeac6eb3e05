internal import Text
internal import XML

/// HTML of others: as text in lists, and with the elements of an allow-list on the page of an item.
enum ForeignHTML {
    /// The element written for each allowed element. No other name is ever written.
    private static let names: [String: StaticString] = [
        "p": "p", "div": "div", "section": "div", "article": "div", "header": "div", "footer": "div", "main": "div",
        "center": "div", "address": "div", "details": "div", "summary": "p",
        // Headings of any level become headings below the item.
        "h1": "h2", "h2": "h2", "h3": "h2", "h4": "h2", "h5": "h2", "h6": "h2",
        "ul": "ul", "ol": "ol", "li": "li", "dl": "dl", "dt": "dt", "dd": "dd", "blockquote": "blockquote",
        "pre": "pre",
        "figure": "figure", "figcaption": "figcaption", "table": "table", "thead": "thead", "tbody": "tbody",
        "tfoot": "tfoot", "tr": "tr", "th": "th", "td": "td", "caption": "caption",
        "code": "code", "em": "em", "i": "em", "strong": "strong", "b": "strong", "u": "u", "s": "s", "strike": "s",
        "del": "del", "ins": "ins", "sub": "sub", "sup": "sup", "small": "small", "mark": "mark", "q": "q",
        "cite": "cite",
        "abbr": "abbr", "kbd": "kbd", "samp": "samp", "var": "var", "a": "a",
    ]

    /// Elements that end a line.
    private static let blocks: Set<String> = [
        "p", "div", "section", "article", "header", "footer", "main", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol",
        "li",
        "dl", "dt", "dd", "blockquote", "pre", "figure", "figcaption", "table", "tr", "th", "td", "br", "hr",
    ]

    /// Signs of HTML that other texts do not contain by chance.
    private static let signs = [
        "</p>", "</a>", "</div>", "</em>", "</strong>", "</ul>", "</ol>", "</li>", "</b>", "</i>", "</blockquote>",
        "</span>", "</h1>", "</h2>", "</h3>", "</figure>", "</table>", "<br>", "<br/>", "<br />", "<p>", "<img ",
    ]

    /// The maximum nesting that is kept.
    private static let mostDepth = 30

    /// True if a text is HTML: it contains common tags, and is not Markdown around them.
    static func isLikely(_ text: String) -> Bool {
        let start = String(decoding: text.utf8.prefix(4_096), as: UTF8.self).lowercased()
        guard start.utf8.contains(UInt8(ascii: "<")), !start.contains("```"), !start.contains("](") else {
            return false
        }
        return signs.contains { start.contains($0) }
    }

    /// True if texts without tags are written as in HTML, as titles of some APIs are: `How does one page
    /// &quot;well&quot;?`
    static func areEscaped(_ texts: [String]) -> Bool {
        texts.contains { text in
            (text.contains("&#") && hasNumber(text)) || references.contains { text.contains($0) }
        }
            && !texts.contains { text in
                text.split(separator: "&", omittingEmptySubsequences: false).dropFirst().contains { rest in
                    let name = rest.prefix(10)
                    return
                        !(name.contains(";")
                        && name.prefix { $0 != ";" }.allSatisfy { $0.isLetter || $0.isNumber || $0 == "#" })
                }
            }
    }

    private static let references = [
        "&quot;", "&amp;", "&apos;", "&lt;", "&gt;", "&nbsp;", "&hellip;", "&ndash;", "&mdash;", "&lsquo;", "&rsquo;",
        "&ldquo;", "&rdquo;",
    ]

    /// True if a text has a character by its number: `&#8220;`, `&#x27;`.
    private static func hasNumber(_ text: String) -> Bool {
        text.split(separator: "&#", omittingEmptySubsequences: false).dropFirst().contains { rest in
            let digits = rest.prefix(8).prefix { $0 != ";" }
            let isEnded = rest.dropFirst(digits.count).first == ";"
            let isHexadecimal = digits.first == "x" || digits.first == "X"
            let number = UInt32(isHexadecimal ? digits.dropFirst() : digits, radix: isHexadecimal ? 16 : 10)
            return isEnded && number != nil
        }
    }

    /// The text of some HTML in one line, cut at a word.
    static func text(of html: String, most: Int) -> String {
        var result = ""
        for token in HTMLTokens(html) {
            switch token {
            case .text(let text): result += text
            case .start(let name, _), .end(let name): if blocks.contains(name) { result += " " }
            }
            // Enough text, even after white space is collapsed.
            if result.utf8.count > most * 16 { break }
        }
        return Shown.text(result.onOneLine, most: most)
    }

    /// Writes the allowed parts of some HTML. No script runs, and nothing is loaded from another host.
    ///
    /// - Parameter picture: The link to our copy of a picture in the HTML, by the picture's number and address.
    static func write(
        _ html: String, to page: inout HTMLWriter, picture: (_ number: Int, _ address: String) -> Link?
    ) {
        var open: [String] = []
        var pictureCount = 0
        for token in HTMLTokens(html) {
            switch token {
            case .text(let text): page.text(text)
            case .start("br", _): page.void("br")
            case .start("hr", _): page.void("hr")
            case .start("img", let attributes):
                defer { pictureCount += 1 }
                guard let link = picture(pictureCount, attributes["src"] ?? "") else { continue }
                page.void(
                    "img", .src(link), .plain(.alt, Shown.text(attributes["alt"] ?? "", most: 300)),
                    .plain(.loading, "lazy"))
            case .start(let name, let attributes):
                guard let own = names[name], open.count < mostDepth else { continue }
                guard name == "a" else {
                    page.begin(own)
                    open.append(name)
                    continue
                }
                guard let link = attributes["href"].flatMap(Link.web), !open.contains("a") else { continue }
                page.begin(own, .href(link), .plain(.rel, "noreferrer noopener nofollow"), .plain(.target, "_blank"))
                open.append(name)
            case .end(let name):
                guard let place = open.lastIndex(of: name) else { continue }
                while open.count > place { if let own = names[open.removeLast()] { page.end(own) } }
            }
        }
        while let last = open.popLast() { if let own = names[last] { page.end(own) } }
    }

    /// The addresses of the pictures of some HTML, in order.
    static func pictures(of html: String) -> [String] {
        HTMLTokens(html).compactMap {
            if case .start("img", let attributes) = $0 { attributes["src"] ?? "" } else { nil }
        }
    }
}
