import Feeds
import Testing

@Suite("Column names")
struct ColumnNamesTests {
    @Test(
        "Column names are unlike each other and unlike ours",
        arguments: [
            (["id", "name"], ["id", "name"]),
            (["id", "ID", "Id"], ["id", "ID_2", "Id_3"]),
            (["a", "A", "a_2"], ["a", "A_3", "a_2"]),
            (["", ""], ["_2", "_3"]),
            (["_section", "_Raw", "_raw_2"], ["_section_2", "_Raw_3", "_raw_2"]),
            (["_id", "select", "a.b", "x\"y", "日本"], ["_id", "select", "a.b", "x\"y", "日本"]),
            (["É", "é"], ["É", "é"]),
            (["a\0b"], ["a\u{FFFD}b"]),
        ])
    func names(wishes: [String], expected: [String]) {
        #expect(ColumnNames.columnNames(for: wishes) == expected)
    }
}
