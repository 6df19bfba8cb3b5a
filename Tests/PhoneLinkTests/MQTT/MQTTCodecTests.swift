import AlarmModel
import PhoneLink
import Testing

@Suite("Reading and writing MQTT")
struct MQTTCodecTests {
    /// All packets, in the forms that we and brokers use.
    static let packets: [MQTTPacket] = {
        var welcome = MQTTProperties()
        welcome.receiveMaximum = 20
        welcome.maximumPacketSize = 100_000
        welcome.serverKeepAlive = 30
        welcome.maximumQoS = 1
        welcome.isRetainAvailable = true
        welcome.reasonText = "schön"
        welcome.serverReference = "other:1883"
        var expiring = MQTTProperties()
        expiring.messageExpiry = 3600
        return [
            .connack(MQTTConnack(reason: 0)), .connack(MQTTConnack(hasSession: true, reason: 0)),
            .connack(MQTTConnack(reason: 0x87, properties: welcome)),
            .publish(MQTTPublish(topic: "a/b", payload: Array("{}".utf8), id: 7)),
            .publish(MQTTPublish(topic: "a", payload: [], isRetained: true)),
            .publish(
                MQTTPublish(
                    topic: "ü", payload: [0, 255], id: 65535, isRetained: true, isDuplicate: true,
                    properties: expiring)),
            .publish(MQTTPublish(topic: "long", payload: [UInt8](repeating: 0x78, count: 20_000), id: 8)),
            .puback(MQTTAnswer(id: 1)), .puback(MQTTAnswer(id: 2, reason: 0x10)),
            .puback(MQTTAnswer(id: 3, reason: 0x87, properties: welcome)),
            .subscribe(
                id: 9, [MQTTSubscription(filter: "a/+/set", qos: 1), MQTTSubscription(filter: "#", qos: 0)]),
            .suback(id: 9, [1, 0x80]), .unsubscribe(id: 10, ["a", "b/#"]), .unsuback(id: 10, [0, 0x11]),
            .pingreq, .pingresp, .disconnect(reason: 0, MQTTProperties()), .disconnect(reason: 0x8E, welcome),
            .auth(reason: 0x18),
            .connect(
                MQTTConnect(
                    version: .v5, keepAlive: 60, clientID: "c",
                    will: MQTTConnect.Will(topic: "w", payload: Array("offline".utf8)), user: "u",
                    password: Secret("p"), properties: expiring)),
        ]
    }()

    static func read(_ pieces: [ArraySlice<UInt8>], _ version: MQTTVersion, limit: Int = 65536) -> [MQTTReader.Event] {
        var reader = MQTTReader(version: version, limit: limit)
        var events: [MQTTReader.Event] = []
        for piece in pieces {
            reader.append(piece)
            while let event = reader.next() { events.append(event) }
        }
        return events
    }

    @Test("a packet is the same when it is written and read again")
    func aPacketIsTheSameWhenItIsWrittenAndReadAgain() {
        for packet in Self.packets {
            #expect(Self.read([packet.bytes(.v5)[...]], .v5) == [.packet(packet)])
        }
        let old = MQTTPacket.connect(
            MQTTConnect(version: .v311, isClean: true, keepAlive: 10, clientID: "", user: "u", password: Secret("p")))
        #expect(Self.read([old.bytes(.v311)[...]], .v311) == [.packet(old)])
    }

    @Test("a stream reads the same wherever it is cut", arguments: MQTTVersion.allCases)
    func aStreamReadsTheSameWhereverItIsCut(version: MQTTVersion) {
        let small = Self.packets.filter { packet in
            if case .auth = packet { return false }
            return packet.bytes(version).count < 1000
        }
        let stream = small.flatMap { $0.bytes(version) }
        let whole = Self.read([stream[...]], version)
        #expect(whole.count == small.count)
        for cut in 1..<stream.count {
            #expect(Self.read([stream[..<cut], stream[cut...]], version) == whole)
        }
        #expect(Self.read(stream.indices.map { stream[$0...$0] }, version) == whole)
    }

