/// The parameters of an `application/x-www-form-urlencoded` query.
///
/// Source: https://url.spec.whatwg.org/#urlencoded-parsing
func parameters(in query: Substring.UTF8View) -> [(name: String, value: String)] {
    query.split(separator: UInt8(ascii: "&")).map { pair in
        let equals = pair.firstIndex(of: UInt8(ascii: "="))
        let name = pair[..<(equals ?? pair.endIndex)]
        let value = equals.map { pair[$0...].dropFirst() }
        return (
            percentDecoded(name, plusIsSpace: true),
            value.map { percentDecoded($0, plusIsSpace: true) } ?? ""
        )
    }
}

/// The text with each `%XX` replaced by its byte; a `%` that starts no such group stays.
func percentDecoded(_ text: Substring.UTF8View, plusIsSpace: Bool) -> String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count)
    var rest = text
    while let byte = rest.popFirst() {
        switch byte {
        case UInt8(ascii: "%"):
            let group = rest.prefix(2)
            if group.count == 2, let high = group.first.flatMap(hexadecimal), let low = group.last.flatMap(hexadecimal)
            {
                bytes.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        case UInt8(ascii: "+") where plusIsSpace: bytes.append(UInt8(ascii: " "))
        default: bytes.append(byte)
        }
    }
    return String(decoding: bytes, as: UTF8.self)
}

private func hexadecimal(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
}
