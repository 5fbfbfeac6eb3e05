import Feeds
import Testing

@Suite("An error on a feed")
struct FeedSyncErrorTests {
    @Test("An error quotes at most 200 characters of a word, and reads back unchanged")
    func longWords() {
        let long = String(repeating: "ö", count: 1_000_000)
        let error = FeedSyncError(
            .unfollowable, "the page cursor `\(long)` came again", advice: long, url: "https://a/?c=\(long)")
        #expect(error.message == "the page cursor `\(String(repeating: "ö", count: 199))… came again")
        #expect(error.advice?.unicodeScalars.count == 201)
        #expect(error.url?.unicodeScalars.count == 201)
        #expect(FeedSyncError(.unfollowable, error.message).message == error.message)
    }

    @Test("An error of many words has a bounded message, too")
    func manyWords() {
        let message = FeedSyncError(.rejected, String(repeating: "word ", count: 1_000_000)).message
        #expect(message.unicodeScalars.count == 4_001)
    }
}
