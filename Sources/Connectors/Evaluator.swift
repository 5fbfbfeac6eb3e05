internal import Feeds
internal import YAML

/// Works out expressions as far as their values are known before the connector runs: settings, parameters, times, and
/// the columns of parents. Everything else is a fault with the line.
struct Evaluator {
    /// The names that stand for a part of a stream.
    struct Partition: Sendable, Hashable {
        /// The values by their names, as in `stream_partition.id`.
        var values: [String: ConnectorValue] = [:]
        /// The values of the list further above.
        var parents: [String: ConnectorValue] = [:]
        /// The members of a parent's item, as in `stream_slice.extra_fields['updated']`.
        var extras: [String: ConnectorValue] = [:]
    }

    let settings: ConnectorSettings
    var partition = Partition()

    /// The value of a member that may be absent; `nothing` then.
    func value(_ component: Component?) throws(ConnectorFault) -> ConnectorValue {
        guard let component else { return .nothing }
        switch component.node.content {
        case .scalar(let scalar):
            guard scalar.resolution == .text, scalar.text.contains("{") else { return ConnectorValue(component.node) }
            return try value(of: scalar.text, in: component)
        case .sequence:
            var values: [ConnectorValue] = []
            for element in try component.elements() { values.append(try value(element)) }
            return .list(values)
        case .mapping:
            var members: [ConnectorValue.Member] = []
            for (name, member) in try component.entries() {
                members.append(.init(name: name, value: try value(member)))
            }
            return .mapping(members)
        }
    }

    /// The text of a member; nil where it is absent or empty.
    func words(_ component: Component?) throws(ConnectorFault) -> ConfigurationWords? {
        guard let component else { return nil }
        guard let words = try value(component).words else {
            throw component.fault(.expression, "a text is expected, not a list or an object")
        }
        return words.pieces.isEmpty ? nil : words
    }

    /// The literal text of a member; nil where it is absent or empty.
    func literal(_ component: Component?) throws(ConnectorFault) -> String? {
        guard let component, let words = try words(component) else { return nil }
        guard let text = words.literal else {
            throw component.fault(.expression, "its value must be known, so it cannot be a reference")
        }
        return text
    }

    /// The literal texts of a list, as those of a path; nil for an empty one. None where the list is absent.
    func literals(_ list: Component?) throws(ConnectorFault) -> [String?] {
        try (list?.elements() ?? []).map { element throws(ConnectorFault) in try literal(element) }
    }

    /// True if a condition holds whatever the connector reads.
    func isAlwaysTrue(_ condition: Component) -> Bool {
        guard case .scalar(let scalar) = condition.node.content, let parsed = try? ExpressionText(scalar.text),
            let only = parsed.only
        else { return false }
        return (try? Scope(evaluator: self, component: condition).truth(only)) == true
    }

    private func value(of text: String, in component: Component) throws(ConnectorFault) -> ConnectorValue {
        let scope = Scope(evaluator: self, component: component)
        do throws(ExpressionFault) {
            let parsed = try ExpressionText(text)
            if let only = parsed.only { return try scope.value(only) }
            var words = ConfigurationWords("")
            for piece in parsed.pieces {
                switch piece {
                case .literal(let text): words.append(ConfigurationWords(text))
                case .expression(let expression):
                    guard let value = try scope.value(expression).words else {
                        throw ExpressionFault(problem: "\(Excerpt.quoted(text, limit: 80)) puts a list into a text")
                    }
                    words.append(value)
                }
            }
            return .text(words)
        } catch {
            if let missing = error.missing { throw component.fault(.setting, missing) }
            throw component.fault(.expression, "\(Excerpt.quoted(text, limit: 120)): \(error.problem)")
        }
    }
}

/// The names that an expression may use at its place in the manifest.
private struct Scope {
    let evaluator: Evaluator
    let component: Component

