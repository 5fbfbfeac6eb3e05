/// Finds the rows that have kept their order in a list, and so those that have moved.
///
/// Rows that stood on either side of another may meet on one page when both have moved there. They show nothing about
/// the row that stood between them.
enum SteadyRows {
    /// True for rows that are in one of the longest sequences of rows whose pages follow one another. The result is in
    /// the order of `counts`.
    ///
    /// - Parameters:
    ///   - counts: The numbers of rows, in the order in which they were stored.
    ///   - pages: The place of the page of each in the list, from 0.
    /// - Complexity: O(n log n).
    static func find(counts: [Int64], pages: [Int]) -> [Bool] {
        let size = (pages.max() ?? 0) + 1
        let before = longest(counts, pages, size)
        let behind = longest(counts.reversed(), pages.reversed().map { size - 1 - $0 }, size).reversed()
        let most = before.max() ?? 0
        // A row counts in both sums.
        return zip(zip(before, behind), counts).map { $0.0 + $0.1 - $1 == most }
    }

    /// The rows in the longest such sequence that ends with each.
    private static func longest(_ counts: [Int64], _ pages: [Int], _ size: Int) -> [Int64] {
        // A Fenwick tree of the longest sequences up to a page. https://en.wikipedia.org/wiki/Fenwick_tree
        var tree = [Int64](repeating: 0, count: size + 1)
        return zip(counts, pages).map { count, page in
            var longest: Int64 = 0
            var index = page + 1
            while index > 0 {
                longest = max(longest, tree[index])
                index -= index & -index
            }
            longest += count
            index = page + 1
            while index <= size {
                tree[index] = max(tree[index], longest)
                index += index & -index
            }
            return longest
        }
    }
}
