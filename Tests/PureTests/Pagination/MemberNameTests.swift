import Pagination
import Testing

@Suite struct MemberNameTests {
    @Test(
        arguments: [
            ("next_page_token", ["next", "page", "token"]), ("nextPageToken", ["next", "page", "token"]),
            ("Next-Page-Token", ["next", "page", "token"]), ("NEXT", ["next"]), ("nextURL", ["next", "url"]),
            ("page2", ["page2"]), ("_next", ["next"]), ("next__page", ["next", "page"]), ("", []), ("--", []),
            // A prefix does not count, nor does a sign at the end.
            ("hydra:next", ["next"]), ("@odata.nextLink", ["next", "link"]), ("a.b.c", ["c"]), ("next:", ["next"]),
            (":", []),
            // Other scripts have words, too.
            ("nächsteSeite", ["nächste", "seite"]), ("Über", ["über"]), ("次", ["次"]),
        ] as [(String, [String])])
    func `a name has the same words in every notation`(name: String, words: [String]) {
        #expect(MemberName(name).words == words)
    }

    @Test func `a name that is longer than any member's has no words`() {
        #expect(MemberName(String(repeating: "a", count: MemberName.longest + 1)).words.isEmpty)
    }
}
