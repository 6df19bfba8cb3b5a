package import AlarmModel

/// The protocol's level as CONNECT carries it.
package enum MQTTVersion: UInt8, Codable, Equatable, Sendable, CaseIterable {
    case v311 = 4
    case v5 = 5
}

/// A control packet of MQTT 3.1.1 or 5, as far as a client with clean sessions and QoS 0 and 1 meets them. Both sides'
/// packets are here, so that a broker of ours can be made of it for tests.
package enum MQTTPacket: Codable, Equatable, Sendable {
    case connect(MQTTConnect)
    case connack(MQTTConnack)
    case publish(MQTTPublish)
    case puback(MQTTAnswer)
    case subscribe(id: UInt16, [MQTTSubscription])
    /// One reason for each filter: the QoS granted, 128 and above for refusals.
    case suback(id: UInt16, [UInt8])
    case unsubscribe(id: UInt16, [String])
    /// 3.1.1 gives no reasons.
    case unsuback(id: UInt16, [UInt8])
    case pingreq
    case pingresp
    /// A server says it in version 5 only.
    case disconnect(reason: UInt8, MQTTProperties)
    /// Version 5 only; we never ask for such a login.
    case auth(reason: UInt8)

    /// The number in the upper half of the first byte.
    package var type: UInt8 {
        switch self {
        case .connect: 1
        case .connack: 2
        case .publish: 3
        case .puback: 4
        case .subscribe: 8
        case .suback: 9
        case .unsubscribe: 10
        case .unsuback: 11
        case .pingreq: 12
        case .pingresp: 13
        case .disconnect: 14
        case .auth: 15
        }
    }
}

package struct MQTTConnect: Codable, Equatable, Sendable {
    /// What the broker publishes, with QoS 1 and retained, when we vanish.
    package struct Will: Codable, Equatable, Sendable {
        package var topic: String
        package var payload: [UInt8]
        package var qos: UInt8
        package var isRetained: Bool
        package init(topic: String, payload: [UInt8], qos: UInt8 = 1, isRetained: Bool = true) {
            self.topic = topic
            self.payload = payload
            self.qos = qos
            self.isRetained = isRetained
        }
    }
    package var version: MQTTVersion
    package var isClean: Bool
    /// Seconds; 0: none.
    package var keepAlive: UInt16
    package var clientID: String
    package var will: Will?
    package var user: String?
    package var password: Secret?
    package var properties: MQTTProperties

    package init(
        version: MQTTVersion, isClean: Bool = true, keepAlive: UInt16, clientID: String, will: Will? = nil,
        user: String? = nil, password: Secret? = nil, properties: MQTTProperties = MQTTProperties()
    ) {
        self.version = version
        self.isClean = isClean
        self.keepAlive = keepAlive
        self.clientID = clientID
        self.will = will
        self.user = user
        self.password = password
        self.properties = properties
    }
}

package struct MQTTConnack: Codable, Equatable, Sendable {
    package var hasSession: Bool
    /// 0: welcome. Otherwise a return code of 3.1.1 (1 to 5) or a reason of version 5 (128 and above).
    package var reason: UInt8
    package var properties: MQTTProperties
    package init(hasSession: Bool = false, reason: UInt8, properties: MQTTProperties = MQTTProperties()) {
        self.hasSession = hasSession
        self.reason = reason
        self.properties = properties
    }
}

package struct MQTTPublish: Codable, Equatable, Sendable {
    package var topic: String
    package var payload: [UInt8]
    /// nil: QoS 0; QoS 1 otherwise, never 0.
    package var id: UInt16?
    package var isRetained: Bool
    package var isDuplicate: Bool
    package var properties: MQTTProperties
    package init(
        topic: String, payload: [UInt8], id: UInt16? = nil, isRetained: Bool = false, isDuplicate: Bool = false,
        properties: MQTTProperties = MQTTProperties()
    ) {
        self.topic = topic
        self.payload = payload
        self.id = id
        self.isRetained = isRetained
        self.isDuplicate = isDuplicate
        self.properties = properties
    }
}

package struct MQTTAnswer: Codable, Equatable, Sendable {
    package var id: UInt16
    /// 0 in 3.1.1; below 128 the broker has it.
    package var reason: UInt8
    package var properties: MQTTProperties
    package init(id: UInt16, reason: UInt8 = 0, properties: MQTTProperties = MQTTProperties()) {
        self.id = id
        self.reason = reason
        self.properties = properties
    }
}

package struct MQTTSubscription: Codable, Equatable, Sendable {
    package var filter: String
    /// 0 or 1.
    package var qos: UInt8
    /// What we publish there ourselves does not come back; version 5 only.
    package var isNoLocal: Bool
    /// What is published there to be retained is marked so even as it comes; version 5 only.
    package var showsRetained: Bool
    package init(filter: String, qos: UInt8, isNoLocal: Bool = false, showsRetained: Bool = false) {
        self.filter = filter
        self.qos = qos
        self.isNoLocal = isNoLocal
        self.showsRetained = showsRetained
    }
}
