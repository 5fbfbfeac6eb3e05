internal import Feeds
internal import YAML

/// Reads the meaning of responses that are no success.
struct ResponseReader {
    let evaluator: Evaluator

    func read(_ handler: Component, into feed: inout TranslatedFeed) throws(ConnectorFault) {
        for each in try handler.member("error_handlers")?.elements() ?? [handler] {
            guard each.customClass == nil else {
                feed.notes.append("errors are handled as ever, without `\(each.customClass ?? "")`")
                continue
            }
            for filter in try each.member("response_filters")?.elements() ?? [] { try readFilter(filter, into: &feed) }
        }
    }

    private func readFilter(_ filter: Component, into feed: inout TranslatedFeed) throws(ConnectorFault) {
        let action = try evaluator.literal(try filter.member("action"))
        let words = ["IGNORE": "empty", "RETRY": "retry", "RATE_LIMITED": "retry", "FAIL": "fail"]
        guard let action, let word = words[action] else { return }
        let conditions = [try filter.member("predicate"), try filter.member("error_message_contains")]
        guard conditions.allSatisfy({ $0 == nil }) else {
            if action == "IGNORE" {
                feed.notes.append(
                    "an error that the connector ignores under a condition (line \(filter.mark.line)) fails")
            }
            return
        }
        for code in try filter.member("http_codes")?.elements() ?? [] {
            guard let status = try evaluator.literal(code).flatMap(Int.init), (400...599).contains(status) else {
                continue
            }
            // These are tried again anyway.
            if word == "retry", status == 429 || status >= 500 { continue }
            let rule = FeedEntry.Value.mapping([.init("status", .plain("\(status)")), .init("do", .text(word))])
            if !feed.responses.contains(where: { $0.isRule(for: status) }) { feed.responses.append(rule) }
        }
    }
}

extension FeedEntry.Value {
    fileprivate func isRule(for status: Int) -> Bool {
        if case .mapping(let members) = self { members.first?.value == .plain("\(status)") } else { false }
    }
}
