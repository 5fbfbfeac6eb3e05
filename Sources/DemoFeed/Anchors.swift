internal import HTTPServer

/// The hosts of a live-streaming site, in the shape of a mobile app's private API: everything in an envelope.
struct Anchors: Sendable {
    private let items: [RenderedItem]

    init(count: Int) {
        var random = SplitMix64(seed: 0x5156)
        items = (0..<count).map { number in
            let room = 520_000 + number * 37 + random.below(37)
            let user = "u-\(81_000_000 + number * 4_409 + random.below(4_000))"
            let name = random.pick(WordLists.performers)
            let isLive = random.chance(percent: 40)
            let item: JSON = [
                "roomid": .integer(room), "uid": .string(user),
                "name": .string(number < WordLists.performers.count ? name : "\(name)\(number)"),
                "pic51": .string(Picture.url(room)),
                "pic74": .string(Picture.url(room)),
                "live": .integer(isLive ? 1 : 0), "push": .integer(random.chance(percent: 20) ? 1 : 0),
                "focus": .integer(random.below(90_000)),
            ]
            return RenderedItem(item)
        }
    }

    func page(_ page: RequestedPage, at url: String) -> JSON {
        ["code": 100, "message": ["anchors": .array(page.slice(of: items).map { $0.json(at: url) })]]
    }
}