    @Test("the bytes are those of the specification")
    func theBytesAreThoseOfTheSpecification() {
        // MQTT 5, 3.1: protocol name, level, flags, keep alive, properties, client id, will, user, password.
        var connect = MQTTConnect(
            version: .v5, keepAlive: 60, clientID: "id", will: MQTTConnect.Will(topic: "w", payload: [0x6F]),
            user: "u", password: Secret("pw"))
        let v5: [UInt8] = [
            0x10, 0x1E, 0, 4, 0x4D, 0x51, 0x54, 0x54, 5, 0xEE, 0, 60, 0, 0, 2, 0x69, 0x64, 0, 0, 1, 0x77, 0, 1, 0x6F,
            0, 1, 0x75, 0, 2, 0x70, 0x77,
        ]
        #expect(MQTTPacket.connect(connect).bytes(.v5) == [v5[0], UInt8(v5.count - 2)] + v5.dropFirst(2))
        connect.version = .v311
        let v311: [UInt8] = [
            0, 4, 0x4D, 0x51, 0x54, 0x54, 4, 0xEE, 0, 60, 0, 2, 0x69, 0x64, 0, 1, 0x77, 0, 1, 0x6F, 0, 1, 0x75, 0, 2,
            0x70, 0x77,
        ]
        #expect(MQTTPacket.connect(connect).bytes(.v311) == [0x10, UInt8(v311.count)] + v311)
        connect.user = nil
        connect.password = nil
        connect.will = nil
        #expect(MQTTPacket.connect(connect).bytes(.v311)[9] == 2)

        let publish = MQTTPacket.publish(MQTTPublish(topic: "a/b", payload: [0x21], id: 10, isRetained: true))
        #expect(publish.bytes(.v311) == [0x33, 8, 0, 3, 0x61, 0x2F, 0x62, 0, 10, 0x21])
        #expect(publish.bytes(.v5) == [0x33, 9, 0, 3, 0x61, 0x2F, 0x62, 0, 10, 0, 0x21])
        for (isNoLocal, showsRetained, options) in [(true, false, 5), (false, true, 9), (true, true, 13)] {
            let subscription = MQTTSubscription(
                filter: "x", qos: 1, isNoLocal: isNoLocal, showsRetained: showsRetained)
            let subscribe = MQTTPacket.subscribe(id: 1, [subscription])
            #expect(subscribe.bytes(.v311) == [0x82, 6, 0, 1, 0, 1, 0x78, 1])
            #expect(subscribe.bytes(.v5) == [0x82, 7, 0, 1, 0, 0, 1, 0x78, UInt8(options)])
        }
        #expect(MQTTPacket.pingreq.bytes(.v5) == [0xC0, 0])
        #expect(MQTTPacket.disconnect(reason: 0, MQTTProperties()).bytes(.v5) == [0xE0, 0])
        #expect(MQTTPacket.puback(MQTTAnswer(id: 258)).bytes(.v5) == [0x40, 2, 1, 2])
        // Lengths as in 2.1.4.
        for (length, front) in [(127, [0x7F]), (128, [0x80, 1]), (16383, [0xFF, 0x7F]), (16384, [0x80, 0x80, 1])] {
            let payload = [UInt8](repeating: 0, count: length - 3)
            let bytes = MQTTPacket.publish(MQTTPublish(topic: "t", payload: payload)).bytes(.v311)
            #expect(bytes.dropFirst().prefix(front.count).map { Int($0) } == front)
        }
    }

    @Test("properties that mean nothing here are passed over, whatever their form")
    func propertiesThatMeanNothingHereArePassedOver() {
        let properties: [UInt8] =
            [0x11, 0, 0, 0, 9, 0x26, 0, 1, 0x61, 0, 1, 0x62, 0x26, 0, 1, 0x61, 0, 1, 0x62, 0x0B, 0x80, 1, 0x16, 0, 2]
            + [1, 2, 0x2A, 1, 0x12, 0, 1, 0x61, 0x22, 0, 0, 0x21, 0, 5]
        let body: [UInt8] = [0, 0, UInt8(properties.count)] + properties
        let events = Self.read([([0x20, UInt8(body.count)] + body)[...]], .v5)
        var wanted = MQTTProperties()
        wanted.receiveMaximum = 5
        #expect(events == [.packet(.connack(MQTTConnack(reason: 0, properties: wanted)))])
    }

    @Test("an answer in the old form to the new protocol is understood")
    func anAnswerInTheOldFormToTheNewProtocolIsUnderstood() {
        #expect(Self.read([[0x20, 2, 0, 1]], .v5) == [.packet(.connack(MQTTConnack(reason: 1)))])
    }

