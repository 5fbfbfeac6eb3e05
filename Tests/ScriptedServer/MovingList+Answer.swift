internal import Foundation
package import HTTPServer
internal import Platform

extension MovingList {
    /// Answers one request, and moves before it does.
    package mutating func answer(_ request: ServerRequest) -> ServerResponse {
        let before = listed
        if isMoving { move() }
        var response = page(request)
        let body = compresses ? response.body.dropFirst(15).dropLast(8) : response.body[...]
        let text = response.status == 200 ? String(decoding: body, as: UTF8.self) : ""
        if isMoving, random(0...11) == 0 { response = fault(in: response) }
        let query = request.query.map { "\($0.name)=\($0.value)" }.joined(separator: "&")
        let after = before == listed ? "" : " => \(listed.joined(separator: " "))"
        note("  \(query) -> \(response.status) \(text)    list: \(before.joined(separator: " "))\(after)")
        return response
    }

    /// The members of a definition that this list needs.
    package var definition: String {
        let rule =
            switch mode {
            case .since:
                "{mode: since, param: since, from: at\(mark == .serial ? "" : ", overlap: 1s")}"
            default: "{mode: \(mode.rawValue)}"
            }
        return """
            items: items
            key: id
            \(grows ? "" : "columns: {id: id, value: value, at: at}")
            responses: [{status: 404, do: fail}]
            pagination: \(pagination)
            sync: \(rule)\(partitionedDefinition)
            """
    }

    private var pagination: String {
        let members = (hasTotals ? ", total: total" : "") + (prefetch > 1 ? ", prefetch: \(prefetch)" : "")
        return switch style {
        case .page: "{style: page\(members)}"
        case .offset: "{style: offset\(hasLimit ? ", limit_param: limit, limit: \(perPage)" : "")\(members)}"
        case .link: "link"
        case .nextURL: "{style: next_url, next: next}"
        case .cursor, .token: "{style: cursor, param: after, next: next}"
        case .keyset: "{style: keyset, param: after, from: id}"
        }
    }

