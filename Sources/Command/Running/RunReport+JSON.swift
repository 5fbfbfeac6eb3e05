internal import FeedSync

extension RunReport {
    /// The run as stored; if none started, or the store cannot be read, the known part of it.
    func json(from store: Store) async -> String {
        if let run, let record = try? await store.runs(of: feed, limit: 10).first(where: { $0.id == run }) {
            return record.result
        }
        return RunRecord.fields(id: run, feed: feed, command: command, outcome: outcome, error: error).result
    }

    private var outcome: RunOutcome? {
        guard let error else { return summary?.outcome ?? .ok }
        // No run was started.
        return error.kind == .locked ? nil : RunOutcome(error)
    }
}

/// JSON documents made of others.
enum JSONLines {
    /// An array with one element per line.
    static func array(_ elements: [String]) -> String {
        elements.isEmpty ? "[]" : "[\n" + elements.joined(separator: ",\n") + "\n]"
    }
}
