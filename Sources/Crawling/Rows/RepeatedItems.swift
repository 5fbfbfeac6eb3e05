/// Finds the items that came on several pages of a list, though nothing in its way of paging repeats them.
///
/// A list without a fixed order, whose pages are queries of their own, shows one item twice, and another on no page.
package enum RepeatedItems {
    /// True if such items came.
    ///
    /// | an item is on several pages | odd |
    /// | --- | --- |
    /// | on each of three pages or more, as pinned items are | no |
    /// | at the end of a page and the beginning of the next one, as others at many borders | no |
    /// | as any other | yes |
    ///
    /// - Parameters:
    ///   - pages: The keys of each page, in the order of the list.
    ///   - overlap: True if each page is requested with the last item of the one before. Its requests count items, so
    ///     that a pinned one takes the place of another.
    package static func areOdd(_ pages: [[String]], overlap: Bool) -> Bool {
        // The last page of a list may be empty.
        var pages = pages.filter { !$0.isEmpty }
        if overlap {
            for index in pages.indices.dropFirst().reversed() where pages[index].first == pages[index - 1].last {
                pages[index].removeFirst()
            }
        }
        var counts: [String: Int] = [:]
        for page in pages { for key in Set(page) { counts[key, default: 0] += 1 } }
        var odd = Set(counts.filter { $0.value > 1 }.keys)
        guard !odd.isEmpty, !overlap, pages.count > 2 else { return !odd.isEmpty }
        odd = odd.filter { counts[$0] != pages.count }
        let borders = zip(pages, pages.dropFirst()).map(sharedAtBorder).filter { !$0.isEmpty }
        if borders.count > 1, borders.count * 3 >= pages.count - 1 { odd.subtract(borders.joined()) }
        return !odd.isEmpty
    }

    /// The most last keys of a page that are the first ones of the next page.
    private static func sharedAtBorder(_ page: [String], _ next: [String]) -> ArraySlice<String> {
        for start in page.indices where page[start] == next.first {
            let shared = page[start...]
            if next.starts(with: shared) { return shared }
        }
        return []
    }
}
