/// Takes the fields of one packet apart, front to back.
struct MQTTFields {
    let type: UInt8
    private var rest: ArraySlice<UInt8>

    init(type: UInt8, _ body: ArraySlice<UInt8>) {
        self.type = type
        rest = body
    }

    var count: Int { rest.count }

    mutating func byte() throws(MQTTError) -> UInt8 {
        guard let value = rest.popFirst() else { throw .cutShort(type: type) }
        return value
    }

    mutating func two() throws(MQTTError) -> UInt16 { UInt16(try byte()) << 8 | UInt16(try byte()) }

    mutating func four() throws(MQTTError) -> UInt32 { UInt32(try two()) << 16 | UInt32(try two()) }

    mutating func packetID() throws(MQTTError) -> UInt16 {
        let id = try two()
        guard id != 0 else { throw .noPacketID(type: type) }
        return id
    }

    /// Variable byte integer, 0…268 435 455.
    mutating func variable() throws(MQTTError) -> Int {
        var value = 0
        for shift in [0, 7, 14, 21] {
            let next = try byte()
            value |= Int(next & 0x7F) << shift
            if next & 0x80 == 0 { return value }
        }
        throw .badLength
    }

    mutating func take(_ count: Int) throws(MQTTError) -> ArraySlice<UInt8> {
        guard count <= rest.count else { throw .cutShort(type: type) }
        let taken = rest.prefix(count)
        rest = rest.dropFirst(count)
        return taken
    }

    mutating func binary() throws(MQTTError) -> [UInt8] { Array(try take(Int(try two()))) }

    mutating func text() throws(MQTTError) -> String {
        let bytes = try take(Int(try two()))
        guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else {
            throw .badText(type: type)
        }
        return text
    }

    mutating func remainder() -> [UInt8] {
        defer { rest = [] }
        return Array(rest)
    }

    func end() throws(MQTTError) {
        guard rest.isEmpty else { throw .trailingBytes(type: type, count: rest.count) }
    }
}

/// Puts the fields of one packet together.
struct MQTTBody {
    private(set) var bytes: [UInt8] = []

    mutating func byte(_ value: UInt8) { bytes.append(value) }
    mutating func two(_ value: UInt16) { bytes += [UInt8(value >> 8), UInt8(value & 0xFF)] }
    mutating func four(_ value: UInt32) {
        two(UInt16(value >> 16))
        two(UInt16(value & 0xFFFF))
    }
    mutating func raw(_ value: some Sequence<UInt8>) { bytes += value }

    mutating func binary(_ value: [UInt8]) {
        precondition(value.count <= 65535, "a field of MQTT holds at most 65535 bytes")
        two(UInt16(value.count))
        bytes += value
    }
    mutating func text(_ value: String) { binary(Array(value.utf8)) }

    mutating func variable(_ value: Int) { bytes += Self.variable(value) }

    static func variable(_ value: Int) -> [UInt8] {
        precondition((0...268_435_455).contains(value), "a length of MQTT has at most four bytes")
        var rest = value
        var bytes: [UInt8] = []
        repeat {
            bytes.append(UInt8(rest & 0x7F) | (rest > 0x7F ? 0x80 : 0))
            rest >>= 7
        } while rest > 0
        return bytes
    }
}
