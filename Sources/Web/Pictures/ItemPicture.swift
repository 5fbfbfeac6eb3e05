internal import FeedSync
internal import HTTP
internal import HTTPServer
internal import Reports

/// The picture of an item: the one in the feed's picture column or, with `column` and `number`, one in a column of
/// HTML. No other address is requested.
struct ItemPicture {
    /// The name of the feed.
    let feed: String
    let visit: Visit

    func answer() async throws(FeedSyncError) -> SharedAnswer {
        let request = visit.request
        guard let feed = try await visit.served.feed(named: feed), let key = request.parameter("key"),
            let (store, rows, shape) = try await pictured(feed, request.parameter("q"))
        else { return visit.notFound() }
        let number = request.parameter("number").flatMap { Int($0) }
        let markup = request.parameter("column").flatMap { shape.markup.contains($0) ? $0 : nil }
        guard let column = number == nil ? shape.rule.picture : markup else { return visit.notFound() }
        var query = ItemQuery(feed: rows, limit: 1)
        (query.keys, query.columns, query.includesRemoved) = ([key], [column], true)
        let listing = try await store.listing(query)
        let origin = feed.definition.flatMap { definition in (try? WebURL(definition.url.description))?.origin }
        guard let item = listing.items.first, let text = listing.text(column, of: item),
            let url = Self.address(number, in: text), Link.web(url) != nil,
            let picture = await visit.site.pictures.picture(at: url, of: origin)
        else { return noPicture() }
        let headers = [
            (name: "Content-Type", value: picture.type.rawValue),
            (name: "Cache-Control", value: "private, max-age=3600"),
        ]
        return visit.shown(ServerResponse(headers: headers, body: picture.bytes))
    }

    /// The rows that may have pictures: those of a feed, or what was found on its server for a text.
    private func pictured(
        _ feed: KnownFeed, _ text: String?
    ) async throws(FeedSyncError) -> (store: Store, feed: String, shape: RowShape)? {
        guard let text else {
            guard let store = visit.served.pages else { return nil }
            return (store, feed.name, try await visit.served.shape(of: feed, in: store))
        }
        guard let definition = feed.definition,
            let (found, store) = try await visit.site.searches.stored(text, of: definition)
        else { return nil }
        var query = ItemQuery(feed: found.name, limit: 50)
        query.textLimit = RowShape.textLimit
        return (store, found.name, RowShape(found.show, try await store.listing(query)))
    }

    /// The address of a picture in a column's text; nil if there is none with this number.
    private static func address(_ number: Int?, in text: String) -> String? {
        guard let number else { return text }
        let all = ForeignHTML.pictures(of: text)
        return all.indices.contains(number) ? all[number] : nil
    }

    /// The response without a picture. An image element gets an empty picture, because browsers would report a broken
    /// one as an error.
    private func noPicture() -> SharedAnswer {
        guard visit.request.header("Sec-Fetch-Dest") == "image" else { return visit.notFound() }
        let headers = [
            (name: "Content-Type", value: PictureType.gif.rawValue),
            (name: "Cache-Control", value: "private, max-age=600"),
        ]
        return .finished(ServerResponse(headers: headers, body: Self.nothing))
    }

    /// An invisible GIF of one pixel.
    private static let nothing: [UInt8] =
        Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0x21, 0xF9, 4, 1, 0, 0, 0, 0, 0x2C]
        + [0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3B]

    /// Writes an item's picture, if it has one. The browser requests it when it comes into view.
    ///
    /// - Parameter search: The text for which the item was found on the feed's server; nil for one that is stored.
    static func write(
        _ url: String?, of key: String, in feed: String, search: String? = nil, size: Int, to html: inout HTMLWriter
    ) {
        guard let url, Link.web(url) != nil else { return }
        let version = String(Responses.tag(of: Array(url.utf8)).dropFirst().prefix(8))
        html.void(
            "img", .class("picture"),
            .src(.own("picture", feed, query: [("key", key), ("v", version)] + (search.map { [("q", $0)] } ?? []))),
            .plain(.alt, ""), .plain(.loading, "lazy"), .plain(.width, String(size)), .plain(.height, String(size)))
    }
}
