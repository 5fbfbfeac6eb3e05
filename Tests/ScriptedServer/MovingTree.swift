package import HTTPServer
internal import SeededGenerator

/// Owners with things with labels, which come, go, change and fail at random.
package struct MovingTree: Sendable {
    private var generator: SeededGenerator
    private var owners: [Int] = []
    private var things: [Int: [Int]] = [:]
    private var labels: [Int: [Int]] = [:]
    private var values: [String: Int] = [:]
    /// True if requests move it, and fail.
    package var isMoving = true
    private var last = 0

    /// A tree whose history is derived from the seed.
    package init(seed: UInt64) {
        generator = SeededGenerator(seed)
        for _ in 0..<4 { addOwner() }
    }

    /// The feeds of a configuration that mirror it.
    package static func feeds(at url: String) -> String {
        let pages = "pagination: {style: page, param: page}"
        return """
              owners: {url: "\(url)/owners", \(pages)}
              things: {for_each: owners, url: "\(url)/things/{owners.id}", \(pages)}
              labels: {for_each: things, url: "\(url)/labels/{things.id}", \(pages)}
            """
    }

    private mutating func next() -> Int {
        last += 1
        return last
    }

    private mutating func addOwner() {
        let owner = next()
        owners.insert(owner, at: 0)
        things[owner] = []
        for _ in 0..<Int.random(in: 0...5, using: &generator) { addThing(to: owner) }
    }

    private mutating func addThing(to owner: Int) {
        let thing = next()
        things[owner]?.insert(thing, at: 0)
        labels[thing] = (0..<Int.random(in: 0...3, using: &generator)).map { thing * 100 + $0 }
    }

    /// Something happens to the upstream.
    private mutating func move() {
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: addOwner()
        case 1:
            if let owner = owners.randomElement(using: &generator), owners.count > 1 {
                owners.removeAll { $0 == owner }
            }
        case 2: if let owner = owners.randomElement(using: &generator) { addThing(to: owner) }
        case 3:
            if let owner = owners.randomElement(using: &generator), things[owner]?.isEmpty == false {
                let place = Int.random(in: 0..<(things[owner]?.count ?? 1), using: &generator)
                things[owner]?.remove(at: place)
            }
        case 4:
            if let thing = things.values.joined().sorted().randomElement(using: &generator) {
                let id = next() * 100
                labels[thing]?.append(id)
            }
        default:
            if let owner = owners.randomElement(using: &generator) { values["o\(owner)", default: 0] += 1 }
        }
    }

    private func item(_ id: Int, _ kind: String) -> String { #"{"id":\#(id),"value":\#(values["\(kind)\(id)"] ?? 0)}"# }

    /// Answers one request, and may move or fail before it does.
    package mutating func answer(_ request: ServerRequest) -> ServerResponse {
        if isMoving {
            if Int.random(in: 0..<4, using: &generator) == 0 { move() }
            switch Int.random(in: 0..<25, using: &generator) {
            case 0: return .status(500)
            case 1: return .status(403)
            case 2: return .json("{")
            default: break
            }
        }
        let words = request.path.split(separator: "/")
        let id = words.count > 1 ? Int(words[1]) ?? 0 : 0
        let list: [String]? =
            switch words.first {
            case "owners": owners.map { item($0, "o") }
            case "things": owners.contains(id) ? things[id]?.map { item($0, "t") } : nil
            default: labels[id]?.map { item($0, "l") }
            }
        guard let list else { return .status(404) }
        let page = Int(request.parameter("page") ?? "") ?? 1
        let body = "[\(list.dropFirst((page - 1) * 2).prefix(2).joined(separator: ","))]"
        let tag = "\"\(body.utf8.reduce(into: UInt64(7)) { $0 = $0 &* 31 &+ UInt64($1) })\""
        if request.header("If-None-Match") == tag { return .status(304, headers: [(name: "ETag", value: tag)]) }
        return .json(body, headers: [(name: "ETag", value: tag)])
    }

    /// The rows of its mirror as text: the keys, joined by bars.
    package var rows: (things: [String], labels: [String]) {
        var rows: (things: [String], labels: [String]) = ([], [])
        for owner in owners {
            for thing in things[owner] ?? [] {
                rows.things.append("\(owner)|\(thing)")
                rows.labels += (labels[thing] ?? []).map { "\(owner)|\(thing)|\($0)" }
            }
        }
        return (rows.things.sorted(), rows.labels.sorted())
    }
}
