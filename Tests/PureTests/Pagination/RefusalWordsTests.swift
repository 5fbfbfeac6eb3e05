import Pagination
import Testing

@Suite("The words of a refusal")
struct RefusalWordsTests {
    @Test(
        "Words about the number of requests are a limit, however they are spelled",
        arguments: [
            "rate limit exceeded", "API rate-limit reached.", "rateLimitExceeded", "Too many requests!",
            "TooManyRequestsException", "Request was throttled.", "throttle_violation", "Daily quota exceeded",
            "Our standard API call frequency is 5 calls per minute", "api freq out of limit", "Request limit reached!",
            "You are being rate limited.", "ratelimited", "You exceeded your current quota",
            "The API rate limit was hit",
        ])
    func tooOften(text: String) {
        #expect(RefusalWords(text).sayTooOften && RefusalWords(text).sayTrouble)
    }

    @Test(
        "Words about trouble say that a list without items is no list",
        arguments: ["query timed out", "System busy", "Service temporarily unavailable", "Please try again later."])
    func trouble(text: String) {
        #expect(RefusalWords(text).sayTrouble && !RefusalWords(text).sayTooOften)
    }

    @Test(
        "Words about a cap say that there is more",
        arguments: [
            "Only the first 1000 search results are available", "Cannot page beyond 10000 results",
            "Result window is too large, from + size must be less than or equal to: [10000]",
            "In order to keep the API fast for everyone, pagination is limited for this resource.",
            "Maximum SOQL offset allowed is 2000", "Offset must be less than 10000", "'page' must be between 0 and 4",
            "You can only fetch 1000 hits",
        ])
    func cap(text: String) {
        #expect(RefusalWords(text).sayCap)
    }

    @Test(
        "Words about a page that is not there, or about none, say nothing of the kind",
        arguments: [
            "", "there is no page here", "Not Found", "Invalid page.", "That page contains no results", "no such page",
            "Page out of range", "First page", "404 page not found", "ok", "No transactions found", "Begrenzung é",
            "The route api/quotas could not be found",
            "ResourceQuota is invalid", "Quota remaining: 4998", "No error occurred",
            "parameter timeout is deprecated",
        ])
    func others(text: String) {
        #expect(!RefusalWords(text).sayTooOften && !RefusalWords(text).sayTrouble && !RefusalWords(text).sayCap)
    }
}
