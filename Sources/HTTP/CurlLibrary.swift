internal import CCurl

/// libcurl, opened when it is first needed: opening it takes longer than most commands that request nothing.
///
/// Code that creates a libcurl handle loads it first; code that uses a handle need not check.
///
/// - Isolation: any thread.
package enum CurlLibrary {
    /// Opens and initialises libcurl, the first time; call it to know early whether requests are possible.
    ///
    /// - Throws: `HTTPError` of kind `missingLibrary`.
    package static func load() throws(HTTPError) {
        if let failure { throw failure }
    }

    /// The versions of libcurl and its libraries, in its own words: `libcurl/7.88.1 OpenSSL/3.0.11 …`.
    ///
    /// - Throws: `HTTPError` of kind `missingLibrary`.
    package static func version() throws(HTTPError) -> String {
        try load()
        return String(cString: ccurl_version())
    }

    /// True if the library is loaded. If it is missing, the first request has reported it.
    static var isLoaded: Bool { failure == nil }

    /// The reason for which libcurl cannot be used, found once per process.
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
