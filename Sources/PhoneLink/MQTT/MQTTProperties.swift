/// The properties of a version 5 packet that mean something here; others are read and forgotten (MQTT 5, 2.2.2).
package struct MQTTProperties: Codable, Equatable, Sendable {
    /// Seconds.
    package var messageExpiry: UInt32?
    /// Seconds.
    package var serverKeepAlive: UInt16?
    package var serverReference: String?
    package var reasonText: String?
    /// QoS 1 messages under way at a time; never 0.
    package var receiveMaximum: UInt16?
    package var topicAlias: UInt16?
    /// 0 or 1; absent: 2.
    package var maximumQoS: UInt8?
    package var isRetainAvailable: Bool?
    /// Bytes of a whole packet; never 0.
    package var maximumPacketSize: UInt32?

    package init() {}

    private enum Shape { case byte, two, four, variable, text, binary, pair }

    private static func shape(_ id: UInt8) -> Shape? {
        switch id {
        case 0x01, 0x17, 0x19, 0x24, 0x25, 0x28, 0x29, 0x2A: .byte
        case 0x13, 0x21, 0x22, 0x23: .two
        case 0x02, 0x11, 0x18, 0x27: .four
        case 0x0B: .variable
        case 0x03, 0x08, 0x12, 0x15, 0x1A, 0x1C, 0x1F: .text
        case 0x09, 0x16: .binary
        case 0x26: .pair
        default: nil
        }
    }

    init(_ fields: inout MQTTFields) throws(MQTTError) {
        let length = try fields.variable()
        var own = MQTTFields(type: fields.type, try fields.take(length))
        var seen: UInt64 = 0
        while own.count > 0 {
            let id = try own.byte()
            guard let shape = Self.shape(id) else { throw .badProperty(id) }
            let isRepeatable = id == 0x26 || id == 0x0B
            guard isRepeatable || seen & 1 << UInt64(id) == 0 else { throw .badProperty(id) }
            seen |= 1 << UInt64(id)
            try read(id, shape, &own)
        }
    }

    private mutating func read(_ id: UInt8, _ shape: Shape, _ fields: inout MQTTFields) throws(MQTTError) {
        switch shape {
        case .byte:
            let value = try fields.byte()
            guard value <= 1 else { throw .badProperty(id) }
            if id == 0x24 { maximumQoS = value }
            if id == 0x25 { isRetainAvailable = value == 1 }
        case .two:
            let value = try fields.two()
            guard value != 0 || id == 0x13 || id == 0x22 else { throw .badProperty(id) }
            switch id {
            case 0x13: serverKeepAlive = value
            case 0x21: receiveMaximum = value
            case 0x23: topicAlias = value
            default: break
            }
        case .four:
            let value = try fields.four()
            if id == 0x02 { messageExpiry = value }
            guard id == 0x27 else { return }
            guard value != 0 else { throw .badProperty(id) }
            maximumPacketSize = value
        case .variable: _ = try fields.variable()
        case .text:
            let value = try fields.text()
            if id == 0x1C { serverReference = value }
            if id == 0x1F { reasonText = value }
        case .binary: _ = try fields.binary()
        case .pair:
            _ = try fields.text()
            _ = try fields.text()
        }
    }

    func write(to body: inout MQTTBody) {
        var own = MQTTBody()
        func two(_ id: UInt8, _ value: UInt16?) {
            guard let value else { return }
            own.byte(id)
            own.two(value)
        }
        func four(_ id: UInt8, _ value: UInt32?) {
            guard let value else { return }
            own.byte(id)
            own.four(value)
        }
        func text(_ id: UInt8, _ value: String?) {
            guard let value else { return }
            own.byte(id)
            own.text(value)
        }
        func byte(_ id: UInt8, _ value: UInt8?) {
            guard let value else { return }
            own.byte(id)
            own.byte(value)
        }
        four(0x02, messageExpiry)
        two(0x13, serverKeepAlive)
        text(0x1C, serverReference)
        text(0x1F, reasonText)
        two(0x21, receiveMaximum)
        two(0x23, topicAlias)
        byte(0x24, maximumQoS)
        byte(0x25, isRetainAvailable.map { $0 ? 1 : 0 })
        four(0x27, maximumPacketSize)
        body.variable(own.bytes.count)
        body.raw(own.bytes)
    }
}