    func value(_ expression: Expression) throws(ExpressionFault) -> ConnectorValue {
        switch expression {
        case .nothing: return .nothing
        case .flag(let flag): return .flag(flag)
        case .number(let digits): return .number(digits)
        case .text(let text): return .text(text)
        case .name(let name): return try named(name)
        case .member(let object, let name): return try member(name, of: object)
        case .element(let list, let index): return try element(index, of: try value(list))
        case .computed(let object, let index):
            guard let name = try value(index).words?.literal else { throw Self.unknown("an index") }
            return try member(name, of: object)
        case .call(let function, let arguments): return try call(function, arguments)
        case .filter(let input, let name, let arguments):
            return try filtered(try value(input), name, try values(arguments))
        case .list(let elements):
            return .list(try elements.map { element throws(ExpressionFault) in try value(element) })
        case .mapping(let pairs):
            return .mapping(
                try pairs.map { pair throws(ExpressionFault) in
                    ConnectorValue.Member(
                        name: try value(pair.name).words?.literal ?? "", value: try value(pair.value))
                })
        case .not(let operand): return .flag(!(try truth(operand)))
        case .both(let one, let other): return try truth(one) ? try value(other) : try value(one)
        case .either(let one, let other):
            let first = try value(one)
            return try truth(of: first) ? first : try value(other)
        case .compared(let one, let comparison, let other): return .flag(try compare(one, comparison, other))
        case .computedNumber(let one, let sign, let other):
            return try computed(try value(one), sign, try value(other))
        case .joined(let one, let other):
            guard var words = try value(one).words, let rest = try value(other).words else {
                throw Self.unknown("a list in a text")
            }
            words.append(rest)
            return .text(words)
        case .chosen(let value, let condition, let other):
            return try truth(condition) ? try self.value(value) : try self.value(other)
        }
    }

    private static func unknown(_ what: String) -> ExpressionFault {
        ExpressionFault(problem: "\(what) is only known while the connector runs")
    }

    /// True if the expression is true. One side of `or` and `and` may be enough.
    fileprivate func truth(_ expression: Expression) throws(ExpressionFault) -> Bool {
        switch expression {
        case .either(let one, let other): try decided(one, other, by: true)
        case .both(let one, let other): try decided(one, other, by: false)
        default: try truth(of: try value(expression))
        }
    }

    /// The truth of two sides of which one, if it is so, decides for both.
    private func decided(
        _ one: Expression, _ other: Expression, by decisive: Bool
    ) throws(ExpressionFault) -> Bool {
        let first = Result { () throws(ExpressionFault) in try truth(one) }
        if case .success(decisive) = first { return decisive }
        guard try truth(other) != decisive else { return decisive }
        return try first.get()
    }

    private func truth(of value: ConnectorValue) throws(ExpressionFault) -> Bool {
        guard let isTrue = value.isTrue else { throw Self.unknown("a condition") }
        return isTrue
    }

    private func named(_ name: String) throws(ExpressionFault) -> ConnectorValue {
        switch name {
        case "config": return .settings([])
        case "parameters", "options":
            return .mapping(
                component.parameters.map { .init(name: $0.key, value: ConnectorValue($0.value)) }
                    .sorted { $0.name < $1.name })
        case "stream_partition", "stream_slice", "stream_interval":
            let partition = evaluator.partition
            func members(_ values: [String: ConnectorValue]) -> [ConnectorValue.Member] {
                values.map { .init(name: $0.key, value: $0.value) }.sorted { $0.name < $1.name }
            }
            return .mapping(
                members(partition.values) + [
                    .init(name: "parent_slice", value: .mapping(members(partition.parents))),
                    .init(name: "extra_fields", value: .mapping(members(partition.extras))),
                ])
        default: throw Self.unknown("`\(name)`")
        }
    }

    private func member(_ name: String, of object: Expression) throws(ExpressionFault) -> ConnectorValue {
        switch try value(object) {
        case .settings(let path): return try setting(path + [name])
        case .mapping(let members):
            if let value = members.first(where: { $0.name == name })?.value { return value }
            if case .name(let owner) = object, owner.hasPrefix("stream_") { throw Self.unknown("`\(owner).\(name)`") }
            return .nothing
        case .nothing: return .nothing
        default: throw ExpressionFault(problem: "`\(name)` of a value that has no members")
        }
    }

    private func setting(_ path: [String]) throws(ExpressionFault) -> ConnectorValue {
        guard let value = evaluator.settings.value(at: path) else {
            throw ExpressionFault(problem: "a setting is missing", missing: path.joined(separator: "."))
        }
        return value
    }

    private func element(_ index: Int, of list: ConnectorValue) throws(ExpressionFault) -> ConnectorValue {
        guard case .list(let values) = list else { throw ExpressionFault(problem: "an index of what is no list") }
        let place = index < 0 ? values.count + index : index
        return values.indices.contains(place) ? values[place] : .nothing
    }

    private func values(_ arguments: [Expression.Argument]) throws(ExpressionFault) -> [(String?, ConnectorValue)] {
        try arguments.map { argument throws(ExpressionFault) in (argument.name, try value(argument.value)) }
    }