    @Test(
        "what is no MQTT is told apart",
        arguments: [
            ([0x20, 0x80, 0x80, 0x80, 0x80, 1], MQTTError.badLength), ([0x00], .unexpectedType(0)),
            ([0x50], .unexpectedType(5)), ([0x21], .badFlags(type: 2, flags: 1)), ([0x34], .unexpectedQoS(2)),
            ([0x36], .unexpectedQoS(3)), ([0x20, 1, 0], .cutShort(type: 2)), ([0x20, 2, 2, 0], .badValue(type: 2)),
            ([0x40, 2, 0, 0], .noPacketID(type: 4)), ([0xD0, 1, 0], .trailingBytes(type: 13, count: 1)),
            ([0x30, 4, 0, 1, 0x23, 0], .badTopic), ([0x30, 3, 0, 0, 0], .badTopic),
            ([0x30, 4, 0, 1, 0xFF, 0], .badText(type: 3)), ([0x30, 4, 0, 1, 0x00, 0], .badText(type: 3)),
            ([0x30, 7, 0, 1, 0x61, 3, 0x23, 0, 1], .topicAlias), ([0x30, 5, 0, 1, 0x61, 1, 0x7F], .badProperty(0x7F)),
            ([0x20, 6, 0, 0, 3, 0x21, 0, 0], .badProperty(0x21)), ([0x20, 3, 0, 0, 9], .cutShort(type: 2)),
            ([0x20, 7, 0, 0, 4, 0x25, 1, 0x25, 1], .badProperty(0x25)),
            ([0x20, 8, 0, 0, 5, 0x27, 0, 0, 0, 0], .badProperty(0x27)),
            ([0x20, 0x81, 0x80, 4], .tooLong(type: 2, bytes: 65537)),
            (Array("HTTP/1.1 400 Bad Request\r\n".utf8), .badFlags(type: 4, flags: 8)),
            (Array("SSH-2.0".utf8), .unexpectedType(5)),
        ])
    func whatIsNoMQTTIsToldApart(bytes: [UInt8], error: MQTTError) {
        #expect(Self.read([bytes[...]], .v5) == [.failed(error)])
        #expect(Self.read(bytes.indices.map { bytes[$0...$0] }, .v5) == [.failed(error)])
        #expect(!error.description.isEmpty)
    }

    @Test(
        "a message that is too long is passed over with its id, and what follows is read, wherever it is cut",
        arguments: [("t", 300, 7), ("t", 300, nil), (String(repeating: "t", count: 300), 0, 65535)]
            as [(String, Int, UInt16?)])
    func aMessageThatIsTooLongIsPassedOverWithItsId(topic: String, payload: Int, id: UInt16?) {
        let publish = MQTTPublish(topic: topic, payload: [UInt8](repeating: 0x33, count: payload), id: id)
        let long = MQTTPacket.publish(publish).bytes(.v5)
        let stream = MQTTPacket.pingresp.bytes(.v5) + long + MQTTPacket.puback(MQTTAnswer(id: 5)).bytes(.v5)
        let wanted: [MQTTReader.Event] = [
            .packet(.pingresp), .passedOver(bytes: long.count - 3, id: id), .packet(.puback(MQTTAnswer(id: 5))),
        ]
        for cut in 1..<stream.count {
            #expect(Self.read([stream[..<cut], stream[cut...]], .v5, limit: 200) == wanted)
        }
        #expect(Self.read(stream.indices.map { stream[$0...$0] }, .v5, limit: 200) == wanted)
    }

    @Test("a message that is too long and has no room for its id, or 0 for one, ends the stream")
    func aMessageThatIsTooLongAndHasNoRoomForItsId() {
        let length: [UInt8] = [0xAC, 0x02]
        let short: [UInt8] = [0x32] + length + [0xFF, 0xFF]
        let zero: [UInt8] = [0x32] + length + [0, 1, 0x74, 0, 0]
        #expect(Self.read([short[...]], .v5, limit: 200) == [.failed(.cutShort(type: 3))])
        #expect(Self.read([zero[...]], .v5, limit: 200) == [.failed(.noPacketID(type: 3))])
    }
}
