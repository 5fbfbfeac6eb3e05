package import HTTP

/// A page's body, read as a whole, for the few pages that discovery examines.
package typealias JSONTree = JSONValue

extension JSONTree {
    package typealias Members = JSONObject
    package typealias Member = JSONObject.Member

    /// Reads a whole body; a byte order mark before it is passed over.
    ///
    /// - Parameter memory: The memory that the values may take.
    /// - Throws: `JSONSyntaxError` with the byte at which it is not JSON any more, nested too deep, or has too many
    ///   values.
    package init(_ body: Body, memory: PageMemory = .standard) throws(JSONSyntaxError) {
        let text = body.text
        let start = body.count - text.count
        do throws(JSONSyntaxError) {
            self = try JSONValue(parsing: text, maximumCount: memory.values)
        } catch {
            throw JSONSyntaxError(message: error.message, offset: error.offset + start, isTooLarge: error.isTooLarge)
        }
    }

    /// Reads a whole text.
    package init(_ text: String) throws(JSONSyntaxError) { self = try JSONValue(parsing: text) }
}

extension Body {
    /// The bytes behind a byte order mark.
    var text: [UInt8] {
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        return bytes.starts(with: mark) ? Array(bytes.dropFirst(mark.count)) : bytes
    }
}
