extension TimeZoneRules {
    /// Reads a TZif file (RFC 9636) of version 1 or later; of later versions only the 64-bit block and the footer count.
    package init(name: String, tzif bytes: [UInt8]) throws(TimeZoneError) {
        guard bytes.count <= TZifReader.sizeLimit else { throw .tooLarge }
        var reader = TZifReader(bytes: bytes)
        let first = try reader.header()
        if first.version == 0 {
            let table = try reader.table(first, timeSize: 4)
            self.init(name: name, firstOffset: table.firstOffset, transitions: table.transitions, footer: "")
            return
        }
        try reader.skip(first.size(timeSize: 4))
        let second = try reader.header()
        let table = try reader.table(second, timeSize: 8)
        let footer = try reader.footer()
        guard footer.isEmpty || PosixTimeZone(footer) != nil else { throw .badFooter(footer) }
        self.init(name: name, firstOffset: table.firstOffset, transitions: table.transitions, footer: footer)
    }
}

/// A cursor over the bytes of a file; every read is checked against the end.
private struct TZifReader {
    /// The largest file of tzdata has less than 4 KB.
    static let sizeLimit = 1 << 18

    struct Header {
        var version: UInt8
        var isUTCount: Int
        var isStandardCount: Int
        var leapCount: Int
        var timeCount: Int
        var typeCount: Int
        var characterCount: Int

        /// Bytes of the block behind the header.
        func size(timeSize: Int) -> Int {
            timeCount * (timeSize + 1) + typeCount * 6 + characterCount + leapCount * (timeSize + 4) + isStandardCount
                + isUTCount
        }
    }

    struct Table {
        var firstOffset: Int32
        var transitions: [TimeZoneRules.Transition]
    }

    let bytes: [UInt8]
    var position = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    mutating func skip(_ count: Int) throws(TimeZoneError) {
        guard count <= bytes.count - position else { throw .truncated }
        position += count
    }

    /// Big endian, `count` bytes at most 8.
    private mutating func unsigned(_ count: Int) throws(TimeZoneError) -> UInt64 {
        guard count <= bytes.count - position else { throw .truncated }
        var value: UInt64 = 0
        for _ in 0..<count {
            value = value << 8 | UInt64(bytes[position])
            position += 1
        }
        return value
    }

    private mutating func signed32() throws(TimeZoneError) -> Int32 {
        Int32(truncatingIfNeeded: try unsigned(4))
    }

    private mutating func count() throws(TimeZoneError) -> Int {
        let value = try unsigned(4)
        // More than there are bytes cannot be right, and would overflow the sums.
        guard value <= UInt64(bytes.count) else { throw .truncated }
        return Int(value)
    }

    mutating func header() throws(TimeZoneError) -> Header {
        guard position < bytes.count else { throw position == 0 ? .notTimeZoneData : .truncated }
        for expected in "TZif".utf8 {
            guard try unsigned(1) == UInt64(expected) else { throw .notTimeZoneData }
        }
        let version = UInt8(truncatingIfNeeded: try unsigned(1))
        try skip(15)
        let header = Header(
            version: version, isUTCount: try count(), isStandardCount: try count(), leapCount: try count(),
            timeCount: try count(), typeCount: try count(), characterCount: try count())
        guard header.typeCount > 0, header.typeCount <= 256, header.characterCount > 0,
            [0, header.typeCount].contains(header.isUTCount), [0, header.typeCount].contains(header.isStandardCount)
        else { throw .malformed(.counts) }
        return header
    }

    mutating func table(_ header: Header, timeSize: Int) throws(TimeZoneError) -> Table {
        guard header.leapCount == 0 else { throw .leapSeconds }
        guard header.size(timeSize: timeSize) <= bytes.count - position else { throw .truncated }
        var times: [Int64] = []
        for _ in 0..<header.timeCount {
            let time = timeSize == 4 ? Int64(try signed32()) : Int64(bitPattern: try unsigned(8))
            if let last = times.last, time <= last { throw .malformed(.order) }
            times.append(time)
        }
        var types: [Int] = []
        for _ in 0..<header.timeCount {
            let type = Int(try unsigned(1))
            guard type < header.typeCount else { throw .malformed(.typeIndex) }
            types.append(type)
        }
        var offsets: [Int32] = []
        for _ in 0..<header.typeCount {
            let offset = try signed32()
            guard (-93_600...93_600).contains(offset) else { throw .malformed(.offset) }
            offsets.append(offset)
            try skip(2)
        }
        try skip(header.characterCount + header.isStandardCount + header.isUTCount)
        return Table(
            firstOffset: offsets[0],
            transitions: zip(times, types).map { TimeZoneRules.Transition(at: $0, offset: offsets[$1]) })
    }

    /// The line between two line feeds.
    mutating func footer() throws(TimeZoneError) -> String {
        guard try unsigned(1) == 0x0A else { throw .malformed(.footer) }
        var line: [UInt8] = []
        while true {
            let byte = UInt8(truncatingIfNeeded: try unsigned(1))
            if byte == 0x0A { break }
            guard (0x20...0x7E).contains(byte), line.count < 128 else { throw .malformed(.footer) }
            line.append(byte)
        }
        return String(decoding: line, as: UTF8.self)
    }
}
