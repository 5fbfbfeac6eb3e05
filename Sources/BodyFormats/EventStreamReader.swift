internal import JSON
internal import Text

/// Reads server-sent events; an array of objects with `id`, `event` and `data` is written.
///
/// An event has the last id that was sent before its end, and `message` where it has no name. Data that is JSON becomes
/// its value, any other data stays text. An event that an empty line does not end is cut off, and left out.
///
/// Source: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation
struct EventStreamReader {
    let text: [UInt8]

    func write(to output: inout JSONOutput) throws(BodyFault) {
        var (id, name, data): (String?, String, [String]) = (nil, "", [])
        var isFirst = true
        try output.write("[")
        var place = text.startIndex
        while let line = nextLine(&place) {
            guard !line.isEmpty else {
                if !data.isEmpty {
                    try output.write(isFirst ? "" : ",\n")
                    isFirst = false
                    try output.write(Self.item(id, name, data.joined(separator: "\n")))
                }
                (name, data) = ("", [])
                continue
            }
            let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.endIndex
            var value = line[colon...].dropFirst()
            if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
            let words = String(decoding: value, as: UTF8.self)
            switch String(decoding: line[..<colon], as: UTF8.self) {
            case "data": data.append(words)
            case "event": name = words
            case "id" where !words.utf8.contains(0): id = words
            default: break
            }
        }
        try output.write("]")
    }

    /// The next line that has an end.
    private func nextLine(_ place: inout Int) -> ArraySlice<UInt8>? {
        let ends: [UInt8] = [UInt8(ascii: "\n"), UInt8(ascii: "\r")]
        guard let end = text[place...].firstIndex(where: ends.contains) else { return nil }
        let line = text[place..<end]
        let isPair = text[end] == ends[1] && end + 1 < text.endIndex && text[end + 1] == ends[0]
        place = end + (isPair ? 2 : 1)
        return line
    }

    private static func item(_ id: String?, _ name: String, _ data: String) -> JSONValue {
        .object(of: [
            ("id", id.flatMap { $0.isEmpty ? nil : .string($0) } ?? .null),
            ("event", .string(name.isEmpty ? "message" : name)),
            ("data", (try? JSONValue(parsing: data)) ?? .string(data)),
        ])
    }
}
