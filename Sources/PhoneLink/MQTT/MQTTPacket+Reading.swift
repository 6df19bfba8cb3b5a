import AlarmModel

extension MQTTPacket {
    /// What the first byte says: type and flags that can be, or the error.
    static func check(first: UInt8) throws(MQTTError) {
        let flags = first & 0x0F
        let type = first >> 4
        switch type {
        case 3:
            let qos = flags >> 1 & 3
            guard qos < 2 else { throw .unexpectedQoS(qos) }
        case 8, 10: guard flags == 2 else { throw .badFlags(type: type, flags: flags) }
        case 1, 2, 4, 9, 11, 12, 13, 14, 15: guard flags == 0 else { throw .badFlags(type: type, flags: flags) }
        default: throw .unexpectedType(type)
        }
    }

    /// A packet from its first byte, which `check` let pass, and what comes after the length.
    init(first: UInt8, body: ArraySlice<UInt8>, _ version: MQTTVersion) throws(MQTTError) {
        let type = first >> 4
        var fields = MQTTFields(type: type, body)
        let isV5 = version == .v5
        switch type {
        case 1: self = .connect(try MQTTConnect(&fields))
        case 2:
            let flags = try fields.byte()
            guard flags <= 1 else { throw .badValue(type: type) }
            var connack = MQTTConnack(hasSession: flags == 1, reason: try fields.byte())
            // A broker of 3.1.1 answers in its own way to what it does not understand.
            if isV5, fields.count > 0 { connack.properties = try MQTTProperties(&fields) }
            self = .connack(connack)
        case 3:
            var publish = MQTTPublish(topic: try fields.text(), payload: [])
            publish.isDuplicate = first & 8 != 0
            publish.isRetained = first & 1 != 0
            if first & 2 != 0 { publish.id = try fields.packetID() }
            if isV5 { publish.properties = try MQTTProperties(&fields) }
            guard publish.properties.topicAlias == nil else { throw .topicAlias }
            guard Self.isTopic(publish.topic) else { throw .badTopic }
            publish.payload = fields.remainder()
            self = .publish(publish)
        case 4:
            var answer = MQTTAnswer(id: try fields.packetID())
            if isV5, fields.count > 0 { answer.reason = try fields.byte() }
            if isV5, fields.count > 0 { answer.properties = try MQTTProperties(&fields) }
            self = .puback(answer)
        case 8:
            let id = try fields.packetID()
            if isV5 { _ = try MQTTProperties(&fields) }
            self = .subscribe(id: id, try Self.subscriptions(&fields, isV5: isV5))
        case 9:
            let id = try fields.packetID()
            if isV5 { _ = try MQTTProperties(&fields) }
            self = .suback(id: id, fields.remainder())
        case 10:
            let id = try fields.packetID()
            if isV5 { _ = try MQTTProperties(&fields) }
            var filters: [String] = []
            while fields.count > 0 { filters.append(try fields.text()) }
            self = .unsubscribe(id: id, filters)
        case 11:
            let id = try fields.packetID()
            if isV5 { _ = try MQTTProperties(&fields) }
            self = .unsuback(id: id, isV5 ? fields.remainder() : [])
        case 12: self = .pingreq
        case 13: self = .pingresp
        case 14:
            let reason = isV5 && fields.count > 0 ? try fields.byte() : 0
            self = .disconnect(
                reason: reason, isV5 && fields.count > 0 ? try MQTTProperties(&fields) : MQTTProperties())
        case 15:
            guard isV5 else { throw .unexpectedType(type) }
            let reason = fields.count > 0 ? try fields.byte() : 0
            if fields.count > 0 { _ = try MQTTProperties(&fields) }
            self = .auth(reason: reason)
        default: throw .unexpectedType(type)
        }
        try fields.end()
    }

    /// A topic of a message: not empty, without wildcards.
    package static func isTopic(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 65535 && !text.utf8.contains { $0 == 0x23 || $0 == 0x2B || $0 == 0 }
    }

    private static func subscriptions(
        _ fields: inout MQTTFields, isV5: Bool
    ) throws(MQTTError) -> [MQTTSubscription] {
        var out: [MQTTSubscription] = []
        while fields.count > 0 {
            let filter = try fields.text()
            let options = try fields.byte()
            guard options & 3 <= 1, options & 0xC0 == 0, isV5 || options <= 1 else {
                throw .badValue(type: fields.type)
            }
            out.append(
                MQTTSubscription(
                    filter: filter, qos: options & 3, isNoLocal: options & 4 != 0, showsRetained: options & 8 != 0))
        }
        return out
    }
}

extension MQTTConnect {
    fileprivate init(_ fields: inout MQTTFields) throws(MQTTError) {
        guard try fields.text() == "MQTT" else { throw .badProtocolName }
        guard let version = MQTTVersion(rawValue: try fields.byte()) else { throw .badValue(type: 1) }
        let flags = try fields.byte()
        let hasWill = flags & 4 != 0
        guard flags & 1 == 0, flags >> 3 & 3 < 2, hasWill || flags & 0x38 == 0 else { throw .badValue(type: 1) }
        guard version == .v5 || flags & 0xC0 != 0x40 else { throw .badValue(type: 1) }
        let keepAlive = try fields.two()
        let properties = version == .v5 ? try MQTTProperties(&fields) : MQTTProperties()
        self.init(
            version: version, isClean: flags & 2 != 0, keepAlive: keepAlive, clientID: try fields.text(),
            properties: properties)
        if hasWill {
            if version == .v5 { _ = try MQTTProperties(&fields) }
            will = Will(
                topic: try fields.text(), payload: try fields.binary(), qos: flags >> 3 & 3,
                isRetained: flags & 0x20 != 0)
        }
        if flags & 0x80 != 0 { user = try fields.text() }
        if flags & 0x40 != 0 { password = Secret(try fields.text()) }
    }
}
