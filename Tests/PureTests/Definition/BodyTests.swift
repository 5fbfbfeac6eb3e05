import Feeds
import Testing

@Suite("The body of a request")
struct BodyTests {
    private func feed(_ members: String) throws -> FeedDefinition {
        try FeedDefinition.parse(
            name: "x", yaml: "url: https://a.example\nkey: id\ncolumns: {id: id}\n\(members)", file: "f.yaml")
    }

    @Test(
        "A fault in the body of a request is reported at its place",
        arguments: [
            ("body: {a: 1}", "f.yaml:4:7: `body` of feed `x` needs `method: POST`"),
            ("method: GET\nbody: {a: 1}", "f.yaml:5:7: `body` of feed `x` needs `method: POST`"),
            (
                "method: post",
                "f.yaml:4:9: unknown value `post` of `method` in feed `x`, which can be `GET`, `POST`, `REPORT` or `PROPFIND`"
            ),
            ("method: POST\nbody: [1]", "f.yaml:5:7: `body` of feed `x` must be a mapping, or text, not a list"),
            (
                "method: POST\nbody: {a: [007]}",
                "f.yaml:5:12: `a` of `body` of feed `x` is not a number as JSON writes one; put it in quotes if it is text"
            ),
            (
                "method: POST\nbody: {a: {b: 0x1F}}",
                "f.yaml:5:15: `b` of `a` of `body` of feed `x` is not a number as JSON writes one; put it in quotes if it is text"
            ),
            (
                "method: POST\nbody: {a: '${'}",
                "f.yaml:5:12: in `a` of `body` of feed `x`: `${` is not closed; a literal `${` is written `$${`"
            ),
            (
                "method: POST\nbody: {variables: 5}\npagination: {style: page, param: variables.page}",
                "f.yaml:5:7: `body` of feed `x` cannot hold `variables.page`, which its pagination sets: a part of that path is not a mapping"
            ),
            (
                "method: REPORT\nbody: <a/>\npagination: {style: cursor, param: place, next: place}",
                "f.yaml:5:7: `body` of feed `x` has no place for `place`: put `{place}` where its value goes"
            ),
            (
                "method: REPORT\nbody: <a/>\nsync: {mode: delta, token: a, param: token}",
                "f.yaml:5:7: `body` of feed `x` has no place for `token`: put `{token}` where its value goes"
            ),
            (
                "method: POST\npagination: {style: page, param: 'a[0]'}",
                "f.yaml:5:13: `pagination` of feed `x` has a `param` that is not a member of its `body`: give a path of names such as `variables.after`"
            ),
        ])
    func diagnostics(members: String, expected: String) {
        let error = #expect(throws: ConfigurationError.self) { try feed(members) }
        #expect(error?.description.hasPrefix(expected) == true, "\(error?.description ?? "")")
    }

    @Test("A body may have a first value of the paging parameter; a query may not")
    func firstValue() throws {
        #expect(try feed("method: POST\nbody: {page: 7}\npagination: page").body != nil)
        #expect(throws: ConfigurationError.self) { try feed("query: {page: 7}\npagination: page") }
        // Of a POST it is the body that has the parameter.
        #expect(try feed("method: POST\nquery: {page: 7}\npagination: page").query.count == 1)
    }

    @Test("The body is part of the canonical text, in any order of its members, and without its credentials")
    func canonical() throws {
        let text = { (members: String) in try feed(members).canonicalText(salt: "salt") }
        let plain = try text("")
        let body = try text("method: POST\nbody: {a: 1, b: '${B}', password: s3cret}")
        #expect(plain != (try text("method: POST")))
        #expect(try text("method: POST") != body)
        #expect(try text("method: POST\nbody: {password: s3cret, b: '${B}', a: 1}") == body)
        #expect(try text("method: POST\nbody: {a: 2, b: '${B}', password: s3cret}") != body)
        #expect(try text("method: POST\nbody: {a: 1, b: '${B}', password: other}") != body)
        #expect(!body.contains("s3cret"))
        #expect(body.contains(#"body={"a":1,"b":"${B}","password":"#))
        #expect(plain == (try text("method: GET")))
        #expect(try text("method: REPORT\nbody: <a/>") != text("method: PROPFIND\nbody: <a/>"))
    }
}
