import AlarmModel
import PhoneProtocol

/// The transport keys of a paired phone. Printing shows nothing.
public struct PhoneSecrets: Equatable, Sendable {
    let channel: PhoneChannel

    init(_ channel: PhoneChannel) { self.channel = channel }

    /// Reads what `storage` gave; nil when it is something else.
    public init?(storage: [UInt8]) {
        guard let channel = try? PhoneChannel(bytes: storage) else { return nil }
        self.channel = channel
    }

    /// For the key chain ("after first unlock, this device only"), and for nothing else.
    public var storage: [UInt8] { channel.bytes }

    /// 16 hexadecimal digits: how the box names this phone. No secret inside the house.
    public var phone: String { channel.phone.description }
}

extension PhoneSecrets: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "the keys of phone \(phone)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
