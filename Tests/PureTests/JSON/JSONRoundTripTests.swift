import JSON
import SeededGenerator
import Testing

@Suite("Written JSON")
struct JSONRoundTripTests {
    private func text(_ value: JSONValue) -> String { value.json }

    @Test("Written JSON is read as the same value")
    func roundTrip() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed)
        for _ in 0..<500 {
            let value = generator.value(depth: 5)
            let written = text(value)
            #expect(try JSONValue(parsing: written) == value, "seed \(seed): \(written)")
        }
    }

    @Test("Written JSON is read or refused after any change to its bytes")
    func mutation() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed)
        for _ in 0..<500 {
            var bytes = Array(text(generator.value(depth: 4)).utf8)
            let index = Int.random(in: 0..<bytes.count, using: &generator)
            bytes[index] = Array(#"[]{}",:\u0-e. x"#.utf8).randomElement(using: &generator) ?? 0
            let changed = String(decoding: bytes, as: UTF8.self)
            guard let value = try? JSONValue(parsing: changed) else { continue }
            #expect(try JSONValue(parsing: text(value)) == value, "seed \(seed): \(changed)")
        }
    }

    @Test("A number is read exactly to the bit")
    func doubles() throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        var generator = SeededGenerator(seed)
        for _ in 0..<2000 {
            let double = Double(bitPattern: generator.next())
            guard double.isFinite else { continue }
            guard case .number(let digits) = try JSONValue(parsing: JSONText.number(double)) else {
                Issue.record("seed \(seed): \(double) is not a number")
                continue
            }
            #expect(Double(digits)?.bitPattern == double.bitPattern, "seed \(seed): \(digits)")
        }
    }
}

extension SeededGenerator {
    mutating func number() -> String {
        Bool.random(using: &self)
            ? "\(Int64(bitPattern: next()))" : JSONText.number(Double(bitPattern: next()))
    }

    mutating func value(depth: Int) -> JSONValue {
        switch Int.random(in: 0...(depth > 0 ? 5 : 3), using: &self) {
        case 0: return .null
        case 1: return .bool(Bool.random(using: &self))
        case 2:
            let number = number()
            return number == "null" ? .null : .number(number)
        case 3: return .string(string())
        case 4: return .array((0..<Int.random(in: 0...5, using: &self)).map { _ in value(depth: depth - 1) })
        default:
            let members = (0..<Int.random(in: 0...5, using: &self)).map { _ in (string(), value(depth: depth - 1)) }
            return .object(JSONObject(members))
        }
    }
}
