/// The effect of a page on the counts and the order of its feed's sections.
package struct SectionTally: Sendable {
    /// The change of one section.
    package struct Change: Sendable, Hashable {
        /// The number of additional items.
        package var count = 0
        /// The first place of its items, among those that the page placed.
        package var first: Place?
        /// The places that items of the section left.
        package var left: [Place] = []
    }

    private var gathered: [String?: Change] = [:]
    /// Consecutive new items of one section, not yet in `gathered`.
    private var run: (section: String?, first: Place, count: Int)?

    /// Creates an empty tally.
    package init() {}

    /// The changes of all sections that the page affects.
    package var changes: [String?: Change] {
        var ended = self
        ended.endRun()
        return ended.gathered
    }

    /// Adds a new item, or one that came back.
    package mutating func add(_ section: String?, at place: Place) {
        if let last = run, last.section == section, last.first.precedes(place) {
            run = (section, last.first, last.count + 1)
        } else {
            endRun()
            run = (section, place, 1)
        }
    }

    private mutating func endRun() {
        guard let last = run else { return }
        run = nil
        gathered[last.section, default: Change()].count += last.count
        note(last.section, at: last.first)
    }

    /// Records the place of an item of this section.
    package mutating func note(_ section: String?, at place: Place) {
        let first = gathered[section, default: Change()].first
        if first.map({ place.precedes($0) }) ?? true { gathered[section, default: Change()].first = place }
    }

    /// Records that an item left its place, and perhaps its section.
    package mutating func leave(_ section: String?, at place: Place, forAnother: Bool) {
        gathered[section, default: Change()].left.append(place)
        if forAnother { gathered[section, default: Change()].count -= 1 }
    }
}
