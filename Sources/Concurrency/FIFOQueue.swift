/// Elements in order of arrival.
package struct FIFOQueue<Element> {
    private var elements: [Element] = []
    /// The number of elements at the beginning that were taken.
    private var taken = 0

    package init() {}

    package var isEmpty: Bool { taken == elements.count }

    package mutating func append(_ element: Element) { elements.append(element) }

    /// Takes the first element; nil if there is none.
    package mutating func popFirst() -> Element? {
        guard taken < elements.count else { return nil }
        let element = elements[taken]
        taken += 1
        if taken == elements.count {
            elements.removeAll(keepingCapacity: true)
            taken = 0
        } else if taken >= Self.mostTaken, taken >= elements.count / 2 {
            // Otherwise, a queue that is never empty would keep everything. Each element is moved about once.
            elements.removeFirst(taken)
            taken = 0
        }
        return element
    }

    /// The number of elements that may stay in memory after they were taken.
    private static var mostTaken: Int { 64 }
}
