internal import Feeds

/// A value of a response, of its headers or of the last item, that an expression reads while pages come.
struct RuntimePath: Sendable, Hashable {
    enum Root: Sendable, Hashable { case response, headers, lastItem }

    let root: Root
    let steps: [Step]

    enum Step: Sendable, Hashable {
        case member(String)
        case element(Int)
    }

    /// The path that an expression reads; nil for another expression.
    ///
    /// A fallback for what is absent (`.get('next', {})`, `… or None`, `… if …`) says nothing that a paginator does not
    /// know by itself.
    init?(_ expression: Expression) {
        switch expression {
        case .name("response"): self.init(root: .response, steps: [])
        case .name("headers"): self.init(root: .headers, steps: [])
        case .name("last_record"): self.init(root: .lastItem, steps: [])
        case .element(.name("last_records"), -1): self.init(root: .lastItem, steps: [])
        case .member(let object, let name): self.init(object, .member(name))
        case .element(let object, let index): self.init(object, .element(index))
        case .call(.member(let object, "get"), let arguments):
            guard case .text(let name)? = arguments.first?.value else { return nil }
            self.init(object, .member(name))
        case .filter(let input, "string", _), .filter(let input, "int", _), .filter(let input, "default", _),
            .filter(let input, "first", _), .filter(let input, "trim", _):
            self.init(input)
        case .filter(let input, "last", _): self.init(input, .element(-1))
        case .either(let one, _): self.init(one)
        case .both(_, let other): self.init(other)
        case .chosen(let value, _, .nothing), .chosen(let value, _, .text("")): self.init(value)
        default: return nil
        }
    }

    private init(root: Root, steps: [Step]) { (self.root, self.steps) = (root, steps) }

    private init?(_ object: Expression, _ step: Step) {
        guard let inner = RuntimePath(object) else { return nil }
        self.init(root: inner.root, steps: inner.steps + [step])
    }

    /// The path in a body; nil where an element is counted from the end.
    var path: Path? { Self.path(steps[...]) }

    /// The path in the last item of a list; nil for another value.
    func pathInLastItem(of items: Path) -> Path? {
        if root == .lastItem { return path }
        guard root == .response, let last = steps.firstIndex(of: .element(-1)), Self.path(steps[..<last]) == items
        else { return nil }
        return Self.path(steps[(last + 1)...])
    }

    private static func path(_ steps: ArraySlice<Step>) -> Path? {
        var segments: [Path.Segment] = []
        for step in steps {
            switch step {
            case .member(let name): segments.append(.member(name))
            case .element(let index) where index >= 0: segments.append(.index(index))
            case .element: return nil
            }
        }
        return Path(segments)
    }
}

/// The meaning of a paginator's `stop_condition`.
enum StopSign: Sendable, Hashable {
    /// The list ends so by itself: there is no token, no item, or a short page.
    case own
    /// A flag that there is more.
    case more(Path)
    /// A flag that there is none.
    case last(Path)
    /// The number of pages.
    case pages(Path)
    /// It ends after the first page.
    case always

    /// The signs of a condition; nil for one that is not understood.
    ///
    /// - Parameter cursor: The token, whose absence ends a list anyway.
    static func all(_ condition: Expression, cursor: RuntimePath?) -> [StopSign]? {
        switch condition {
        case .flag(false), .nothing: return [.own]
        case .flag(true): return [.always]
        case .either(let one, let other):
            guard let first = all(one, cursor: cursor), let second = all(other, cursor: cursor) else { return nil }
            return first + second
        case .both(let one, let other):
            // Both must hold: only where each is the list's own end is nothing lost.
            return all(one, cursor: cursor) == [.own] && all(other, cursor: cursor) == [.own] ? [.own] : nil
        case .not(let operand): return absent(operand, cursor)
        case .compared(let one, let comparison, let other): return compared(one, comparison, other, cursor)
        default: return flag(condition, isMore: false, cursor)
        }
    }

    /// The sign of a value that is absent or false.
    private static func absent(_ operand: Expression, _ cursor: RuntimePath?) -> [StopSign]? {
        switch operand {
        case .name("last_records"), .name("last_record"), .name("last_page_size"): return [.own]
        case .filter(let input, "length", _): return absent(input, cursor)
        case .not(let inner): return all(inner, cursor: cursor)
        case .compared(let one, .contained, let other): return compared(one, .missing, other, cursor)
        case .compared(let one, .unequal, let other): return compared(one, .equal, other, cursor)
        case .compared(let one, .distinct, let other): return compared(one, .identical, other, cursor)
        case .compared(let one, .less, let other): return compared(one, .atLeast, other, cursor)
        default: return flag(operand, isMore: true, cursor)
        }
    }

    private static func flag(_ expression: Expression, isMore: Bool, _ cursor: RuntimePath?) -> [StopSign]? {
        guard let place = RuntimePath(expression) else { return nil }
        if isMore, place == cursor || place.root != .response || isItems(place, of: cursor) { return [.own] }
        guard place.root == .response, let path = place.path, !path.segments.isEmpty else { return nil }
        return [isMore ? .more(path) : .last(path)]
    }

    /// True for an object or a list that the token is inside.
    private static func isItems(_ place: RuntimePath, of cursor: RuntimePath?) -> Bool {
        guard let cursor else { return false }
        return cursor.root == place.root && cursor.steps.starts(with: place.steps)
    }

    private static func compared(
        _ one: Expression, _ comparison: Expression.Comparison, _ other: Expression, _ cursor: RuntimePath?
    ) -> [StopSign]? {
        switch (comparison, other) {
        // `last_page_size < 100`, `last_records | length == 0`
        case (_, .number) where isSize(one): return [.own]
        case (.missing, _): return RuntimePath(other) == nil ? nil : [.own]
        case (.equal, .nothing), (.identical, .nothing), (.equal, .text("")), (.equal, .list([])),
            (.equal, .mapping([])),
            (.equal, .flag(false)), (.identical, .flag(false)), (.equal, .text("false")), (.equal, .text("False")),
            (.identical, .name("undefined")):
            return absent(one, cursor)
        case (.distinct, .name("defined")): return absent(one, cursor)
        case (.equal, .flag(true)), (.identical, .flag(true)): return flag(one, isMore: false, cursor)
        case (.equal, _), (.atLeast, _), (.greater, _):
            guard let page = RuntimePath(one), let pages = RuntimePath(other), page.root == .response,
                pages.root == .response, let path = pages.path
            else { return nil }
            return [.pages(path)]
        default: return nil
        }
    }

    private static func isSize(_ expression: Expression) -> Bool {
        switch expression {
        case .name("last_page_size"): true
        case .filter(let input, "length", _), .filter(let input, "count", _):
            RuntimePath(input) != nil || input == .name("last_records")
        default: false
        }
    }
}
