import Testing
import Text

@Suite("A form") struct FormEncodingTests {
    @Test(
        "A form is encoded as by browsers",
        arguments: [
            ("aZ09*-._", "aZ09*-._"), ("a b+c", "a+b%2Bc"), ("~&=%:/", "%7E%26%3D%25%3A%2F"), ("é", "%C3%A9"), ("", ""),
        ])
    func encoded(text: String, form: String) {
        #expect(FormEncoding.encoded(text) == form)
        #expect(
            String(
                decoding: FormEncoding.body([(name: text, value: text), (name: "n", value: "")]),
                as: UTF8.self)
                == "\(form)=\(form)&n=")
    }
}
