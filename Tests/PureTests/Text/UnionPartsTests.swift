import Testing
import Text

@Suite("The parts of a union")
struct UnionPartsTests {
    @Test(
        "A union of at most 500 terms is one view; a longer one is shown by a view of its parts",
        arguments: [(0, 0), (1, 1), (499, 1), (500, 1), (501, 3), (1_201, 4), (250_001, 504)])
    func cut(terms: Int, views: Int) throws {
        let parts = UnionParts("v", of: (0..<terms).map { "SELECT \($0)" }) { "\"\($0)\"" }.views
        #expect(parts.count == views)
        #expect(parts.last?.name ?? "v" == "v")
        #expect(Set(parts.map(\.name)).count == views)
        // Each term is in one view, and each part in a later view.
        let queries = parts.map { part in
            part.query.utf8.split(separator: UInt8(ascii: "\n")).map {
                String(Substring($0).trimmingPrefix("UNION ALL "))
            }
        }
        #expect(Set(queries.joined()).count == terms + max(views - 1, 0))
        #expect(queries.joined().count == terms + max(views - 1, 0))
        #expect(queries.allSatisfy { $0.count <= UnionParts.mostTerms })
        var places: [String: Int] = [:]
        for (index, terms) in queries.enumerated() {
            for term in terms { places[term] = index }
        }
        for (index, part) in parts.dropLast().enumerated() {
            #expect(places["SELECT * FROM \"\(part.name)\""] ?? -1 > index)
        }
    }
}
