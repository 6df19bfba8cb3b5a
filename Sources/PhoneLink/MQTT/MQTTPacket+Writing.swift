import AlarmModel

extension MQTTPacket {
    /// The packet as it goes over the wire. Texts and fields have at most 65535 bytes.
    package func bytes(_ version: MQTTVersion) -> [UInt8] {
        var body = MQTTBody()
        let isV5 = version == .v5
        var flags: UInt8 = 0
        switch self {
        case .connect(let connect): connect.write(to: &body)
        case .connack(let connack):
            body.byte(connack.hasSession ? 1 : 0)
            body.byte(connack.reason)
            if isV5 { connack.properties.write(to: &body) }
        case .publish(let publish):
            flags = (publish.isDuplicate ? 8 : 0) | (publish.id == nil ? 0 : 2) | (publish.isRetained ? 1 : 0)
            body.text(publish.topic)
            if let id = publish.id { body.two(id) }
            if isV5 { publish.properties.write(to: &body) }
            body.raw(publish.payload)
        case .puback(let answer):
            body.two(answer.id)
            let isPlain = answer.reason == 0 && answer.properties == MQTTProperties()
            if isV5, !isPlain {
                body.byte(answer.reason)
                answer.properties.write(to: &body)
            }
        case .subscribe(let id, let subscriptions):
            flags = 2
            body.two(id)
            if isV5 { body.byte(0) }
            for subscription in subscriptions {
                body.text(subscription.filter)
                let options: UInt8 = (subscription.isNoLocal ? 4 : 0) | (subscription.showsRetained ? 8 : 0)
                body.byte(subscription.qos | (isV5 ? options : 0))
            }
        case .suback(let id, let reasons):
            body.two(id)
            if isV5 { body.byte(0) }
            body.raw(reasons)
        case .unsubscribe(let id, let filters):
            flags = 2
            body.two(id)
            if isV5 { body.byte(0) }
            for filter in filters { body.text(filter) }
        case .unsuback(let id, let reasons):
            body.two(id)
            if isV5 {
                body.byte(0)
                body.raw(reasons)
            }
        case .pingreq, .pingresp: break
        case .disconnect(let reason, let properties):
            if isV5, reason != 0 || properties != MQTTProperties() {
                body.byte(reason)
                properties.write(to: &body)
            }
        case .auth(let reason):
            if reason != 0 {
                body.byte(reason)
                body.byte(0)
            }
        }
        return [type << 4 | flags] + MQTTBody.variable(body.bytes.count) + body.bytes
    }
}

extension MQTTConnect {
    fileprivate func write(to body: inout MQTTBody) {
        body.text("MQTT")
        body.byte(version.rawValue)
        var flags: UInt8 = isClean ? 2 : 0
        if let will { flags |= 4 | will.qos << 3 | (will.isRetained ? 0x20 : 0) }
        if user != nil { flags |= 0x80 }
        // 3.1.1 knows no password without a user.
        let sentPassword = version == .v5 || user != nil ? password : nil
        if sentPassword != nil { flags |= 0x40 }
        body.byte(flags)
        body.two(keepAlive)
        if version == .v5 { properties.write(to: &body) }
        body.text(clientID)
        if let will {
            if version == .v5 { body.byte(0) }
            body.text(will.topic)
            body.binary(will.payload)
        }
        if let user { body.text(user) }
        if let sentPassword { body.text(sentPassword.revealed) }
    }
}
