internal import Feeds
internal import HTTP

/// A body that is a file of gzip, or of zip with one file in it: taken for what is in it.
///
/// Source: https://www.rfc-editor.org/rfc/rfc1952, https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT
enum Archive {
    /// The file in a body; nil for any other body.
    ///
    /// - Parameter limit: The most bytes of the file.
    /// - Throws: `BodyFault` for a damaged one, or one of several files.
    static func content(of body: Body, limit: Int) throws(BodyFault) -> Body? {
        let start = body.withUnsafeBytes { Array($0.prefix(4)) }
        if start.starts(with: [0x1F, 0x8B, 0x08]) { return try unzipped(body.bytes, limit: limit) }
        guard start == [0x50, 0x4B, 0x03, 0x04] else { return nil }
        return try entry(of: body.bytes, limit: limit)
    }

    private static func unzipped(_ bytes: [UInt8], limit: Int) throws(BodyFault) -> Body {
        let content = Body()
        do throws(ContentDecoder.Failure) {
            guard let decoder = try ContentDecoder(["gzip"], limit: limit) else { throw .broken }
            let result = bytes.withUnsafeBytes { bytes in
                Result { () throws(ContentDecoder.Failure) in
                    try decoder.decode(bytes) { content.append($0, limit: limit) }
                }
            }
            try result.get()
            guard decoder.isAtEnd else { throw .broken }
        } catch .refused {
            throw BodyFault(
                "it becomes more than \(limit) bytes", advice: "give the feed a larger `max_memory`")
        } catch .outOfMemory {
            throw BodyFault("there is not enough memory for it", advice: PageMemory.advice)
        } catch {
            throw BodyFault("the compressed file is damaged or cut off", advice: "run it again")
        }
        return content
    }

    private static func entry(of bytes: [UInt8], limit: Int) throws(BodyFault) -> Body {
        let damaged = BodyFault("the zip file is damaged or cut off", advice: "run it again")
        func number(_ place: Int, _ count: Int) throws(BodyFault) -> Int {
            guard place >= 0, place + count <= bytes.count else { throw damaged }
            return bytes[place..<place + count].reversed().reduce(0) { $0 << 8 | Int($1) }
        }
        // The directory's end stands last, in front of a comment of at most 64 KiB.
        let ends = stride(from: bytes.count - 22, through: max(0, bytes.count - 22 - 0xFFFF), by: -1)
        guard let end = ends.first(where: { bytes[$0..<$0 + 4].elementsEqual([0x50, 0x4B, 0x05, 0x06]) }) else {
            throw damaged
        }
        var place = try number(end + 16, 4)
        var files: [Int] = []
        for _ in 0..<(try number(end + 10, 2)) {
            guard try number(place, 4) == 0x0201_4B50 else { throw damaged }
            let length = try number(place + 28, 2)
            guard length > 0, place + 46 + length <= bytes.count else { throw damaged }
            // A folder ends with a slash.
            if bytes[place + 45 + length] != 0x2F { files.append(place) }
            place += 46 + length + (try number(place + 30, 2)) + (try number(place + 32, 2))
        }
        guard files.count == 1 else {
            throw BodyFault(
                "the zip file has \(files.count) files", advice: "only an archive of one file can be a page")
        }
        let header = files[0]
        let (flags, method) = (try number(header + 8, 2), try number(header + 10, 2))
        guard flags & 1 == 0 else { throw BodyFault("the zip file has a password") }
        let size = try number(header + 20, 4)
        let local = try number(header + 42, 4)
        guard size != 0xFFFF_FFFF, local != 0xFFFF_FFFF else { throw BodyFault("the zip file is of the kind Zip64") }
        let start = local + 30 + (try number(local + 26, 2)) + (try number(local + 28, 2))
        guard start + size <= bytes.count else { throw damaged }
        let data = Array(bytes[start..<start + size])
        switch method {
        case 0:
            guard size <= limit else { throw BodyFault("it has more than \(limit) bytes") }
            return Body(data)
        case 8:
            // The data get gzip's header, and its trailer with the checksum that the directory has.
            let trailer = bytes[header + 16..<header + 20] + bytes[header + 24..<header + 28]
            return try unzipped([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF] + data + trailer, limit: limit)
        default: throw BodyFault("the zip file is compressed in the way \(method), which is not known")
        }
    }
}
