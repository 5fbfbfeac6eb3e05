import Feeds
import HTTP
import Testing

@testable import ResponseBody

@Suite("The format of a body")
struct BodyFormatTests {
    @Test(
        "The beginning of a body tells its format: in markup the first element, whatever its prefix",
        arguments: [
            ("<rss version='2.0'>", BodyFormat.feed(.rss)),
            ("<?xml version='1.0'?>\n<!-- a <p> -->\n<r:rss>", .feed(.rss)),
            ("<rdf:RDF xmlns='x'>", .feed(.rss)),
            ("\u{FEFF}  <a:feed xmlns:a='http://www.w3.org/2005/Atom'>", .feed(.atom)),
            ("<!DOCTYPE rss [<!ENTITY x '<p>'>]><rss>", .feed(.rss)), ("<feedback>", .feed(.xml)),
            ("<plist><dict/></plist>", .feed(.xml)),
            ("<OAI-PMH><header/></OAI-PMH>", .feed(.xml)), ("<opml><head><title>x</title></head></opml>", .feed(.xml)),
            ("<product><title>x</title></product>", .feed(.xml)), ("<!DOCTYPE HTML><HTML>", .html(title: nil)),
            ("<!-- x --><h1>Sorry</h1>", .html(title: "Sorry")), ("<p>no</p>", .html(title: nil)),
            ("\u{1E}{\"id\": 1}\n", .feed(.jsonSequence)), ("id,name\n1,a\n", .feed(.csv)),
            ("<html><head><title>A feed: <rss></title>", .html(title: nil)),
        ])
    func markup(_ text: String, _ expected: BodyFormat) {
        let format = BodyFormat(of: Body(Array(text.utf8)))
        if case .html? = format, case .html = expected { return }
        #expect(format == expected)
    }

    @Test("UTF-16 is looked at as text", arguments: [true, false])
    func wide(isLittle: Bool) {
        let text = "<?xml version='1.0'?><rss>"
        let wide = text.utf8.flatMap { (byte: UInt8) -> [UInt8] in isLittle ? [byte, 0] : [0, byte] }
        let mark: [UInt8] = isLittle ? [0xFF, 0xFE] : [0xFE, 0xFF]
        #expect(BodyFormat(of: Body(wide)) == .feed(.rss))
        #expect(BodyFormat(of: Body(mark + wide)) == .feed(.rss))
    }
}
