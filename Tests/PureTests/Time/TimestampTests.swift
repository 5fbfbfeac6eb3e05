import Foundation
import Testing
import Time

@Suite("Timestamps")
struct TimestampTests {
    private func text(_ iso: String) -> String? {
        Array(iso.utf8).withUnsafeBytes { Timestamp($0)?.text }
    }

    @Test("A timestamp is the same moment with any number of fraction digits")
    func equality() {
        let moments = ["1994-12-06T08:49Z", "1994-12-06T08:49:00.000Z", "1994-12-06T09:49:00.0000000+01:00"].map {
            Timestamp($0)
        }
        #expect(Set(moments).count == 1)
        #expect(Timestamp("1994-12-06T08:49:00.001Z") != moments[0])
    }

    @Test(
        "ISO 8601 becomes UTC with milliseconds, or more digits where it has them",
        arguments: [
            ("2026-11-21T02:20:11Z", "2026-11-21T02:20:11.000Z"),
            ("2026-11-21T02:20:11.5Z", "2026-11-21T02:20:11.500Z"),
            ("2026-11-21T02:20:11.123456789Z", "2026-11-21T02:20:11.123456789Z"),
            ("2026-11-21 02:20:11", "2026-11-21T02:20:11.000Z"),
            ("2026-11-21T02:20:11+02:00", "2026-11-21T00:20:11.000Z"),
            ("2026-01-01T00:30:00+0130", "2025-12-31T23:00:00.000Z"),
            ("2024-02-29T23:59:59-05", "2024-03-01T04:59:59.000Z"), ("2026-11-21", "2026-11-21T00:00:00.000Z"),
            ("1969-12-31T23:59:59.25Z", "1969-12-31T23:59:59.250Z"),
            ("0000-01-01T00:00:00Z", "0000-01-01T00:00:00.000Z"),
            ("9999-12-31T23:59:59Z", "9999-12-31T23:59:59.000Z"), ("2026-11-21t02:20z", "2026-11-21T02:20:00.000Z"),
        ])
    func iso(_ from: String, _ to: String) {
        #expect(text(from) == to)
    }

    @Test(
        "A time as far as it is written is the beginning of the stored texts that it means",
        arguments: [
            ("2026-11-21T02:20:11Z", "2026-11-21T02:20:11"), ("2026-11-21 02:20:11", "2026-11-21T02:20:11"),
            ("2026-11-21T03:20+01:00", "2026-11-21T02:20"), ("2026-01-01T00:30:00+01:00", "2025-12-31T23:30:00"),
            ("2026-11-21T02:20:11.5Z", "2026-11-21T02:20:11.500"),
            ("2026-11-21T02:20:11,5000", "2026-11-21T02:20:11.500"),
            ("2026-11-21T02:20:11.123456Z", "2026-11-21T02:20:11.123456"), ("2026-11-21", nil), ("2026-11", nil),
            ("2026-11-21T02", nil), ("2026-11-21T02:20:11 01:00", nil), ("yesterday at noon", nil), ("", nil),
        ] as [(String, String?)])
    func storedBeginning(text: String, beginning: String?) {
        #expect(Timestamp.storedBeginning(of: text) == beginning)
    }

    @Test(
        "Anything else is not a timestamp",
        arguments: [
            "", "2026", "2026-13-01", "2026-02-29", "2026-11-21T24:00:00Z", "2026-11-21T02:20:60Z",
            "2026-11-21T02:20:11.Z",
            "2026-11-21T02:20:11Zx", "21.11.2026", "2026-11-21T02:20:11+25:00", "٢٠٢٦-11-21",
            "9999-12-31T23:59:59-01:00",
        ])
    func other(_ from: String) {
        #expect(text(from) == nil)
    }

    @Test("Numbers are seconds or milliseconds since 1970")
    func numbers() {
        #expect(Timestamp(sinceEpoch: Int64(1_795_000_000))?.text == "2026-11-18T11:06:40.000Z")
        #expect(Timestamp(sinceEpoch: Int64(1_795_000_000_123))?.text == "2026-11-18T11:06:40.123Z")
        #expect(Timestamp(sinceEpoch: -1.5)?.text == "1969-12-31T23:59:58.500Z")
        #expect(Timestamp(sinceEpoch: Int64.max) == nil)
        #expect(Timestamp(sinceEpoch: Double.nan) == nil)
        #expect(Timestamp(sinceEpoch: 1e300) == nil)
    }

    @Test(
        "A number keeps all digits of its fraction",
        arguments: [
            ("1795000000.123456", "2026-11-18T11:06:40.123456Z"),
            ("1795000000.1234567", "2026-11-18T11:06:40.1234567Z"),
            ("1795000000.50", "2026-11-18T11:06:40.500Z"), ("1795000000.0", "2026-11-18T11:06:40.000Z"),
            ("1795000000123.25", "2026-11-18T11:06:40.12325Z"), ("0.001", "1970-01-01T00:00:00.001Z"),
            ("1795000000", nil),
            ("-1.5", nil), ("1.5e3", nil), ("999999999999999.5", nil), ("9999999999999999999.5", nil),
        ] as [(String, String?)])
    func digits(_ from: String, _ to: String?) {
        #expect(Array(from.utf8).withUnsafeBytes { Timestamp(sinceEpochDigits: $0)?.text } == to)
    }

    @Test("Every day of the calendar comes out as it went in")
    func roundTrip() {
        for day in stride(from: -719_528, through: 2_932_896, by: 97) {
            guard
                let moment = Timestamp(sinceEpoch: Double(day) * 86_400_000)
                    ?? Timestamp(milliseconds: Int64(day) * 86_400_000)
            else { continue }
            let again = moment.bytes.withUnsafeBytes { Timestamp($0) }
            #expect(again?.seconds == moment.seconds && again?.text == moment.text, "\(moment.text)")
        }
    }

    @Test(
        "A timestamp has a text without a fraction",
        arguments: [
            (0, "1970-01-01T00:00:00Z"), (951_782_399, "2000-02-28T23:59:59Z"), (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"), (1_735_689_599, "2024-12-31T23:59:59Z"),
            (1_795_000_000, "2026-11-18T11:06:40Z"),
            (253_402_300_799, "9999-12-31T23:59:59Z"), (253_402_300_800, nil), (-1, "1969-12-31T23:59:59Z"),
            (Int64.max, nil),
        ] as [(Int64, String?)])
    func times(seconds: Int64, text: String?) {
        #expect(Timestamp.text(ofSecond: seconds) == text)
    }
}
