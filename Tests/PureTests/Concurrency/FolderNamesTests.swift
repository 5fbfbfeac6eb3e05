import Concurrency
import Foundation
import TemporaryFolder
import Testing

@Suite("The names in a folder") struct FolderNamesTests {
    @Test("Each name is read to its end and no further, however many there are")
    func names() throws {
        let folder = try TemporaryFolder()
        // Records of many lengths, so that some end where the memory of a read ends: an address sanitizer sees it.
        let names = (1...1_500).map { "\($0)-" + String(repeating: "x", count: $0 % 200) } + ["é", ".hidden"]
        for name in names { #expect(FileManager.default.createFile(atPath: folder.file(name), contents: nil)) }
        #expect(FolderNames.all(in: folder.path).sorted() == names.sorted())
        #expect(FolderNames.all(in: folder.path, most: 10).count == 10)
    }

    @Test("A folder that is not there has no names")
    func missing() {
        #expect(FolderNames.all(in: "/nowhere/at/all") == [])
    }
}
