internal import JSON
internal import Text

/// The position of a crawl over a feed's partitions: a page of one of them.
///
/// As text it is `2024-01-01..2024-06-30` for a partition's first page, and `2024-01-01..2024-06-30, 3` for another
/// one.
package struct PartitionCursor: Sendable, Hashable {
    package let partition: Partition
    /// The page of the partition; nil for its first.
    package let page: PageCursor?

    package init(partition: Partition, page: PageCursor?) {
        self.partition = partition
        self.page = page
    }
}

extension PartitionScheme {
    private static let separator = ", "

    /// The partition's name: the values that it goes from and to.
    package func name(_ partition: Partition) -> String { "\(unit.text(partition.from))..\(unit.text(partition.to))" }

    /// The partition's name in the text of a page cursor; nil where there is none.
    package static func partitionName(in cursor: PageCursor?) -> String? {
        cursor.map { String($0.text[..<($0.text.firstRange(of: separator)?.lowerBound ?? $0.text.endIndex)]) }
    }

    /// The page cursor that leads to a place.
    package func cursor(_ place: PartitionCursor) -> PageCursor {
        PageCursor(name(place.partition) + (place.page.map { Self.separator + $0.text } ?? ""))
    }

    /// The place that a page cursor leads to.
    ///
    /// - Throws: `PagingError` if it leads to none of this rule's.
    package func place(of cursor: PageCursor) throws(PagingError) -> PartitionCursor {
        let text = cursor.text
        let separator = text.firstRange(of: Self.separator)
        guard let partition = partition(named: text[..<(separator?.lowerBound ?? text.endIndex)]) else {
            throw PagingError("the page cursor `\(cursor)` does not begin with a partition of the feed")
        }
        return PartitionCursor(partition: partition, page: separator.map { PageCursor(String(text[$0.upperBound...])) })
    }

    /// The partition of that name; nil where the rule has none.
    package func partition(named name: Substring) -> Partition? {
        guard let dots = name.firstRange(of: ".."), let from = unit.value(of: String(name[..<dots.lowerBound])),
            let to = unit.value(of: String(name[dots.upperBound...]))
        else { return nil }
        let partition = Partition(from: from, to: to)
        return blocks.holds(partition) ? partition : nil
    }

    /// True if a crawl may have left a partition before its last page: its half follows, or it has a single value and
    /// was read up to the cap. The decision depended on the number of items read by then.
    package func isCut(_ page: PageCursor?, before next: PageCursor?) -> Bool {
        guard let page = page.flatMap({ try? place(of: $0) }) else { return false }
        guard !page.partition.isSingle else { return page.page != nil }
        guard let next = next.flatMap({ try? place(of: $0) })?.partition else { return false }
        return next.from >= page.partition.from && next.to <= page.partition.to
    }

    /// The first page that a crawl asks for.
    ///
    /// - Parameters:
    ///   - second: Now, in seconds since 1970.
    ///   - known: The name of the partition that the crawl before began with.
    package func start(at second: Int64, known: String?) -> PageCursor {
        let newest = blocks.newest(now: newestValue(at: second), known: known.flatMap { partition(named: $0[...]) })
        return cursor(PartitionCursor(partition: newest, page: nil))
    }

    /// The newest value to request: none in the future, which some upstreams refuse.
    ///
    /// If an upstream's day begins before that of UTC, its newest items come with a later sync.
    package func newestValue(at second: Int64) -> Int {
        unit.value(at: second) ?? blocks.last ?? blocks.first
    }

    /// The feed's request, for one partition, or for as much of it as is not in the future.
    ///
    /// - Parameter second: Now, in seconds since 1970.
    package func request(for partition: Partition, base: PageRequest, at second: Int64) -> PageRequest {
        let to = max(partition.from, min(partition.to, newestValue(at: second)))
        var request = base
        for qualifier in qualifiers {
            let text = qualifier.template.replacing("{from}", with: unit.text(partition.from))
                .replacing("{to}", with: unit.text(to)).replacing("{end}", with: unit.text(to + 1))
            let own = base.text(of: qualifier.parameter) ?? ""
            request.set(qualifier.parameter, to: own.isEmpty ? text : "\(own) \(text)")
        }
        return request
    }
}

extension PageRequest {
    /// A parameter's value; nil if it is no text.
    fileprivate func text(of name: String) -> String? {
        guard let body else { return query.first { $0.name == name }?.value }
        return if case .string(let text)? = body.value(at: Self.place(of: name)) { text } else { nil }
    }
}
