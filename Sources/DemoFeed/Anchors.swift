internal import JSON

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
            let item: JSONFields = [
                "roomid": room, "uid": user,
                "name": number < WordLists.performers.count ? name : "\(name)\(number)",
                "pic51": Picture.url(room), "pic74": Picture.url(room), "live": isLive ? 1 : 0,
                "push": random.chance(percent: 20) ? 1 : 0, "focus": random.below(90_000),
            ]
            return RenderedItem(item)
        }
    }

    func page(_ page: RequestedPage, at url: String) -> JSONFields {
        let anchors = page.slice(of: items).map { $0.json(at: url) }
        return ["code": 100, "message": ["anchors": anchors] as JSONFields]
    }
}
