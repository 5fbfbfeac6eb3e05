internal import CCurl
internal import Platform
internal import Text
internal import Time

/// Owns one `CURL`, the settings of one transfer; reused, and used only on the thread of the loop.
final class EasyHandle {
    let pointer: UnsafeMutableRawPointer
    private let errorText: UnsafeMutablePointer<CChar>
    private var headerList: UnsafeMutablePointer<curl_slist>?
    private var timeouts = Timeouts()
    private var timeLeft = Duration.zero

    init?() {
        guard let pointer = ccurl_easy_init() else { return nil }
        self.pointer = pointer
        errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        ccurl_easy_cleanup(pointer)
        ccurl_slist_free_all(headerList)
        errorText.deallocate()
    }

    /// libcurl's own text for the error, empty if it had none.
    var detail: String { String(cString: errorText) }

    /// The status of the last response, 0 before there is one.
    var status: Int { number(CURLINFO_RESPONSE_CODE) }

    /// A number of the kind `long`; 0 if libcurl does not know it.
    private func number(_ info: CURLINFO) -> Int {
        var value = 0
        return ccurl_easy_get_long(pointer, info, &value) == CURLE_OK ? value : 0
    }

    /// A number about the transfer; 0 if libcurl does not know it.
    func figure(_ info: CURLINFO) -> Int {
        var value: curl_off_t = 0
        return ccurl_easy_get_offset(pointer, info, &value) == CURLE_OK ? Int(max(value, 0)) : 0
    }

    /// The header lines received, in bytes.
    var headerByteCount: Int { max(number(CURLINFO_HEADER_SIZE), 0) }

    /// The protocol of the last response: `HTTP/1.1`.
    var version: String {
        switch number(CURLINFO_HTTP_VERSION) {
        case Int(CURL_HTTP_VERSION_1_0): "HTTP/1.0"
        case Int(CURL_HTTP_VERSION_1_1): "HTTP/1.1"
        case Int(CURL_HTTP_VERSION_2_0): "HTTP/2"
        case Int(CURL_HTTP_VERSION_3): "HTTP/3"
        default: "HTTP"
        }
    }

    /// The address that was connected to; nil without a connection.
    var address: String? {
        var text: UnsafeMutablePointer<CChar>?
        guard ccurl_easy_get_string(pointer, CURLINFO_PRIMARY_IP, &text) == CURLE_OK, let text, text.pointee != 0
        else { return nil }
        return String(cString: text)
    }

    /// True if the transfer made a new connection.
    var isOnNewConnection: Bool { number(CURLINFO_NUM_CONNECTS) > 0 }

    /// Resets the handle to libcurl's defaults, then sets the options for the next hop of `transfer`.
    ///
    /// - Throws: the first setting that libcurl refused.
    func prepare(
        for transfer: Transfer, configuration: ClientConfiguration, timeLeft: Duration
    ) throws(SettingFailure) {
        ccurl_easy_reset(pointer)
        errorText[0] = 0
        try set(hopOf: transfer.route)
        if transfer.request.addresses.restricts(transfer.route.url.origin) { try restrict(transfer) }
        try set(configuration, transfer.route.connection)
        try set(transfer.request.timeouts, timeLeft)
        try set(receiver: transfer)
    }

