package import HTTP

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
                try? JSONTree(body)
            }
        self.init(of: value ?? .null, besides: items)
    }
}

extension Body {
    /// The text without some of its bytes.
    fileprivate func text(without range: Range<Int>?) -> [UInt8] {
        guard let range, range.lowerBound >= 0, range.upperBound <= count else { return text }
        return withUnsafeBytes { bytes in Array(bytes[..<range.lowerBound]) + Array(bytes[range.upperBound...]) }
    }
}
