package import HTTP

extension JSONValue {
    /// Reads a whole body, as for the few pages that discovery examines; a byte order mark before it is passed over.
    ///
    /// - Parameter memory: The memory that the values may take.
    /// - Throws: `JSONSyntaxError` with the byte at which it is not JSON any more, nested too deep, or has too many
    ///   values.
    package init(_ body: Body, memory: PageMemory = .standard) throws(JSONSyntaxError) {
        let text = body.bytes.withoutByteOrderMark
        let start = body.count - text.count
        do throws(JSONSyntaxError) {
            self = try JSONValue(parsing: text, maximumCount: memory.values)
        } catch {
            throw JSONSyntaxError(message: error.message, offset: error.offset + start, isTooLarge: error.isTooLarge)
        }
    }
}

extension Body {
    /// The text without some of its bytes.
    fileprivate func text(without range: Range<Int>?) -> [UInt8] {
        guard let range, range.lowerBound >= 0, range.upperBound <= count else {
            return bytes.withoutByteOrderMark
        }
        return withUnsafeBytes { bytes in Array(bytes[..<range.lowerBound]) + Array(bytes[range.upperBound...]) }
    }
}

extension PageEnvelope {
    /// The envelope of a page's body, without its items; empty if the body is not JSON.
    ///
    /// - Parameter elements: The bytes from the first item to the last one in their array, if that is known: they are
    ///   not looked at then.
    package init(of body: Body, besides items: Path, elements: Range<Int>? = nil) {
        guard !items.segments.isEmpty else {
            self.init(of: .null, besides: items)
            return
        }
        let value =
            if let names = items.memberNames {
                try? JSONValue(parsing: body.text(without: elements), withoutElementsAt: names)
            } else {
                try? JSONValue(body)
            }
        self.init(of: value ?? .null, besides: items)
    }
}

extension Excerpt {
    /// The content of a body from `offset` on.
    package static func of(_ body: Body, from offset: Int = 0, limit: Int, secrets: Secrets) -> String? {
        body.withUnsafeBytes { of($0, from: offset, limit: limit, secrets: secrets) }
    }
}