    private func set(hopOf route: Route) throws(SettingFailure) {
        ccurl_slist_free_all(headerList)
        headerList = nil
        let headers = route.signedHeaders(at: WallClock.system.seconds)
        var lines = headers.fields.map { field in
            // "Name:" would remove a header; an empty value is written "Name;".
            // https://curl.se/libcurl/c/CURLOPT_HTTPHEADER.html
            field.value.isEmpty ? "\(field.name);" : "\(field.name): \(field.value)"
        }
        // libcurl's own choices for a POST: a form's media type, and a round trip to ask whether the body is welcome.
        for name in ["Content-Type", "Expect"] where headers[name] == nil { lines.append("\(name):") }
        // `ContentDecoder` removes the codings: libcurl does not distinguish a truncated body from a complete one.
        if headers["Accept-Encoding"] == nil { lines.append("Accept-Encoding: \(ContentDecoder.accepted)") }
        for line in lines {
            guard let longer = ccurl_slist_append(headerList, line) else {
                throw SettingFailure(code: CURLE_OUT_OF_MEMORY)
            }
            headerList = longer
        }
        try set(CURLOPT_URL, route.outgoingURL.text)
        if let proxy = route.connection.proxy {
            try set(CURLOPT_PROXY, proxy)
            // Or `no_proxy` would still count.
            try set(CURLOPT_NOPROXY, "")
        } else if route.url.origin.isLoopback {
            // A proxy of the environment has no business with this machine's own requests, nor with their credentials.
            try set(CURLOPT_PROXY, "")
        }
        try set(CURLOPT_HTTPHEADER, pointer: headerList)
        if let account = route.account { try set(account.user, account.password, account.scheme) }
        switch (route.method, route.body) {
        case ("HEAD", _): try set(CURLOPT_NOBODY, 1)
        case ("GET", nil): try set(CURLOPT_HTTPGET, 1)
        case (let method, let body):
            if let body { try set(body: body) }
            try set(CURLOPT_CUSTOMREQUEST, method)
        }
    }

    private func set(
        _ user: String, _ password: String, _ scheme: Credential.Scheme
    ) throws(SettingFailure) {
        try set(CURLOPT_USERNAME, user)
        try set(CURLOPT_PASSWORD, password)
        switch scheme {
        case .digest: try set(CURLOPT_HTTPAUTH, ccurl_auth_digest)
        case .negotiate: try set(CURLOPT_HTTPAUTH, ccurl_auth_negotiate)
        }
    }

    /// Looks at each address before it is connected to.
    private func restrict(_ transfer: Transfer) throws(SettingFailure) {
        // A connection that was already open was made for another request.
        try set(CURLOPT_FRESH_CONNECT, 1)
        try set(CURLOPT_FORBID_REUSE, 1)
        try set(CURLOPT_PROXY, "")
        // Unretained: the loop keeps the transfer for as long as the handle is in the multi handle.
        let context = Unmanaged.passUnretained(transfer).toOpaque()
        try check(ccurl_easy_set_open_socket(pointer, openPublicSocket, context))
    }