    private func compare(
        _ one: Expression, _ comparison: Expression.Comparison, _ other: Expression
    ) throws(ExpressionFault) -> Bool {
        if [.identical, .distinct].contains(comparison), case .name(let test) = other {
            let isSo = try value(one) != .nothing
            switch test {
            case "defined": return isSo == (comparison == .identical)
            case "undefined": return isSo != (comparison == .identical)
            default: throw ExpressionFault(problem: "the test `\(test)` is not understood")
            }
        }
        let (left, right) = (try value(one), try value(other))
        switch comparison {
        case .equal, .identical: return try isEqual(left, right)
        case .unequal, .distinct: return !(try isEqual(left, right))
        case .contained: return try contains(right, left)
        case .missing: return !(try contains(right, left))
        case .less, .greater, .atMost, .atLeast:
            guard case .number(let left) = left, case .number(let right) = right, let left = Double(left),
                let right = Double(right)
            else { throw Self.unknown("the order of two values") }
            return switch comparison {
            case .less: left < right
            case .greater: left > right
            case .atMost: left <= right
            default: left >= right
            }
        }
    }

    private func isEqual(_ one: ConnectorValue, _ other: ConnectorValue) throws(ExpressionFault) -> Bool {
        if one == other { return true }
        if one == .nothing || other == .nothing { return false }
        guard let left = one.words?.literal, let right = other.words?.literal else {
            throw Self.unknown("a value that is compared")
        }
        return left == right
    }

    private func contains(_ whole: ConnectorValue, _ part: ConnectorValue) throws(ExpressionFault) -> Bool {
        switch whole {
        case .list(let values):
            for value in values where try isEqual(value, part) { return true }
            return false
        case .mapping(let members): return members.contains { $0.name == part.words?.literal }
        case .settings(let path):
            guard let name = part.words?.literal else { throw Self.unknown("a name") }
            return try setting(path + [name]) != .nothing
        case .nothing: return false
        default:
            guard let text = whole.words?.literal, let part = part.words?.literal else {
                throw Self.unknown("a value that is compared")
            }
            return text.contains(part)
        }
    }

    private func computed(
        _ one: ConnectorValue, _ sign: String, _ other: ConnectorValue
    ) throws(ExpressionFault) -> ConnectorValue {
        switch (one, sign, other) {
        case (.number(let left), _, .number(let right)):
            // Quotients of Jinja are real numbers, and `//` and `%` round down, as Python's do.
            let isRounded = left.hasPrefix("-") || right.hasPrefix("-")
            if sign != "/", !(isRounded && ["//", "%"].contains(sign)), let left = Int64(left),
                let right = Int64(right)
            {
                let result =
                    switch sign {
                    case "+": left.addingReportingOverflow(right)
                    case "-": left.subtractingReportingOverflow(right)
                    case "*": left.multipliedReportingOverflow(by: right)
                    case "%": left.remainderReportingOverflow(dividingBy: right)
                    default: left.dividedReportingOverflow(by: right)
                    }
                guard !result.overflow else { throw ExpressionFault(problem: "a number is too large") }
                return .number("\(result.partialValue)")
            }
        case (.moment(let moment, let format), "+", .span(let span)),
            (.moment(let moment, let format), "-", .span(let span)):
            guard let moved = moment.moved(by: sign == "-" ? -span : span) else { break }
            return .moment(moved, format: format)
        case (.text(var words), "+", .text(let rest)):
            words.append(rest)
            return .text(words)
        case (.moment(let moment, _), "*", .number("1000")) where moment.seconds == nil:
            return .moment(moment, format: "%ms")
        case (.list(let one), "+", .list(let other)): return .list(one + other)
        default: break
        }
        throw ExpressionFault(problem: "`\(sign)` of these values is not understood")
    }
}

extension Scope {
    private func call(
        _ function: Expression, _ arguments: [Expression.Argument]
    ) throws(ExpressionFault) -> ConnectorValue {
        switch function {
        case .name(let name): return try called(name, try values(arguments))
        case .member(let object, "get"): return try found(in: object, try values(arguments))
        case .member(let object, let name):
            let arguments = try values(arguments)
            switch (try value(object), name) {
            case (.moment(let moment, _), "strftime"):
                guard let format = arguments.first?.1.words?.literal else { break }
                return .moment(moment, format: format)
            case (.moment(let moment, _), "isoformat"): return .moment(moment, format: "%Y-%m-%dT%H:%M:%S+00:00")
            case (.moment(let moment, _), "timestamp"): return epoch(moment)
            case (let object, "lower"), (let object, "upper"), (let object, "strip"), (let object, "replace"):
                return try filtered(object, name == "strip" ? "trim" : name, arguments)
            default: break
            }
            throw ExpressionFault(problem: "`\(name)()` is not understood")
        default: throw ExpressionFault(problem: "a call is not understood")
        }
    }

