internal import HTTPServer

/// The keys of the pages.
enum Keys {
    private static let all = [
        ("/", "Search all feeds"), ("j", "The next row; on an item, the next item"),
        ("k", "The row before; on an item, the item before"), ("o", "Open the row, or the item on the web"),
        ("r", "Reload the feed"), ("?", "This list"),
    ]

    static func write(to html: inout HTMLWriter) {
        html.element("dl", .class("keys")) { html in
            for (key, meaning) in all {
                html.element("dt") { $0.element("kbd", text: key) }
                html.element("dd", text: meaning)
            }
        }
    }

    /// Writes the dialog that the script shows.
    static func writeDialog(to html: inout HTMLWriter) {
        html.element("dialog", .id("keys"), .plain(.ariaLabelledby, "keys-title")) { html in
            html.element("h2", .id("keys-title"), text: "Keys")
            write(to: &html)
            html.element("p") { html in
                html.element("label") { html in
                    html.void("input", .id("keys-on"), .plain(.type, "checkbox"), .flag(.checked))
                    html.text(" Use these keys")
                }
            }
            html.element("button", .id("keys-close"), .plain(.type, "button"), text: "Close")
        }
    }
}

/// The list of the keys as a page.
struct KeysPage: Page {
    let frame: PageFrame

    var response: ServerResponse {
        frame.page("keys-list", title: "Keys") { html in
            html.element("h1", text: "Keys")
            Keys.write(to: &html)
        }
    }
}