    private func set(body: [UInt8]) throws(SettingFailure) {
        try set(CURLOPT_POST, 1)
        // The size first: COPYPOSTFIELDS copies that many bytes.
        try check(ccurl_easy_set_offset(pointer, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)))
        let code = body.withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress, !bytes.isEmpty else {
                return ccurl_easy_set_string(pointer, CURLOPT_COPYPOSTFIELDS, "")
            }
            return ccurl_easy_set_pointer(pointer, CURLOPT_COPYPOSTFIELDS, UnsafeMutableRawPointer(mutating: start))
        }
        try check(code)
    }

    private func set(
        _ configuration: ClientConfiguration, _ connection: ConnectionOptions
    ) throws(SettingFailure) {
        try set(CURLOPT_USERAGENT, connection.userAgent ?? configuration.userAgent)
        if let caFile = connection.caFile ?? configuration.caFile {
            try set(CURLOPT_CAINFO, caFile)
            try set(CURLOPT_PROXY_CAINFO, caFile)
        }
        if let certificate = connection.clientCertificate {
            try set(CURLOPT_SSLCERT, certificate.file)
            try set(CURLOPT_SSLKEY, certificate.keyFile ?? certificate.file)
            if let password = certificate.password { try set(CURLOPT_KEYPASSWD, password) }
        }
        try check(ccurl_easy_set_web_protocols(pointer))
        try set(CURLOPT_FOLLOWLOCATION, 0)
        try set(CURLOPT_SSL_VERIFYPEER, 1)
        try set(CURLOPT_SSL_VERIFYHOST, 2)
        try set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS))
        try set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        try set(CURLOPT_TCP_NODELAY, 1)
        try set(CURLOPT_TCP_KEEPALIVE, 1)
        try set(CURLOPT_NOSIGNAL, 1)
        // Without it, cancelling while a name is being resolved waits for the resolver.
        try check(ccurl_easy_set_quick_exit(pointer))
        try set(CURLOPT_BUFFERSIZE, 512 << 10)
    }

    /// Adds a time to the time-outs of the transfer that is under way.
    func allow(for delay: Duration) {
        var timeouts = timeouts
        timeouts.connect += delay
        timeouts.stall += delay
        // libcurl reads them whenever it is called. A setting that was taken once is not refused.
        try? set(timeouts, timeLeft + delay)
    }

    private func set(_ timeouts: Timeouts, _ timeLeft: Duration) throws(SettingFailure) {
        self.timeouts = timeouts
        self.timeLeft = timeLeft
        try set(CURLOPT_CONNECTTIMEOUT_MS, timeouts.connect.curlMilliseconds)
        try set(CURLOPT_TIMEOUT_MS, timeLeft.curlMilliseconds)
        try set(CURLOPT_LOW_SPEED_LIMIT, 1)
        try set(CURLOPT_LOW_SPEED_TIME, timeouts.stall.curlSeconds)
    }

    private func set(receiver transfer: Transfer) throws(SettingFailure) {
        // Unretained: the loop keeps the transfer for as long as the handle is in the multi handle.
        let context = Unmanaged.passUnretained(transfer).toOpaque()
        try set(CURLOPT_ERRORBUFFER, pointer: errorText)
        try set(CURLOPT_HEADERDATA, pointer: context)
        try set(CURLOPT_WRITEDATA, pointer: context)
        try check(ccurl_easy_set_receiver(pointer, CURLOPT_HEADERFUNCTION, receiveHeaderLine))
        try check(ccurl_easy_set_receiver(pointer, CURLOPT_WRITEFUNCTION, receiveBody))
        if transfer.record != nil { try check(ccurl_easy_set_debug(pointer, receiveDebug, context)) }
    }

    private func set(_ option: CURLoption, _ value: Int) throws(SettingFailure) {
        try check(ccurl_easy_set_long(pointer, option, value))
    }

    private func set(_ option: CURLoption, _ value: String) throws(SettingFailure) {
        try check(ccurl_easy_set_string(pointer, option, value))
    }

    private func set(_ option: CURLoption, pointer value: UnsafeMutableRawPointer?) throws(SettingFailure) {
        try check(ccurl_easy_set_pointer(pointer, option, value))
    }

    private func check(_ code: CURLcode) throws(SettingFailure) {
        if code != CURLE_OK { throw SettingFailure(code: code) }
    }
}

/// A setting that libcurl refused, such as one it was built without.
struct SettingFailure: Error {
    let code: CURLcode
}

/// Source: https://curl.se/libcurl/c/CURLOPT_OPENSOCKETFUNCTION.html
private func openPublicSocket(
    context: UnsafeMutableRawPointer?, purpose: curlsocktype, address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let context, let address else { return -1 }
    let found = SocketAddress(&address.pointee.addr)
    guard let found, found.isPublic, !found.isOfOwnNetwork else {
        Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().refuse(found)
        return -1
    }
    return platform_socket(address.pointee.family, address.pointee.socktype, address.pointee.protocol, 1)
}

private func receiveHeaderLine(
    bytes: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
    guard let context else { return 0 }
    let line = UnsafeRawBufferPointer(start: bytes, count: size &* count)
    return Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().receive(headerLine: line) ? line.count : 0
}

private func receiveBody(
    bytes: UnsafeMutablePointer<CChar>?, size: Int, count: Int, context: UnsafeMutableRawPointer?
) -> Int {
    guard let context else { return 0 }
    let block = UnsafeRawBufferPointer(start: bytes, count: size &* count)
    return Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().receive(body: block) ? block.count : 0
}

private func receiveDebug(
    easy: UnsafeMutableRawPointer?, type: curl_infotype, bytes: UnsafeMutablePointer<CChar>?, count: Int,
    context: UnsafeMutableRawPointer?
) -> Int32 {
    guard type == CURLINFO_HEADER_OUT, let context else { return 0 }
    let head = UnsafeRawBufferPointer(start: bytes, count: count)
    Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().record?.receive(sentHead: head)
    return 0
}
