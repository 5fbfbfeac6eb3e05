internal import CSQLite

extension Connection {
    /// Checks that the write-ahead log is as SQLite wrote it: its header, its length, and the checksums of its pages.
    /// The index of the log, in shared memory, says how long it is: a program that damages the log does not change
    /// that.
    ///
    /// Source: https://sqlite.org/walformat.html
    ///
    /// - Parameter checked: The part of the log that earlier checks have read, which is not read again.
    /// - Returns: False if another program has cut, emptied or overwritten the log.
    public func logIsSound(behind checked: inout CheckedLog) -> Bool {
        // Another process may restart the log meanwhile.
        for _ in 0..<5 {
            guard let index = logIndex() else { return true }
            // A log that cannot be read shows nothing.
            guard let isSound = try? log(agreesWith: index, &checked), !isSound else { return true }
            guard logIndex() != index else { return false }
        }
        return true
    }

    /// The part of a log whose pages have been read and are as they were written.
    public struct CheckedLog: Sendable {
        fileprivate var salt: [UInt8] = []
        fileprivate var pages = 0

        /// Nothing of any log.
        public init() {}
    }

    /// The number of pages that are read at once.
    private static let chunk = 256

    /// The log according to the index, which other processes may change; nil if there is none or it is being changed.
    private func logIndex() -> LogIndex? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(handle.database, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK, let file,
            let map = file.pointee.pMethods?.pointee.xShmMap
        else { return nil }
        var region: UnsafeMutableRawPointer?
        // The first region, which SQLite has mapped already; it is not made larger.
        guard map(file, 0, 32_768, 0, &region) == SQLITE_OK, let region else { return nil }
        let bytes = UnsafeRawBufferPointer(start: region, count: LogIndex.byteCount * 2)
        let copies = [bytes[..<LogIndex.byteCount], bytes[LogIndex.byteCount...]].map(Array.init)
        return copies[0] == copies[1] ? LogIndex(copies[0]) : nil
    }

    private func log(agreesWith index: LogIndex, _ checked: inout CheckedLog) throws(SQLiteError) -> Bool {
        guard index.pages > 0 else { return true }
        guard let header = try read(32, at: 0), Array(header[16..<24]) == index.salt,
            Array(header[..<3]) == [0x37, 0x7f, 0x06]
        else { return false }
        if checked.salt != index.salt || checked.pages > index.pages { checked.pages = 0 }
        let frame = 24 + index.pageSize
        let place = { (page: Int) in 32 + Int64(page) * Int64(frame) }
        // The checksum goes on from the page before, or from the header.
        let before = try checked.pages == 0 ? Array(header[24..<32]) : read(8, at: place(checked.pages - 1) + 16)
        guard let before else { return false }
        var sum = LogChecksum(before, isBigEndian: header[3] & 1 == 1)
        var first = checked.pages
        while first < index.pages {
            let count = min(index.pages - first, Self.chunk)
            guard let bytes = try read(count * frame, at: place(first)),
                bytes.withUnsafeBytes({ sum.add(framesOf: $0, size: frame, salt: index.salt) })
            else { return false }
            first += count
        }
        (checked.salt, checked.pages) = (index.salt, index.pages)
        return true
    }

    /// Bytes of the log; nil if it is shorter.
    private func read(_ count: Int, at offset: Int64) throws(SQLiteError) -> [UInt8]? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        guard sqlite3_file_control(handle.database, "main", SQLITE_FCNTL_JOURNAL_POINTER, &file) == SQLITE_OK, let file,
            let read = file.pointee.pMethods?.pointee.xRead
        else { throw SQLiteError(code: SQLITE_IOERR, message: "the log cannot be read") }
        var code = SQLITE_OK
        let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            code = read(file, buffer.baseAddress, Int32(count), offset)
            filled = count
        }
        // https://sqlite.org/rescode.html#ioerr_short_read
        guard code == SQLITE_OK || code == SQLITE_IOERR | 2 << 8 else {
            throw SQLiteError(code: code, message: "the log cannot be read")
        }
        return code == SQLITE_OK ? bytes : nil
    }
}

/// The part of the log's index that describes the log. https://sqlite.org/walformat.html#walidxfmt
private struct LogIndex: Equatable {
    static let byteCount = 48
    /// The number of valid pages in the log.
    let pages: Int
    /// The size of a page in bytes.
    let pageSize: Int
    let salt: [UInt8]

    init?(_ bytes: [UInt8]) {
        let number = { (at: Int) in bytes[at..<at + 4].withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) } }
        let size = bytes[14..<16].withUnsafeBytes { $0.loadUnaligned(as: UInt16.self) }
        guard bytes[12] == 1, size == 1 || size >= 512 else { return nil }
        pages = Int(number(16))
        pageSize = size == 1 ? 65_536 : Int(size)
        salt = Array(bytes[32..<40])
    }
}

/// The checksum of the log: https://sqlite.org/fileformat2.html#checksum_algorithm
private struct LogChecksum {
    private var one: UInt32
    private var two: UInt32
    private let isBigEndian: Bool

    /// - Parameter before: The sums so far, 8 bytes in big-endian order.
    init(_ before: [UInt8], isBigEndian: Bool) {
        (one, two) = before.withUnsafeBytes { (Self.number(in: $0, at: 0), Self.number(in: $0, at: 4)) }
        self.isBigEndian = isBigEndian
    }

    /// Adds frames: 8 bytes that count, the salt, the sums so far, and a page.
    ///
    /// - Returns: False at the first frame with another salt or other sums.
    mutating func add(framesOf bytes: UnsafeRawBufferPointer, size: Int, salt: [UInt8]) -> Bool {
        for start in stride(from: 0, to: bytes.count, by: size) {
            let frame = UnsafeRawBufferPointer(rebasing: bytes[start..<start + size])
            guard frame[8..<16].elementsEqual(salt) else { return false }
            add(UnsafeRawBufferPointer(rebasing: frame[..<8]))
            add(UnsafeRawBufferPointer(rebasing: frame[24...]))
            guard Self.number(in: frame, at: 16) == one, Self.number(in: frame, at: 20) == two else { return false }
        }
        return true
    }

    /// - Parameter bytes: A multiple of 8 bytes.
    private mutating func add(_ bytes: UnsafeRawBufferPointer) {
        // Two loops: with the order decided for each word, the sums of a first load took a twentieth of its time.
        if isBigEndian {
            add(bytes) { UInt32(bigEndian: $0) }
        } else {
            add(bytes) { UInt32(littleEndian: $0) }
        }
    }

    @inline(__always)
    private mutating func add(_ bytes: UnsafeRawBufferPointer, _ ordered: (UInt32) -> UInt32) {
        guard let words = bytes.baseAddress else { return }
        var (one, two) = (self.one, self.two)
        for index in 0..<bytes.count / 8 {
            one &+= ordered(words.loadUnaligned(fromByteOffset: index &* 8, as: UInt32.self)) &+ two
            two &+= ordered(words.loadUnaligned(fromByteOffset: index &* 8 &+ 4, as: UInt32.self)) &+ one
        }
        (self.one, self.two) = (one, two)
    }

    private static func number(in bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt32 {
        UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}
