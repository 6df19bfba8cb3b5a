/// Cuts a stream into packets, however it arrives. A message that is longer than the limit is passed over, so that
/// nobody who may publish can keep us from being connected; anything else that is wrong ends it.
package struct MQTTReader: Codable, Hashable, Sendable {
    package enum Event: Codable, Hashable, Sendable {
        case packet(MQTTPacket)
        /// A message of so many bytes that is not kept.
        case passedOver(bytes: Int)
        /// Nothing follows.
        case failed(MQTTError)
    }

    /// As both sides agreed; packets from here on are read so.
    package var version: MQTTVersion
    /// Bytes after the length.
    package let limit: Int
    private var buffer: [UInt8] = []
    private var offset = 0
    private var toPassOver = 0
    private var hasFailed = false

    package init(version: MQTTVersion, limit: Int = 65536) {
        self.version = version
        self.limit = limit
    }

    package mutating func append(_ bytes: some Collection<UInt8>) {
        guard !hasFailed else { return }
        let dropped = min(toPassOver, bytes.count)
        toPassOver -= dropped
        buffer += bytes.dropFirst(dropped)
    }

    /// The next thing that has arrived whole; nil: more bytes are needed.
    package mutating func next() -> Event? {
        guard !hasFailed else { return nil }
        do {
            return try read()
        } catch {
            hasFailed = true
            buffer = []
            offset = 0
            return .failed(error)
        }
    }

    private mutating func read() throws(MQTTError) -> Event? {
        guard offset < buffer.count else {
            buffer = []
            offset = 0
            return nil
        }
        let first = buffer[offset]
        try MQTTPacket.check(first: first)
        guard let (length, start) = try length(at: offset + 1) else { return nil }
        if length > limit {
            guard first >> 4 == 3 else { throw .tooLong(type: first >> 4, bytes: length) }
            let here = min(length, buffer.count - start)
            toPassOver = length - here
            drop(to: start + here)
            return .passedOver(bytes: length)
        }
        guard buffer.count - start >= length else { return nil }
        let packet = try MQTTPacket(first: first, body: buffer[start..<start + length], version)
        drop(to: start + length)
        return .packet(packet)
    }

    private func length(at start: Int) throws(MQTTError) -> (length: Int, end: Int)? {
        var value = 0
        for position in 0..<4 {
            guard start + position < buffer.count else { return nil }
            let byte = buffer[start + position]
            value |= Int(byte & 0x7F) << (7 * position)
            if byte & 0x80 == 0 { return (value, start + position + 1) }
        }
        throw .badLength
    }

    private mutating func drop(to end: Int) {
        offset = end
        guard offset == buffer.count || offset >= 16384 else { return }
        buffer.removeFirst(offset)
        offset = 0
    }
}
