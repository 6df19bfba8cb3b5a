/// Cuts a stream into packets, however it arrives. A message that is longer than the limit is passed over, so that
/// nobody who may publish can keep us from being connected, and named, so that it can be acknowledged: a broker that is
/// owed too many acknowledgements sends nothing more. Anything else that is wrong ends it.
package struct MQTTReader: Codable, Equatable, Sendable {
    package enum Event: Codable, Equatable, Sendable {
        case packet(MQTTPacket)
        /// A message of so many bytes that is not kept, and has arrived whole; the id of one with QoS 1.
        case passedOver(bytes: Int, id: UInt16?)
        /// Nothing follows.
        case failed(MQTTError)
    }

    /// As both sides agreed; packets from here on are read so.
    package var version: MQTTVersion
    /// Bytes after the length.
    package let limit: Int
    private var buffer: [UInt8] = []
    private var offset = 0
    private var passing: Passing?
    private var hasFailed = false

    private struct Passing: Codable, Equatable, Sendable {
        var bytes: Int
        var id: UInt16?
        /// Bytes still to come.
        var rest: Int
    }

    package init(version: MQTTVersion, limit: Int = 65536) {
        self.version = version
        self.limit = limit
    }

    package mutating func append(_ bytes: some Collection<UInt8>) {
        guard !hasFailed else { return }
        let dropped = min(passing?.rest ?? 0, bytes.count)
        passing?.rest -= dropped
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
        if let passed = passing {
            guard passed.rest == 0 else { return nil }
            passing = nil
            return .passedOver(bytes: passed.bytes, id: passed.id)
        }
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
            var id: UInt16?
            if first & 2 != 0 {
                id = try packetID(at: start, in: length)
                guard id != nil else { return nil }
            }
            let here = min(length, buffer.count - start)
            passing = Passing(bytes: length, id: id, rest: length - here)
            drop(to: start + here)
            return try read()
        }
        guard buffer.count - start >= length else { return nil }
        let packet = try MQTTPacket(first: first, body: buffer[start..<start + length], version)
        drop(to: start + length)
        return .packet(packet)
    }

    /// Behind the topic of a message; nil: more bytes are needed.
    private func packetID(at start: Int, in length: Int) throws(MQTTError) -> UInt16? {
        guard buffer.count - start >= 2 else { return nil }
        let topic = Int(buffer[start]) << 8 | Int(buffer[start + 1])
        guard topic + 4 <= length else { throw .cutShort(type: 3) }
        let place = start + 2 + topic
        guard buffer.count - place >= 2 else { return nil }
        let id = UInt16(buffer[place]) << 8 | UInt16(buffer[place + 1])
        guard id != 0 else { throw .noPacketID(type: 3) }
        return id
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
