package import HTTP

extension PageEnvelope {
    /// The envelope of a page's body, whose items are read and not kept; empty for what is no JSON.
    package init(of body: Body, besides items: Path) {
        var names: [String] = []
        for case .member(let name) in items.segments { names.append(name) }
        let isPlain = !names.isEmpty && names.count == items.segments.count
        guard !items.segments.isEmpty else {
            self.init(of: .null, besides: items)
            return
        }
        let value =
            isPlain ? try? JSONValue(parsing: body.text, withoutElementsAt: names) : try? JSONTree(body)
        self.init(of: value ?? .null, besides: items)
    }
}
