import Crawling
import Testing

@Suite struct KeyOrderTests {
    /// The keys of each page, as a page's record has them, and whether they ascend from page to page.
    @Test(
        arguments: [
            ([], true), (["[]"], true), (["[7]"], true),
            (["[1,2,3]"], true), (["[1,2,2]"], true), (["[1,3,2]"], false),
            (["[1,2]", "[3,4]"], true), (["[1,4]", "[3,5]"], false),
            // A page may begin with the last item of the page before, and may be empty.
            (["[1,2]", "[2,3]"], true), (["[1,2]", "[]", "[3]"], true), (["[5,6]", "[]", "[3]"], false),
            // Numbers by their value, texts by their bytes.
            (["[9,10]"], true), ([#"["10","9"]"#], true), ([#"["9","10"]"#], false),
            ([#"["a","b"]"#, #"["c"]"#], true),
            (["[-2,-1,0]"], true), (["[-1,-2]"], false),
            (["[1]", #"["2"]"#], false), ([#"["1"]"#, "[2]"], false),
            // More digits than a whole number of 64 bits has are no number.
            (["[999999999999999999,9223372036854775807]"], true),
            (["[9223372036854775807,999999999999999999]"], false),
            (["[1,99999999999999999999]"], false),
            // Keys of two columns have no order.
            (["[[1,2],[1,3]]"], false),
        ] as [([String], Bool)])
    func `keys ascend if each comes behind the one before`(pages: [String], isAscending: Bool) {
        var order = KeyOrder()
        for page in pages { order.add(page) }
        #expect(order.isAscending == isAscending)
    }
}
