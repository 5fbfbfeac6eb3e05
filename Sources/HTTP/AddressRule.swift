internal import Platform

/// The addresses that a request may connect to, after its name is resolved.
package enum AddressRule: Sendable, Hashable {
    /// All of them.
    case any
    /// Addresses of the public Internet outside this machine's own networks; for requests to one origin, every address.
    /// Each request then has its own connection and bypasses any proxy, because a proxy would resolve the name again.
    case publicOnly(except: Origin?)

    /// True if the addresses for an origin must be checked.
    func restricts(_ origin: Origin) -> Bool {
        switch self {
        case .any: false
        case .publicOnly(let exception): origin != exception
        }
    }
}

/// An address of a socket.
struct SocketAddress: Hashable {
    /// Four bytes, or sixteen.
    let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    /// Nil for an address of another kind than IPv4 or IPv6.
    init?(_ address: UnsafePointer<sockaddr>?) {
        guard let address else { return nil }
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            bytes = address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
                withUnsafeBytes(of: address.pointee.sin_addr) { Array($0) }
            }
        case AF_INET6:
            bytes = address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
                withUnsafeBytes(of: address.pointee.sin6_addr) { Array($0) }
            }
        default: return nil
        }
    }

    /// An address in digits; nil for other text.
    init?(_ text: String) {
        var (four, sixteen) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, text, &four) == 1 {
            bytes = withUnsafeBytes(of: four) { Array($0) }
        } else if inet_pton(AF_INET6, text, &sixteen) == 1 {
            bytes = withUnsafeBytes(of: sixteen) { Array($0) }
        } else {
            return nil
        }
    }

    /// True for an address of the public Internet.
    ///
    /// Source: https://www.iana.org/assignments/iana-ipv4-special-registry/ and
    /// https://www.iana.org/assignments/iana-ipv6-special-registry/
    var isPublic: Bool {
        if bytes.count == 4 { return !Self.special4.contains { starts(with: $0.bytes, bits: $0.bits) } }
        guard bytes.count == 16 else { return false }
        // An address that leads to one of IPv4 is as public as that one.
        for (prefix, bits, place) in Self.embedding where starts(with: prefix, bits: bits) {
            return SocketAddress(bytes: Array(bytes[place..<place + 4])).isPublic
        }
        // All that is given out is in 2000::/3.
        guard bytes[0] & 0xE0 == 0x20 else { return false }
        return !Self.special6.contains { starts(with: $0.bytes, bits: $0.bits) }
    }

    /// True if the address is this machine's, in any notation: connections to 0.0.0.0 and :: reach this machine, too.
    var isLoopback: Bool {
        if bytes.count == 4 { return bytes[0] == 127 || bytes == [0, 0, 0, 0] }
        guard bytes.count == 16 else { return false }
        if starts(with: Self.embedding[0].bytes, bits: 96) {
            return SocketAddress(bytes: Array(bytes[12...])).isLoopback
        }
        return bytes[..<15].allSatisfy { $0 == 0 } && bytes[15] <= 1
    }

    /// True if the address begins with these bits.
    func starts(with prefix: [UInt8], bits: Int) -> Bool {
        guard bits <= bytes.count * 8, bits <= prefix.count * 8 else { return false }
        let whole = bits / 8
        guard bytes[..<whole] == prefix[..<whole] else { return false }
        let rest = bits % 8
        guard rest > 0 else { return true }
        let mask = UInt8(truncatingIfNeeded: 0xFF << (8 - rest))
        return bytes[whole] & mask == prefix[whole] & mask
    }

    private static let special4: [(bytes: [UInt8], bits: Int)] = [
        ([0], 8), ([10], 8), ([100, 64], 10), ([127], 8), ([169, 254], 16), ([172, 16], 12), ([192, 0, 0], 24),
        ([192, 0, 2], 24), ([192, 88, 99], 24), ([192, 168], 16), ([198, 18], 15), ([198, 51, 100], 24),
        ([203, 0, 113], 24), ([224], 4), ([240], 4),
    ]

    private static let special6: [(bytes: [UInt8], bits: Int)] = [
        ([0x20, 0x01, 0x00], 23), ([0x20, 0x01, 0x0D, 0xB8], 32), ([0x3F, 0xFF, 0x00], 20),
    ]

    /// Prefixes, and where the address of IPv4 begins: mapped ones, NAT64 and 6to4.
    private static let embedding: [(bytes: [UInt8], bits: Int, place: Int)] = [
        ([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF], 96, 12), ([0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0], 96, 12),
        ([0x20, 0x02], 16, 2),
    ]

    /// True for an address of this machine or of one of its networks.
    var isOfOwnNetwork: Bool {
        var list: UnsafeMutablePointer<ifaddrs>?
        // An unknown network is not allowed.
        guard getifaddrs(&list) == 0 else { return true }
        defer { freeifaddrs(list) }
        var next = list
        while let interface = next?.pointee {
            next = interface.ifa_next
            guard let own = SocketAddress(interface.ifa_addr), own.bytes.count == bytes.count else { continue }
            let mask = SocketAddress(interface.ifa_netmask)?.bytes ?? []
            // A tunnel without a network has an address all the same.
            let isWhole = mask.count == bytes.count && mask.contains { $0 != 0 }
            let isSame = bytes.indices.allSatisfy { place in
                let mask = isWhole ? mask[place] : 0xFF
                return bytes[place] & mask == own.bytes[place] & mask
            }
            if isSame { return true }
        }
        return false
    }
}

extension SocketAddress: CustomStringConvertible {
    var description: String {
        if bytes.count == 4 { return bytes.map(String.init).joined(separator: ".") }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(AF_INET6, bytes, &text, socklen_t(text.count)) != nil else { return "?" }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
