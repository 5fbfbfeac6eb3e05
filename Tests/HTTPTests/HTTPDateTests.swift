import HTTP
import Testing
import Time

@Suite struct HTTPDateTests {
    @Test(
        "A date is read in each of its forms, and what is none is not",
        arguments: [
            ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777),
            ("Sun Nov  6 08:49:37 1994", 784_111_777), ("Thu, 01 Jan 1970 00:00:00 GMT", 0),
            ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199), ("Fri, 31 Dec 1999 00:00:00 GMT", 946_598_400),
            ("Tue, 29 Feb 2000 00:00:00 GMT", 951_782_400), ("Fri, 01 Mar 2024 00:00:00 GMT", 1_709_251_200),
            ("Thu, 31 Dec 9998 23:59:59 GMT", 253_370_764_799), ("", nil), ("0", nil),
            ("Sun, 06 Nox 1994 08:49:37 GMT", nil),
        ] as [(String, Int64?)])
    func forms(text: String, seconds: Int64?) {
        #expect(HTTPDate.seconds(text) == seconds)
    }

    @Test("The days of every month of four years follow each other")
    func calendar() {
        let months = [
            ("Jan", 31), ("Feb", 28), ("Mar", 31), ("Apr", 30), ("May", 31), ("Jun", 30), ("Jul", 31), ("Aug", 31),
            ("Sep", 30), ("Oct", 31), ("Nov", 30), ("Dec", 31),
        ]
        var expected: Int64 = 1_767_225_600
        for year in 2026...2029 {
            for (month, days) in months {
                for day in 1...(month == "Feb" && year == 2028 ? 29 : days) {
                    let text = "Xxx, \(day < 10 ? "0" : "")\(day) \(month) \(year) 00:00:00 GMT"
                    #expect(HTTPDate.seconds(text) == expected, "\(text)")
                    #expect(HTTPDate.text(ofSecond: expected).dropFirst(3) == text.dropFirst(3))
                    expected += 86_400
                }
            }
        }
    }

    @Test(
        "A moment is written in the form that HTTP prefers",
        arguments: [
            (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"), (0, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (-86_400 * 5, "Sat, 27 Dec 1969 00:00:00 GMT"),
            (1_709_251_199, "Thu, 29 Feb 2024 23:59:59 GMT"),
        ] as [(Int64, String)])
    func written(seconds: Int64, text: String) {
        #expect(HTTPDate.text(ofSecond: seconds) == text)
    }

    @Test("The farthest moments have a text, too", arguments: [Int64.min, .max])
    func farthest(seconds: Int64) {
        #expect(HTTPDate.text(ofSecond: seconds).hasSuffix(" GMT"))
    }
}