    private func found(
        in object: Expression, _ arguments: [(String?, ConnectorValue)]
    ) throws(ExpressionFault) -> ConnectorValue {
        guard let name = arguments.first?.1.words?.literal else {
            throw ExpressionFault(problem: "`get` without a name")
        }
        let fallback = arguments.dropFirst().first?.1 ?? .nothing
        if case .settings(let path) = try value(object), evaluator.settings.value(at: path + [name]) == nil,
            fallback != .nothing
        {
            return fallback
        }
        let value = try member(name, of: object)
        return value == .nothing ? fallback : value
    }

    private func called(
        _ name: String, _ arguments: [(name: String?, value: ConnectorValue)]
    ) throws(ExpressionFault) -> ConnectorValue {
        func argument(_ index: Int, _ name: String) -> ConnectorValue? {
            arguments.first { $0.name == name }?.value
                ?? (arguments.indices.contains(index) && arguments[index].name == nil ? arguments[index].value : nil)
        }
        switch name {
        case "now_utc", "now_local": return .moment(ConnectorMoment(.now), format: ConnectorMoment.plainFormat)
        case "today_utc", "today_with_timezone": return .moment(ConnectorMoment(.today), format: "%Y-%m-%d")
        case "day_delta":
            guard case .number(let digits)? = argument(0, "num_days"), let days = Int64(digits),
                (-36_524...36_524).contains(days)
            else {
                break
            }
            let format = argument(1, "format")?.words?.literal ?? "%Y-%m-%dT%H:%M:%S.%f%z"
            return .moment(ConnectorMoment(.now, offset: days * 86_400), format: format)
        case "duration", "timedelta":
            guard let text = argument(0, "datestring")?.words?.literal, let seconds = ISODuration.seconds(text) else {
                break
            }
            return .span(seconds)
        case "timestamp":
            return epoch(try moment(argument(0, "dt"), nil))
        case "str_to_datetime":
            return .moment(try moment(argument(0, "s"), nil), format: ConnectorMoment.plainFormat)
        case "format_datetime":
            let source = argument(2, "input_format")?.words?.literal
            guard let format = argument(1, "format")?.words?.literal else { break }
            return .moment(try moment(argument(0, "dt"), source), format: format)
        default: break
        }
        throw ExpressionFault(problem: "`\(name)()` is not understood")
    }

    /// Seconds since 1970.
    private func epoch(_ moment: ConnectorMoment) -> ConnectorValue {
        moment.seconds.map { .number("\($0)") } ?? .moment(moment, format: "%s")
    }

    private func moment(_ value: ConnectorValue?, _ format: String?) throws(ExpressionFault) -> ConnectorMoment {
        if case .moment(let moment, _)? = value { return moment }
        guard let text = value?.words?.literal else { throw Self.unknown("a time") }
        guard let moment = ConnectorMoment(text, format: format) else {
            throw ExpressionFault(problem: "\(Excerpt.quoted(text, limit: 40)) is no time")
        }
        return moment
    }

    private func filtered(
        _ value: ConnectorValue, _ name: String, _ arguments: [(String?, ConnectorValue)]
    ) throws(ExpressionFault) -> ConnectorValue {
        switch name {
        case "default", "d": return value == .nothing ? arguments.first?.1 ?? .text("") : value
        case "string": return value.words.map { .text($0) } ?? value
        case "int", "float":
            if case .text(let words) = value, let text = words.literal, Double(text) != nil { return .number(text) }
            return value
        case "lower", "upper", "trim":
            guard let words = value.words else { break }
            return .text(
                words.mapped { text in
                    switch name {
                    case "lower": text.lowercased()
                    case "upper": text.uppercased()
                    default: text.trimmed
                    }
                })
        case "replace":
            guard let words = value.words, arguments.count >= 2, let old = arguments[0].1.words?.literal,
                let new = arguments[1].1.words?.literal, !old.isEmpty
            else { break }
            return .text(words.mapped { $0.replacing(old, with: new) })
        case "join":
            guard case .list(let values) = value else { break }
            let separator = arguments.first?.1.words ?? ConfigurationWords("")
            var words = ConfigurationWords("")
            for (index, value) in values.enumerated() {
                guard let next = value.words else { throw Self.unknown("a list in a text") }
                if index > 0 { words.append(separator) }
                words.append(next)
            }
            return .text(words)
        case "list", "tojson": return value
        default: break
        }
        throw ExpressionFault(problem: "the filter `\(name)` is not understood")
    }
}
