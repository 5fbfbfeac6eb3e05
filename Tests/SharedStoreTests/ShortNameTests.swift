import Testing

@testable import PostgreSQLStore

@Suite("The name of a column in PostgreSQL")
struct ShortNameTests {
    @Test("Names stay different when they are shortened, also one that looks like a shortened one")
    func different() {
        let long = String(repeating: "ä", count: 40)
        var names = ["id", "ctid", "xmin", "_exact", "ctid_45813990", long, long + "a", long + "b"]
        for _ in 0..<3 { names += names.map { CopiedTable.Column(name: $0, type: .text).shortName } }
        let different = Set(names)
        let short = different.map { CopiedTable.Column(name: $0, type: .text).shortName }
        #expect(Set(short).count == different.count)
        #expect(short.allSatisfy { $0.utf8.count <= 63 })
        #expect(!short.contains("ctid") && !short.contains("_exact"))
        #expect(short.contains("id") && short.contains("ctid_45813990"))
    }
}
