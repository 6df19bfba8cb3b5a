/// Bytes that are no MQTT, or more of it than we asked for. The connection has to end.
package enum MQTTError: Error, Codable, Equatable, Sendable, CustomStringConvertible {
    /// More than four bytes.
    case badLength
    /// Types 0, 5, 6 and 7: reserved, or of QoS 2, which nobody asked for.
    case unexpectedType(UInt8)
    case badFlags(type: UInt8, flags: UInt8)
    case unexpectedQoS(UInt8)
    /// A field goes beyond the packet's end.
    case cutShort(type: UInt8)
    case trailingBytes(type: UInt8, count: Int)
    /// Not UTF-8, or with U+0000.
    case badText(type: UInt8)
    /// A topic that is empty, or has wildcards where none may be.
    case badTopic
    case badProperty(UInt8)
    case badValue(type: UInt8)
    case badProtocolName
    /// The zero that names no packet.
    case noPacketID(type: UInt8)
    /// We allow none.
    case topicAlias
    /// Anything but a message that is longer than the reader's limit.
    case tooLong(type: UInt8, bytes: Int)

    package var description: String {
        switch self {
        case .badLength: "a packet's length has more than four bytes"
        case .unexpectedType(let type): "a packet of type \(type), which nobody asked for"
        case .badFlags(let type, let flags): "a packet of type \(type) with the flags \(flags)"
        case .unexpectedQoS(let qos): "a message with QoS \(qos), which nobody asked for"
        case .cutShort(let type): "a packet of type \(type) is shorter than its fields"
        case .trailingBytes(let type, let count): "a packet of type \(type) has \(count) bytes too many"
        case .badText(let type): "a packet of type \(type) has a text that is not UTF-8"
        case .badTopic: "a topic is empty or has wildcards"
        case .badProperty(let id): "the property \(id) is unknown, doubled or has a wrong value"
        case .badValue(let type): "a packet of type \(type) has a value out of range"
        case .badProtocolName: "the protocol's name is not MQTT"
        case .noPacketID(let type): "a packet of type \(type) has the number 0"
        case .topicAlias: "a message with a topic alias, which nobody allowed"
        case .tooLong(let type, let bytes): "a packet of type \(type) of \(bytes) bytes"
        }
    }
}
