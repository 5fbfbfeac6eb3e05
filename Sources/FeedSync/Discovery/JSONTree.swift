internal import HTTP

/// A page's body as a tree, members in the order in which they came.
///
/// Pages are decoded without one; it is for the few that are looked at to find what a definition leaves open.
indirect enum JSONTree: Sendable, Hashable {
    case null
    case bool(Bool)
    /// A number with its digits as written.
    case number(String)
    case string(String)
    case array([JSONTree])
    case object(Members)

    /// Reads a whole body; a byte order mark before it is passed over.
    ///
    /// - Throws: `JSONSyntaxError` with the byte at which it is no JSON any more, or nested too deep.
    init(_ body: Body) throws(JSONSyntaxError) {
        let bytes = body.bytes
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let start = bytes.starts(with: mark) ? mark.count : 0
        var reader = JSONReader<JSONTree>(start == 0 ? bytes : Array(bytes.dropFirst(start)))
        do throws(JSONSyntaxError) {
            self = try reader.readAll()
        } catch {
            throw JSONSyntaxError(message: error.message, offset: error.offset + start)
        }
    }

    /// Reads a whole text.
    init(_ text: String) throws(JSONSyntaxError) {
        var reader = JSONReader<JSONTree>(Array(text.utf8))
        self = try reader.readAll()
    }
}

extension JSONTree {
    /// The members of an object, no two of one name.
    struct Members: Sendable, Hashable {
        /// In the order in which the names came first.
        private(set) var all: [Member] = []
        /// The place of each name, where there are too many names to go through them.
        private var places: [ExactText: Int] = [:]
        private static let fewNames = 12

        /// Members of which the last counts where several have one name.
        init(_ members: [(name: String, value: JSONTree)]) {
            all.reserveCapacity(members.count)
            for (name, value) in members {
                if let place = place(of: name) {
                    all[place] = Member(name: name, value: value)
                } else {
                    if members.count > Self.fewNames { places[ExactText(name)] = all.count }
                    all.append(Member(name: name, value: value))
                }
            }
        }

        /// The value of a member; nil where there is none.
        subscript(name: String) -> JSONTree? { place(of: name).map { all[$0].value } }

        /// The names in order.
        var names: [String] { all.map(\.name) }

        private func place(of name: String) -> Int? {
            let name = ExactText(name)
            return places.isEmpty ? all.firstIndex { ExactText($0.name) == name } : places[name]
        }
    }

    /// One member of an object.
    struct Member: Sendable, Hashable {
        let name: String
        let value: JSONTree
    }
}

extension JSONTree: JSONReadable {
    static func object(of members: [(name: String, value: JSONTree)]) -> JSONTree { .object(Members(members)) }
}
