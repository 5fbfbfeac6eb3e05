internal import CCurl

/// libcurl, which is opened when it is first needed: it takes longer than most commands that request nothing.
///
/// Whatever makes a handle of libcurl loads it first; what works on a handle need not ask.
///
/// - Isolation: any thread.
public enum CurlLibrary {
    /// Opens libcurl and initialises it, the first time; to find out early whether anything can be requested.
    ///
    /// - Throws: `HTTPError` of kind `missingLibrary`.
    public static func load() throws(HTTPError) {
        if let failure { throw failure }
    }

    /// Whether it is there; what its absence means was told before, when nothing could be requested.
    static var isLoaded: Bool { failure == nil }

    /// Why it cannot be used; found out once in the process.
    private static let failure: HTTPError? = {
        if let problem = ccurl_load() {
            return HTTPError(.missingLibrary, "libcurl cannot be loaded: \(String(cString: problem))")
        }
        let code = ccurl_global_init(Int(CURL_GLOBAL_DEFAULT))
        guard code == CURLE_OK else {
            return HTTPError(
                .missingLibrary, "libcurl cannot be initialised", code: TransferFailure.number(code))
        }
        return nil
    }()
}
