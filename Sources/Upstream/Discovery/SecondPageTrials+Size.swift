internal import HTTP

extension SecondPageTrials {
    /// The sizes to ask for, one after the other while they are honoured. Most upstreams allow 100.
    private static let sizes = [100, 1000]
    /// The most bytes of a page to ask for, as far as the first page tells.
    private static let mostBytes = 512 << 10

    /// The way to the second page with the largest pages that the upstream honours, and the evidence.
    ///
    /// Larger pages mean fewer requests. A request that is refused, or brings a page as long as before, changes
    /// nothing.
    ///
    /// - Throws: `FeedSyncError` if nothing can be learned now.
    mutating func enlarged(
        _ candidate: PagingCandidate, first number: Int?, _ structure: StructureSearch, _ signs: PageSigns
    ) async throws(FeedSyncError) -> (way: PagingCandidate, evidence: String?) {
        let first = structure.reading
        guard page.request.body == nil, first.items.count > 1,
            let style = settled(by: candidate, first: number)?.pagination,
            let parameter = signs.sizeParameter(of: style, next: try? secondPage(of: style, structure).next?.text)
        else { return (candidate, nil) }
        var found = (way: candidate, evidence: String?.none)
        let itemSize = max(self.first.response.body.bytes.count / first.items.count, 1)
        for size in Self.sizes where size > first.items.count && size <= Self.mostBytes / itemSize {
            let way = candidate.asking(size, in: parameter)
            guard let settled = settled(by: way, first: number),
                case .page(let page) = try await fetch(settled, nil, structure),
                page.items.count > first.items.count, page.items.count <= size,
                page.keys(structure.keyPaths).starts(with: first.keys(structure.keyPaths))
            else { break }
            let isLimited =
                page.items.count < size && PaginationInput.usualSizes.contains(page.items.count)
                && signs.total?.value.count != page.items.count
            let count = isLimited ? page.items.count : size
            found = (candidate.asking(count, in: parameter), "`\(parameter)=\(size)` brought \(page.items.count)")
            guard page.items.count == size else { break }
        }
        return found
    }
}

extension PagingCandidate {
    /// The candidate with a page size.
    fileprivate func asking(_ size: Int, in parameter: String) -> PagingCandidate {
        var copy = self
        copy.members =
            trial == .offset
            ? members.with("limit_param", parameter == "limit" ? nil : parameter).with("limit", size)
            : members.with("size_param", parameter).with("size", size)
        return copy
    }
}
