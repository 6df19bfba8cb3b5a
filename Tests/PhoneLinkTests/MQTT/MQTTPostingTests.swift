import AlarmModel
import PhoneLink
import Testing

@Suite("One message to a broker")
struct MQTTPostingTests {
    private static func posting(_ change: (inout MQTTSettings) -> Void = { _ in }) -> MQTTPosting {
        var settings = MQTTSettings(host: "broker.lan", user: "box", password: Secret("pass"), site: "home")
        change(&settings)
        return MQTTPosting(settings, topic: "howalarming/home/camera/garage", payload: [0xFF, 0xD8, 0x00, 0xD9])
    }

    private static func packets(_ bytes: [UInt8], _ version: MQTTVersion = .v311) -> [MQTTPacket] {
        var reader = MQTTReader(version: version)
        reader.append(bytes)
        var packets: [MQTTPacket] = []
        while case .packet(let packet)? = reader.next() { packets.append(packet) }
        return packets
    }

    private static let welcome = MQTTPacket.connack(MQTTConnack(reason: 0)).bytes(.v311)
    private static let taken = MQTTPacket.puback(MQTTAnswer(id: 1)).bytes(.v311)

    @Test("login, message, acknowledgement, however the answers are cut; nothing is left at the broker")
    func loginMessageAcknowledgement() throws {
        let answers = Self.welcome + Self.taken
        for cut in 0...answers.count {
            var posting = Self.posting()
            guard case .connect(let connect)? = Self.packets(posting.opening).first else {
                Issue.record("it does not begin with a login")
                return
            }
            #expect(connect.isClean && connect.will == nil && connect.user == "box")
            #expect(connect.password?.revealed == "pass" && connect.clientID == "howalarming-home")
            let words = posting.received(Array(answers[..<cut])) + posting.received(Array(answers[cut...]))
            #expect(words.count == 2 && words.last == .taken)
            guard case .send(let bytes)? = words.first, case .publish(let publish)? = Self.packets(bytes).first else {
                Issue.record("no message is sent")
                return
            }
            #expect(publish.topic == "howalarming/home/camera/garage" && publish.payload == [0xFF, 0xD8, 0x00, 0xD9])
            #expect(!publish.isRetained && publish.id == 1)
            #expect(posting.received(Self.taken).isEmpty)
        }
    }

    @Test("version 5 is spoken where it is configured")
    func versionFive() {
        var posting = Self.posting { $0.protocolVersion = .v5 }
        guard case .connect(let connect)? = Self.packets(posting.opening, .v5).first else {
            Issue.record("it does not begin with a login")
            return
        }
        #expect(connect.version == .v5)
        _ = posting.received(MQTTPacket.connack(MQTTConnack(reason: 0)).bytes(.v5))
        let refused = posting.received(MQTTPacket.puback(MQTTAnswer(id: 1, reason: 0x87)).bytes(.v5))
        guard case .failed(let why)? = refused.last else {
            Issue.record("a message that was not taken is none")
            return
        }
        #expect(why.contains("not authorised"))
    }

    @Test("a login that is refused says what to do, and what is no broker is named so")
    func aLoginThatIsRefused() {
        var refused = Self.posting()
        let answer = MQTTPacket.connack(MQTTConnack(reason: 4)).bytes(.v311)
        #expect(
            refused.received(answer) == [
                .failed(
                    "the MQTT broker does not let us in: bad user name or password; check user and password in the "
                        + "configuration")
            ])
        for bytes in [Array("HTTP/1.1 400 Bad Request\r\n\r\n".utf8), Self.taken, [0xD0, 0x00]] {
            var other = Self.posting()
            let words = other.received(bytes)
            guard words.count == 1, case .failed? = words.first else {
                Issue.record("\(bytes) gives \(words)")
                continue
            }
        }
    }
}
