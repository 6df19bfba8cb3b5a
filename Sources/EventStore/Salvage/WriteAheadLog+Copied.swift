import Glibc

extension WriteAheadLog {
    /// Whether every page of the log's transactions is in the database file as they left it; the log's own header is not
    /// used. False where no transaction is found: then nothing is known.
    static func isCopied(size: Int, _ log: Int32, into path: String) -> Bool {
        let database = open(path, O_RDONLY | O_CLOEXEC)
        guard database >= 0 else { return false }
        defer { close(database) }
        guard let start = read(18, at: 0, from: database) else { return false }
        // 1 stands for 65536, which two bytes cannot say (file format, section 1.3.2).
        let stored = Int(start[16]) << 8 | Int(start[17])
        let pageSize = stored == 1 ? 65536 : stored
        guard (512...65536).contains(pageSize), pageSize & (pageSize - 1) == 0,
            let transactions = transactions(size: size, frameSize: frameHeaderSize + pageSize, log),
            let pages = transactions.last?.pagesAfter
        else { return false }
        var seen: Set<UInt32> = []
        for frame in transactions.reversed() where frame.page <= pages {
            guard seen.insert(frame.page).inserted else { continue }
            let place = (Int(frame.page) - 1) * pageSize
            guard frame.page > 0, let new = read(pageSize, at: frame.offset + frameHeaderSize, from: log),
                new == read(pageSize, at: place, from: database)
            else { return false }
        }
        return true
    }

    private struct Frame {
        var offset: Int
        var page: UInt32
        /// Pages of the database after the transaction that ends here; 0 where none does.
        var pagesAfter: UInt32
    }

    /// The frames that follow from the first one, up to the last that ends a transaction; nil when they cannot be read.
    private static func transactions(size: Int, frameSize: Int, _ log: Int32) -> [Frame]? {
        var frames: [Frame] = []
        var salts: ArraySlice<UInt8> = []
        // The order in which the machine that wrote the log sums up; a wrong guess finds no transaction.
        var sum = Checksum(isBigEndian: 1.bigEndian == 1)
        var offset = headerSize
        while size - offset >= frameSize {
            guard let frame = read(frameSize, at: offset, from: log) else { return nil }
            let follows = sum.follows(to: frame)
            if frames.isEmpty { salts = frame[8..<16] } else if !follows || frame[8..<16] != salts { break }
            frames.append(Frame(offset: offset, page: word(frame, 0), pagesAfter: word(frame, 4)))
            offset += frameSize
        }
        return Array(frames[..<((frames.lastIndex { $0.pagesAfter != 0 } ?? -1) + 1)])
    }
}