    private func page(_ request: ServerRequest) -> ServerResponse {
        var list = ordered
        if let parts {
            guard let range = parts.range(request) else { return .json(#"{"message":"which part?"}"#, status: 400) }
            list = list.filter { range.contains($0.part) }
        }
        let since = request.parameter("since")
        if let since {
            guard let border = mark.value(of: since) else { return .json(#"{"message":"since what?"}"#, status: 400) }
            list = list.filter { item in
                let value = mark == .serial ? item.serial : item.at
                return value > border || (includesBorder && value == border)
            }
        }
        let total = list.count
        if style.goesByID, let after = request.parameter("after").flatMap({ Int($0) }) {
            list = list.filter { $0.id < after }
        }
        let start =
            switch style {
            case .page, .link, .nextURL: ((Int(request.parameter("page") ?? "") ?? 1) - 1) * perPage
            case .offset: Int(request.parameter("offset") ?? "") ?? 0
            case .token: request.parameter("after").map { Int($0.dropFirst()) ?? .max } ?? 0
            case .cursor, .keyset: 0
            }
        if isMoving, let failsFrom, start >= failsFrom { return .json("{}", status: 500) }
        let wanted = hasLimit ? request.parameter("limit").flatMap { Int($0) } ?? perPage : perPage
        let count = givesMore ? wanted : min(wanted, perPage)
        if let parts, !style.goesByID {
            guard start < parts.cap || !parts.refuses else {
                return .json(#"{"message":"only the first ones are served"}"#, status: 422)
            }
            list = Array(list.prefix(parts.cap))
        }
        let page = Array(list.dropFirst(start).prefix(count))
        var headers = [(name: "Date", value: date)]
        var members = hasTotals ? "\"total\":\(total)," : ""
        if start < list.count, list.count - start > count {
            let query = ["since", "q"].compactMap { name in
                request.parameter(name)?.addingPercentEncoding(withAllowedCharacters: .alphanumerics)
                    .map { "&\(name)=\($0)" }
            }
            let next = "/things?page=\(start / perPage + 2)\(query.joined())"
            switch style {
            case .link: headers.append((name: "Link", value: "<\(next)>; rel=\"next\""))
            case .nextURL: members += "\"next\":\"\(next)\","
            case .cursor: members += page.last.map { "\"next\":\"\($0.id)\"," } ?? ""
            case .token: members += "\"next\":\"o\(start + count)\","
            default: break
            }
        }
        let elements = page.map { item in
            let own = grows && Self.valuesWithMember.contains(item.value) ? #","m\#(item.value)":\#(item.id)"# : ""
            return item.isNull
                ? hasBroken ? #"{"at":\#(mark.json(item)),"part":\#(item.part)}"# : "null"
                : #"{"id":\#(item.id),"value":\#(item.value),"at":\#(mark.json(item)),"part":\#(item.part)\#(own)}"#
        }
        return response("{\(members)\"items\":[\(elements.joined(separator: ","))]}", headers, to: request)
    }

    private func response(
        _ body: String, _ headers: [(name: String, value: String)], to request: ServerRequest
    ) -> ServerResponse {
        var headers = headers
        if sendsETag {
            let text = body + headers.dropFirst().map(\.value).joined()
            let tag = "\"\(text.utf8.reduce(5381 as UInt64) { $0 &* 33 &+ UInt64($1) })\""
            headers.append((name: "ETag", value: tag))
            if request.header("If-None-Match") == tag { return .status(304, headers: headers) }
        }
        guard compresses else { return .json(body, headers: headers) }
        return ServerResponse(
            headers: headers + [(name: "Content-Encoding", value: "gzip")], body: gzip(Array(body.utf8)))
    }

    private mutating func fault(in response: ServerResponse) -> ServerResponse {
        var response = response
        switch random(0...(stall == nil ? 8 : 9)) {
        case 0: return .json("{}", status: 500)
        case 1: return .status(503)
        case 2: return .json("{}", status: 404)
        case 3: return .json("{}")
        case 4 where mayLimit: return .status(429, headers: [(name: "Retry-After", value: "\(random(0...1))")])
        case 5, 4: response.delivery = .reset
        case 6: response.delivery = .truncated(after: response.body.count / 2)
        case 7, 8:
            guard response.status == 200 else { return .status(502) }
            if !compresses { response.body = gzip(response.body) }
            response.headers.removeAll { $0.name == "Content-Encoding" }
            response.headers.append((name: "Content-Encoding", value: "gzip"))
            response.body.removeLast(random(1...(response.body.count - 1)))
        default:
            if let stall { response.delivery = .paused(after: response.body.count / 2, wait: stall) }
        }
        return response
    }

    /// The list's own time of day: nothing of it changes after that.
    private var date: String {
        var seconds = time_t(now / 1000)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        var text = [UInt8](repeating: 0, count: 40)
        let length = text.withUnsafeMutableBytes { buffer in
            // A newer glibc takes no null here.
            guard let start = buffer.baseAddress else { return 0 }
            return strftime(start, buffer.count, "%a, %d %b %Y %H:%M:%S GMT", &parts)
        }
        return String(decoding: text.prefix(length), as: UTF8.self)
    }
}

/// A gzip file of one block that is stored as it is. Source: https://www.rfc-editor.org/rfc/rfc1952
private func gzip(_ bytes: [UInt8]) -> [UInt8] {
    var checksum = UInt32.max
    for byte in bytes {
        checksum ^= UInt32(byte)
        for _ in 0..<8 { checksum = checksum & 1 == 1 ? checksum >> 1 ^ 0xEDB8_8320 : checksum >> 1 }
    }
    let little = { (number: UInt32, count: Int) in (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
    let size = UInt32(bytes.count)
    return [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1] + little(size, 2) + little(~size, 2) + bytes
        + little(~checksum, 4) + little(size, 4)
}
