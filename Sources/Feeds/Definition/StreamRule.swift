internal import YAML

/// The end of a stream of server-sent events, which goes on until somebody ends it.
package struct StreamRule: Sendable, Hashable {
    /// The most events of a request.
    package let count: Int
    /// The time after which a request ends.
    package let time: Duration

    /// A thousand events or ten seconds.
    package static let standard = StreamRule(count: 1_000, time: .seconds(10))
}

extension MappingDecoder {
    /// The feed's `stream`.
    func streamRule(_ name: String) -> StreamRule {
        guard let members = reader(name) else { return .standard }
        defer { members.finish() }
        let standard = StreamRule.standard
        return StreamRule(
            count: members.integer("count", in: 1...1_000_000) ?? standard.count,
            time: members.duration("time", in: .seconds(1)...Duration.seconds(3_600)) ?? standard.time)
    }
}
