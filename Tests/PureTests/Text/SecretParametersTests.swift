import Testing
import Text

@Suite("Parameters of URLs within a text")
struct SecretParametersTests {
    @Test(
        "Parameters with names of secrets are masked, whatever is around them",
        arguments: [
            ("<https://a/?api_key=1&page=2>; rel=\"next\"", "<https://a/?api_key=***&page=2>; rel=\"next\""),
            ("https://a/?page=2&sig=abc#top", "https://a/?page=2&sig=***#top"),
            ("/x?access_token=", "/x?access_token=***"),
            ("a=1, see https://b/?token=x, and ?token=y", "a=1, see https://b/?token=***, and ?token=***"),
            ("max-age=60", "max-age=60"), ("/x?cursor=abc==&sort_key=b", "/x?cursor=abc==&sort_key=b"),
            ("?a=b?password=c d", "?a=b?password=*** d"), ("no parameters?", "no parameters?"), ("", ""),
        ])
    func masked(text: String, expected: String) { #expect(SecretParameters.masked(in: text) == expected) }
}
