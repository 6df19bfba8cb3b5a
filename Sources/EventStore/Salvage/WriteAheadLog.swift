import Glibc

/// Reads a write-ahead log before SQLite does, which would silently pass over commits that it cannot read
/// (file format: "Database File Format", section 4).
enum WriteAheadLog {
    /// In words what was lost; nil for a sound log, none at all, one whose last transaction was torn by a power cut, and
    /// one that holds nothing that the database file lacks.
    static func damage(of path: String, beside database: String) throws(StoreError) -> String? {
        guard let size = try StateFile.size(of: path), size >= headerSize else { return nil }
        // Longer than any that we let grow: not worth the time it takes.
        guard size <= 64 << 20 else { return nil }
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard let bytes = read(headerSize, at: 0, from: descriptor), let header = Header(bytes) else {
            // SQLite writes the header of a log that begins anew, and syncs it, before anything else of that log: torn
            // by a power cut, it stands before transactions that have all reached the database file.
            if isCopied(size: size, descriptor, into: database) {
                empty(path)
                return nil
            }
            return "the header of the write-ahead log is unreadable; commits in it are lost"
        }
        let lost = commitsBehindBreak(header, size: size, descriptor)
        // One may be the transaction that was being written; a second was durable before it.
        return lost >= 2 ? "\(lost - 1) or more commits in the write-ahead log are unreadable" : nil
    }

    /// SQLite would begin anew with what it can read of the torn header: the transactions of old could then have the salts
    /// of the new ones, behind which they stand. A card that does not take it now is asked with the next start.
    private static func empty(_ path: String) {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        if ftruncate(descriptor, 0) == 0 { fsync(descriptor) }
        close(descriptor)
    }

    static let headerSize = 32
    static let frameHeaderSize = 24

    private struct Header {
        var isBigEndian: Bool
        var pageSize: Int
        var salts: [UInt8]
        var sum: Checksum

        init?(_ bytes: [UInt8]) {
            let magic = WriteAheadLog.word(bytes, 0)
            guard magic & ~1 == 0x377F_0682, WriteAheadLog.word(bytes, 4) == 3_007_000 else { return nil }
            isBigEndian = magic & 1 == 1
            pageSize = Int(WriteAheadLog.word(bytes, 8))
            guard (512...65536).contains(pageSize), pageSize & (pageSize - 1) == 0 else { return nil }
            salts = Array(bytes[16..<24])
            sum = Checksum(isBigEndian: isBigEndian)
            sum.add(bytes[..<24])
            guard sum.matches(bytes, at: 24) else { return nil }
        }
    }

    /// Commits of this log's generation after the first frame that does not follow from the one before: the most that
    /// follow from each other. Those that do not were being written when the power failed, one each time, and the next
    /// start has written over their beginnings.
    private static func commitsBehindBreak(_ header: Header, size: Int, _ descriptor: Int32) -> Int {
        let frameSize = frameHeaderSize + header.pageSize
        var sum = header.sum
        var isBroken = false
        var commits = 0
        var most = 0
        var offset = headerSize
        while size - offset >= frameSize {
            guard let frame = read(frameSize, at: offset, from: descriptor) else { break }
            offset += frameSize
            let isOurs = frame[8..<16].elementsEqual(header.salts)
            if !sum.follows(to: frame) || !isOurs {
                isBroken = true
                commits = 0
            }
            if isBroken, isOurs, word(frame, 4) != 0 { commits += 1 }
            most = max(most, commits)
        }
        return most
    }

    struct Checksum {
        let isBigEndian: Bool
        var first: UInt32 = 0
        var second: UInt32 = 0

        init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

        /// `bytes` are a multiple of 8.
        mutating func add(_ bytes: ArraySlice<UInt8>) {
            bytes.withUnsafeBytes { raw in
                var index = 0
                while index + 8 <= raw.count {
                    let x = raw.loadUnaligned(fromByteOffset: index, as: UInt32.self)
                    let y = raw.loadUnaligned(fromByteOffset: index + 4, as: UInt32.self)
                    first = first &+ (isBigEndian ? UInt32(bigEndian: x) : UInt32(littleEndian: x)) &+ second
                    second = second &+ (isBigEndian ? UInt32(bigEndian: y) : UInt32(littleEndian: y)) &+ first
                    index += 8
                }
            }
        }

        /// Goes on to this frame, and then with what is stored in it. False when it does not follow.
        mutating func follows(to frame: [UInt8]) -> Bool {
            add(frame[..<8])
            add(frame[frameHeaderSize...])
            defer {
                first = WriteAheadLog.word(frame, 16)
                second = WriteAheadLog.word(frame, 20)
            }
            return matches(frame, at: 16)
        }

        func matches(_ bytes: [UInt8], at offset: Int) -> Bool {
            WriteAheadLog.word(bytes, offset) == first && WriteAheadLog.word(bytes, offset + 4) == second
        }
    }

    static func word(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
        bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// nil when so many bytes cannot be read there.
    static func read(_ count: Int, at offset: Int, from descriptor: Int32) -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let got = buffer.withUnsafeMutableBytes { bytes in
                pread(descriptor, bytes.baseAddress.map { $0 + filled }, count - filled, off_t(offset + filled))
            }
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { return nil }
            filled += got
        }
        return buffer
    }
}
