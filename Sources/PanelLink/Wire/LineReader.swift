import AlarmModel

/// Cuts the bytes of the module into lines and reads them (docs/envisalink.md 1.2, reader rules).
///
/// Append what came, then call `next()` until it is nil. What is kept is at most one unfinished line of `cap` bytes
/// beyond the lines that were not fetched yet, even if no line end ever comes. How the bytes were cut makes no difference.
package struct LineReader: Codable, Equatable, Sendable {
    package enum Item: Codable, Equatable, Sendable {
        case line(DSCLine)
        case rejected(Rejection)
    }

    /// The longest line that is read, in bytes before LF; the longest legal one has 526.
    package static let cap = 1024

    private enum Overlong: Codable, Equatable, Sendable {
        case no
        /// The unfinished line is over the cap and was not reported yet; its beginning is still in the buffer.
        case unreported
        /// Reported and dropped; everything up to the next LF is skipped.
        case reported
    }

    private var buffer: [UInt8] = []
    /// Where the next line begins.
    private var head = 0
    /// Where the unfinished line begins: there is no LF from here on.
    private var tail = 0
    private var overlong = Overlong.no

    package init() {}

    package mutating func append(_ bytes: [UInt8]) {
        append(bytes[...])
    }

    package mutating func append(_ bytes: ArraySlice<UInt8>) {
        var rest = bytes
        if overlong != .no {
            // The LF stays: it ends what is kept of the line, or an empty one.
            guard let end = rest.firstIndex(of: lineFeed) else { return }
            rest = rest[end...]
            overlong = .no
        }
        let added = buffer.count
        buffer.append(contentsOf: rest)
        if let last = buffer[added...].lastIndex(of: lineFeed) { tail = last + 1 }
        if buffer.count - tail > Self.cap {
            // One byte more than the cap stays, so that the line is known as overlong when its end comes.
            buffer.removeSubrange((tail + Self.cap + 1)...)
            overlong = .unreported
        }
    }

    /// The next line or rejected input; nil when only an unfinished line is left.
    package mutating func next() -> Item? {
        while head < tail {
            let end = buffer[head..<tail].firstIndex(of: lineFeed) ?? tail - 1
            let line = head..<end
            head = end + 1
            if line.count > Self.cap { return .rejected(.overlong(Redaction.rejected(buffer[line]))) }
            if let item = Self.read(buffer[line]) { return item }
        }
        if overlong == .unreported {
            let text = Redaction.rejected(buffer[tail...])
            overlong = .reported
            buffer.removeAll(keepingCapacity: true)
            head = 0
            tail = 0
            return .rejected(.overlong(text))
        }
        if head > 0 {
            buffer.removeFirst(head)
            tail -= head
            head = 0
        }
        return nil
    }

    /// What has come of a line whose end is missing, redacted; nil if there is nothing. For a module that greets
    /// without a line end.
    package var unfinishedText: String? {
        tail < buffer.count ? Redaction.rejected(buffer[tail...]) : nil
    }

    /// Reads one line without its LF; nil for an empty line.
    package static func read(_ bytes: ArraySlice<UInt8>) -> Item? {
        var line = trimmed(bytes)
        if line.isEmpty { return nil }
        guard line.allSatisfy({ $0 >= 0x20 && $0 <= 0x7E }) else {
            return .rejected(.malformed(Redaction.rejected(line)))
        }
        var stamp: String?
        if hasStamp(line) {
            stamp = String(decoding: line.prefix(8), as: UTF8.self)
            line = line.dropFirst(9)
        }
        let start = line.startIndex
        guard line.count >= 5, let number = decimal(line[start..<start + 3]) else {
            return .rejected(.malformed(Redaction.rejected(trimmed(bytes))))
        }
        let payload = line.dropLast(2)
        guard let sum = hexadecimal(line.suffix(2)), sum == Int(Frame.checksum(payload)) else {
            return .rejected(.badChecksum(Redaction.rejected(trimmed(bytes))))
        }
        let data = payload.dropFirst(3)
        return .line(
            DSCLine(
                code: String(decoding: line[start..<start + 3], as: UTF8.self),
                data: data.isEmpty ? "" : String(decoding: data, as: UTF8.self), stamp: stamp,
                message: DSCMessage(code: number, data: data)))
    }

    /// `hh:mm:ss` and a space.
    static func hasStamp(_ line: ArraySlice<UInt8>) -> Bool {
        let start = line.startIndex
        guard line.count >= 9, line[start + 2] == 0x3A, line[start + 5] == 0x3A, line[start + 8] == 0x20 else {
            return false
        }
        return [0, 1, 3, 4, 6, 7].allSatisfy { line[start + $0] >= 0x30 && line[start + $0] <= 0x39 }
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        bytes.trimmed(isBlank)
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x0D || byte == 0x0A || byte == 0 || byte == 0x20 }
}

private let lineFeed: UInt8 = 0x0A
