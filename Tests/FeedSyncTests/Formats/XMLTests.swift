import Foundation
import HTTP
import TemporaryFolder
import Testing

@testable import BodyFormats
@testable import Feeds

@Suite("A document in XML")
struct XMLTests {
    private func bench(_ items: String?) throws -> BodyBench {
        BodyBench(format: .xml, items: try items.map { ItemsRule(path: try Path($0)) })
    }

    @Test(
        "A document becomes JSON with the names of its elements",
        arguments: [
            ("<a>x</a>", nil, #"{"a":"x"}"#), ("<a/>", nil, #"{"a":null}"#),
            ("<a b='1'>x</a>", nil, ##"{"a":{"@b":"1","#text":"x"}}"##),
            ("<a b='1'/>", nil, ##"{"a":{"@b":"1"}}"##),
            ("<a>\n <b>1</b>\n <c>007</c> <b> 2 </b>\n</a>", nil, #"{"a":{"b":["1"," 2 "],"c":"007"}}"#),
            ("<a>some <b>bold</b> text</a>", nil, ##"{"a":{"b":"bold","#text":"some  text"}}"##),
            ("<a xmlns:x='urn:1' x:c='2'><x:b>1</x:b></a>", nil, ##"{"a":{"@c":"2","b":"1"}}"##),
            (
                "<a xmlns:i='http://www.w3.org/2001/XMLSchema-instance'><b i:nil='true'/><c><![CDATA[<&>]]></c></a>",
                nil,
                #"{"a":{"b":null,"c":"<&>"}}"#
            ),
            ("<a><b>&eacute;&CounterClockwiseContourIntegral;&nobody;</b></a>", nil, #"{"a":{"b":"é∳&nobody;"}}"#),
            ("<l><t>T</t><i><k>1</k></i></l>", "l.i", #"{"l":{"i":[{"k":"1"}],"t":"T"}}"#),
            ("<l><i><k>1</k></i><t>T</t><i><k>2</k></i></l>", "l.i", #"{"l":{"i":[{"k":"1"},{"k":"2"}],"t":"T"}}"#),
            ("<l><t>T</t></l>", "l.i", #"{"l":{"i":[],"t":"T"}}"#),
            (
                "<s><b><l n='2'><i>1</i></l><l><i>2</i></l></b><h>H</h></s>", "s.b.l.i",
                #"{"s":{"b":{"l":{"i":["1","2"],"@n":"2"}},"h":"H"}}"#
            ),
            // Without the element that they are in, nothing says that there are no items.
            ("<s><error>no</error></s>", "s.l.i", #"{"s":{"error":"no"}}"#),
            ("<s><l><i>1</i></l><i>2</i></s>", "s.l.i", #"{"s":{"l":{"i":["1"]},"i":"2"}}"#),
        ])
    func reads(_ text: String, _ items: String?, _ json: String) throws {
        #expect(try bench(items).json(text) == json)
    }

    @Test("Elements that a column's path takes for a list are one, however many there are")
    func listsOfColumns() throws {
        let columns = ["p[status=x].prop.etag", "a.b[0]", "t"].map { try? Path($0) }.compactMap(\.self).map {
            ColumnDefinition(name: $0.columnName, path: $0)
        }
        let text =
            "<l><i><p><status>x</status></p><a><b>1</b><c>2</c></a><t>3</t></i><i><p/><p/></i><i><b>4</b></i></l>"
        let reader = BodyReader(.xml, items: ItemsRule(path: try Path("l.i")), columns: columns)
        let read = try reader.read(try bench("l.i").response(Array(text.utf8)))
        #expect(
            try read.map { try JSONValue(parsing: $0.body.bytes).json }
                == #"{"l":{"i":[{"p":[{"status":"x"}],"a":{"b":["1"],"c":"2"},"t":"3"},{"p":[null,null]},{"b":"4"}]}}"#)
    }

    @Test(
        "A document that is something else is refused, with the place",
        arguments: [
            ("<Error><Code>Busy</Code></Error>", "in line 1: it begins with `<Error>`, and not with `<l>`"),
            ("<l>\n<i>", "in line 2, column 4: the document is cut off"),
            ("<l>\n<i>a & b</i></l>", "in line 2, column 7: not well-formed"), ("<html><body>", "it is HTML"),
            ("{}", "in line 1, column 1: not well-formed"),
            (String(repeating: "<a>", count: 201), "elements are nested more than 200 deep"),
            (
                "<!DOCTYPE l [<!ENTITY a \"ha\"><!ENTITY b \"&a;&a;\">]><l>&b;</l>",
                "the entity `&b;` is made of other entities"
            ),
            (
                "<!DOCTYPE l [<!ENTITY a SYSTEM \"file:///etc/passwd\">]><l><i>&a;</i></l>",
                "it refers to an external entity, and none is loaded"
            ),
        ])
    func refuses(_ text: String, _ problem: String) throws {
        let message = try bench("l.i").failure(text)
        #expect(message?.contains(problem) == true, "\(message ?? "nothing")")
    }

    @Test("Many items take the memory of one, and more than fit into JSON's limit are an error")
    func many() throws {
        let items = String(repeating: "<i><k>1</k></i>", count: 300_000)
        let json = try bench("l.i").json("<l>\(items)</l>")
        #expect(json?.utf8.count == 3_000_013)
        #expect(try bench(nil).failure("<l>\(items)</l>")?.contains("more than 200000 elements") == true)
    }
}

@Suite("A web feed with mistakes in its XML")
struct MendedFeedTests {
    @Test(
        "A character that XML does not allow, or an `&` that begins nothing, costs no feed",
        arguments: [
            ("a\u{B}b\u{1F}c", "abc"), ("AT&T & more", "AT&T & more"), ("a&#x1F;b&#0;c", "a\u{FFFD}b\u{FFFD}c"),
            ("&#1114112;&#xD800;", "\u{FFFD}\u{FFFD}"),
            ("&foo; &eacute; &amp; &#233; &NotEqualTilde;", "&foo; é & é ≂̸"),
            ("<![CDATA[a & b\u{1} ]]>&c", "a & b &c"), ("<!-- & \u{1} -->&&", "&&"), ("&a b; &1; &;", "&a b; &1; &;"),
        ])
    func mended(_ written: String, _ title: String) throws {
        let json = try BodyBench(format: .rss).json(
            "<?xml version='1.0'?>\n<rss><channel><item><guid>1</guid><title>\(written)</title></item></channel></rss>")
        #expect(json?.contains("\"title\":\(JSONText.string(title))") == true, "\(json ?? "")")
    }

    @Test("A feed that is broken otherwise, too, is refused at the place of its first mistake")
    func broken() throws {
        let message = try BodyBench(format: .rss).failure("<rss><channel>\n<title>a & b</titel></channel></rss>")
        #expect(message?.contains("in line 2, column 11: not well-formed") == true, "\(message ?? "")")
    }
}

@Suite("A body that is a compressed file, or of another encoding")
struct FileBodyTests {
    /// `{"id":1}` or the like as a program compresses it.
    private func compressed(_ command: String, _ text: String = #"[{"id":1,"name":"ü"}]"#) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        try text.write(to: URL(filePath: folder.file("things.json")), atomically: true, encoding: .utf8)
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", command]
        process.currentDirectoryURL = URL(filePath: folder.path)
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
        return Array(try Data(contentsOf: URL(filePath: folder.file("out"))))
    }

    private static let zip = """
        python3 -c 'import zipfile; z = zipfile.ZipFile("out", "w", zipfile.ZIP_DEFLATED); z.mkdir("d"); \
        z.write("things.json")'
        """

    @Test(
        "A file of gzip or zip is taken for what is in it", arguments: ["gzip -c things.json >out", FileBodyTests.zip])
    func files(command: String) throws {
        let bytes = try compressed(command)
        let bench = BodyBench(type: "application/octet-stream")
        #expect(try bench.json(bytes) == #"[{"id":1,"name":"ü"}]"#)
        #expect(try bench.json(try compressed(command, "id,name\n7,x\n")) == #"[{"id":"7","name":"x"}]"#)
        for count in [20, bytes.count - 1, bytes.count / 2] {
            #expect(try BodyBench().failure(Array(bytes.prefix(count)))?.contains("damaged") == true)
        }
        var broken = bytes
        broken[bytes.count - 6] ^= 0x55
        #expect(try BodyBench().failure(broken) != nil)
    }

    @Test("A zip file of several files, or with a password, is refused")
    func several() throws {
        let two = Self.zip.replacing(#"z.mkdir("d")"#, with: #"z.writestr("b", "2")"#)
        #expect(try BodyBench().failure(try compressed(two))?.contains("the zip file has 2 files") == true)
        var locked = try compressed(Self.zip.replacing(#"z.mkdir("d"); "#, with: ""))
        let directory = try #require(locked.firstRange(of: [0x50, 0x4B, 0x01, 0x02])).lowerBound
        locked[directory + 8] |= 1
        #expect(try BodyBench().failure(locked)?.contains("the zip file has a password") == true)
    }

    @Test("JSON of another encoding is read by its charset; UTF-8 stays whatever its header says, apart from a mark")
    func charsets() throws {
        let text = #"[{"name":"grün"}]"#
        let wide = text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        #expect(try BodyBench(type: "application/json; charset=utf-16le").json(wide) == text)
        #expect(try BodyBench(type: "application/json").json(wide) == text)
        #expect(try BodyBench(type: "application/json").json([0xFF, 0xFE] + wide) == text)
        let latin = text.unicodeScalars.map { UInt8($0.value) }
        #expect(try BodyBench(type: "application/json; charset=iso-8859-1").json(latin) == text)
        #expect(try BodyBench(type: "application/json; charset=iso-8859-1").json(text) == nil)
        #expect(try BodyBench(type: "application/json; charset=utf-8").json(text) == nil)
        #expect(try BodyBench(type: "application/json").json("\u{FEFF}" + text) == text)
    }
}
