/// Colours by meaning; none if they are off.
///
/// Source: https://en.wikipedia.org/wiki/ANSI_escape_code#SGR_(Select_Graphic_Rendition)_parameters
struct Palette: Sendable {
    let isOn: Bool

    /// The name of a feed, a title.
    func name(_ text: String) -> String { paint(text, "1") }
    /// A success.
    func success(_ text: String) -> String { paint(text, "32") }
    /// Something in progress, or a matter for attention.
    func attention(_ text: String) -> String { paint(text, "33") }
    /// A failure.
    func failure(_ text: String) -> String { paint(text, "31") }
    /// Advice.
    func hint(_ text: String) -> String { paint(text, "36") }
    /// Something less important.
    func faint(_ text: String) -> String { paint(text, "2") }

    private func paint(_ text: String, _ code: String) -> String {
        let text = DisplayWidth.printable(text)
        return isOn && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
