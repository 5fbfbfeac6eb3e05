/// A YAML mapping in one line, as it is written in a configuration: `{style: page, first: 1}`.
struct FlowMapping: Sendable, Hashable {
    private var members: [FeedEntry.Member] = []

    /// An empty mapping.
    init() {}

    /// The mapping's text.
    var text: String { ConfigurationText.flow(.mapping(members)) }

    /// The mapping with a member more that is text.
    func with(_ name: String, _ text: String?) -> FlowMapping { adding(name, text.map { .text($0) }) }

    /// The mapping with a path more.
    func with(_ name: String, _ path: Path?) -> FlowMapping { with(name, path?.description) }

    /// The mapping with a number more.
    func with(_ name: String, _ number: Int?) -> FlowMapping { adding(name, number.map { .plain("\($0)") }) }

    private func adding(_ name: String, _ value: FeedEntry.Value?) -> FlowMapping {
        var copy = self
        if let value { copy.members.append(FeedEntry.Member(name, value)) }
        return copy
    }
}
