/// Finds tokens that contain positions: a page cursor that hides a place in the list moves as the list does.
package enum TokenCount {
    /// A token that led to a page.
    package struct Token: Sendable, Hashable {
        package let text: String
        /// The number of elements before its page.
        package let before: Int
        /// The number of its page, from 1.
        package let page: Int

        package init(text: String, before: Int, page: Int) {
            self.text = text
            self.before = before
            self.page = page
        }
    }

    /// True if each of several tokens contains the place of its page, plainly or in base64: the number of items before
    /// it, the index of the last of them, or the number of the page, from 0 or 1.
    package static func hasPlaces(_ tokens: [Token]) -> Bool {
        guard !tokens.isEmpty else { return false }
        let numbers = tokens.map {
            Self.numbers(in: $0.text).union(Self.plainText(of: $0.text).map(Self.numbers(in:)) ?? [])
        }
        let places: [(Token) -> Int] = [\.before, { $0.before - 1 }, \.page, { $0.page - 1 }]
        return places.contains { place in zip(tokens, numbers).allSatisfy { $1.contains(place($0)) } }
    }

    /// The text that a token has in base64; nil if it is not base64 of UTF-8.
    private static func plainText(of token: String) -> String? {
        Base64.decodedFromEither(token).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// The whole numbers in a text.
    static func numbers(in text: String) -> Set<Int> {
        Set(text.split { !$0.isASCII || !$0.isNumber }.compactMap { Int($0) })
    }
}
