internal import CCurl

/// Reads libcurl's result of one transfer.
///
/// Source: https://curl.se/libcurl/c/libcurl-errors.html
enum TransferFailure {
    /// The number of a code in libcurl's documentation.
    static func number(_ code: CURLcode) -> Int32 { Int32(truncatingIfNeeded: code.rawValue) }

    /// The kind of a transfer's failure; `hasResponse` says whether a status line came, `detail` is libcurl's text.
    static func kind(of code: CURLcode, hasResponse: Bool, detail: String) -> HTTPError.Kind {
        switch code {
        case CURLE_URL_MALFORMAT: .invalidURL
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .resolve
        case CURLE_COULDNT_CONNECT, CURLE_PROXY: .connect
        case CURLE_SSL_CONNECT_ERROR: .handshake
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM,
            CURLE_SSL_CIPHER, CURLE_SSL_CRL_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_ENGINE_NOTFOUND,
            CURLE_SSL_ENGINE_SETFAILED, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_PINNEDPUBKEYNOTMATCH,
            CURLE_SSL_INVALIDCERTSTATUS, CURLE_SSL_CLIENTCERT, CURLE_SSL_SHUTDOWN_FAILED, CURLE_USE_SSL_FAILED:
            .tls
        // libcurl has one number for all its time-outs; only the text identifies a slow transfer.
        case CURLE_OPERATION_TIMEDOUT: detail.hasPrefix("Operation too slow") ? .stalled : .timeout
        case CURLE_PARTIAL_FILE: .truncated
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING: hasResponse ? .truncated : .connectionLost
        case CURLE_FILESIZE_EXCEEDED: .tooLarge
        // The schemes we accept are supported: libcurl means an answer without a status line, HTTP/0.9.
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_HTTP2, CURLE_HTTP2_STREAM, CURLE_HTTP3,
            CURLE_CHUNK_FAILED, CURLE_RANGE_ERROR:
            .protocolError
        case CURLE_BAD_CONTENT_ENCODING: .contentCoding
        // CURLE_TOO_LARGE, which Debian 12's headers lack: a header that is too long, or too many of them.
        case let code where number(code) == 100: .tooLarge
        default: .other(code: number(code))
        }
    }

    /// libcurl's text for a code.
    static func text(for code: CURLcode) -> String {
        guard CurlLibrary.isLoaded, let text = ccurl_easy_strerror(code) else {
            return "libcurl error \(code.rawValue)"
        }
        return String(cString: text)
    }
}
