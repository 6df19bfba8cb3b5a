import AlarmModel
import Companion
import Glibc
import PhoneProtocol
import Platform
import Simulators
import Testing

@testable import Laboratory

@Suite("The virtual phone")
struct VirtualPhoneTests {
    typealias Phone = VirtualPhone<OpenSSLCrypto>

    /// A phone and the vault of a box.
    struct House {
        var vault = KeyVault(crypto: OpenSSLCrypto())
        var phone: Phone
        var now = Moment(
            boot: BootTime(nanoseconds: 5_000_000_000), wall: WallTime(milliseconds: 1_795_228_190_000),
            isWallTrusted: true)
        var actions: [Phone.Action] = []
        var id = PhoneID(0)

        init() throws {
            let key1 = try #require(OpenSSLSigner(ed25519Seed: [UInt8](0xA0..<0xC0)))
            let key2 = try #require(OpenSSLSigner(ed25519Seed: [UInt8](0xC0..<0xE0)))
            let signers = PhoneSigners(key1: key1, key2: key2)
            phone = Phone(token: "t1", name: "Anna", signers: signers, crypto: OpenSSLCrypto())
        }

        var printed: [String] {
            actions.compactMap { action in
                if case .print(let line) = action { line } else { nil }
            }
        }

        /// What the box would read out of the phone's messages.
        var sent: [[UInt8]] {
            actions.compactMap { action in
                guard case .tell(let json) = action, let text = json["send"]?["data"]?["e"]?.stringValue else {
                    return nil
                }
                return PhoneWire.bytes(text)
            }
        }

        mutating func hears(_ bytes: [UInt8]) {
            let data = JSON.object(["v": .string("2"), "e": .string(PhoneWire.text(bytes))])
            phone.heard(.object(["message": .object(["data": data])]), at: now, into: &actions)
        }

        mutating func hears(_ key: String, _ value: JSON) {
            phone.heard(.object([key: value]), at: now, into: &actions)
        }

        mutating func pair() throws {
            _ = vault.carryOut(.beginPairing(servers: [RendezvousPlace(kind: .ccsSender, place: "123456789012")]))
            let code = try #require(vault.groupedPairingText)
            phone.perform(.pair(code.revealed), at: now, into: &actions)
            hears("ready", .bool(true))
            let frame = try #require(sent.last)
            guard case .pairingHeard(let heard) = vault.carryOut(.handshake(frame: frame, siteName: "Home")) else {
                return
            }
            hears(heard.answer)
            let digits = try #require(phone.digits)
            guard case .confirmed(let phone) = vault.carryOut(.confirm(Secret(digits))) else { return }
            id = phone
        }

        mutating func seal(_ kind: BoxMessage.Kind, _ content: JSON) throws -> [UInt8] {
            guard
                case .sealed(let bytes) = vault.carryOut(
                    .seal(id, BoxMessage(kind, content: content), challengeUntil: nil))
            else { return [] }
            return bytes
        }

        func verbs() -> [String] {
            sent.compactMap { bytes in
                guard case .opened(_, let message, _) = vault.carryOutOpen(bytes) else { return nil }
                switch message {
                case .request(let request): return request.verb
                case .command(let command): return command.verb
                }
            }
        }
    }

    @Test("it pairs once its channel stands, stores its keys and shows the digits")
    func itPairsOnceItsChannelStands() throws {
        var house = try House()
        house.phone.connected(into: &house.actions)
        #expect(house.actions.first == .tell(.object(["hello": .string("t1"), "client": .string("ios")])))
        try house.pair()
        #expect(house.sent.count == 1)
        #expect(house.printed.contains("digits \(house.phone.digits ?? "none")"))
        #expect(house.actions.contains(.store))
        #expect(house.phone.phone?.secrets?.phone == house.id.description)
    }

    @Test("an event is a line, a dropped backlog and a new token ask the box")
    func anEventIsALine() throws {
        var house = try House()
        try house.pair()
        let welcome = JSON.object([
            "roles": .string("view"), "log": .string("00000001"), "seq": .string("0"), "now": .string("1795228180"),
            "boot": .string("1"), "up": .string("100"),
        ])
        house.hears(try house.seal(.welcome, welcome))
        house.actions = []
        let event = JSON.object([
            "code": .string("601"), "raw": .string("6011001"), "type": .string("alarm"), "message": .string("alarm"),
            "timestamp": .string("1795228190"), "log": .string("00000001"), "seq": .string("1"), "part": .string("1"),
            "st": .string("a=a;r=0;al=1;t=0;z=1;x="),
        ])
        let envelope = try house.seal(.event, event)
        house.hears(envelope)
        house.hears(envelope)
        #expect(house.printed.filter { $0.hasPrefix("event") } == ["event 00000001.1 alarm 601 alarm"])
        #expect(house.verbs() == ["got", "got"])
        house.actions = []
        house.phone.perform(.log, at: house.now, into: &house.actions)
        house.phone.perform(.state, at: house.now, into: &house.actions)
        let told = [
            "log 00000001.1 alarm 601 alarm", "log end rows=1 missing=0",
            "state p1 away ready=0 alarm=1 trouble=0 open=1 bypassed= at 00000001.1",
        ]
        #expect(Array(house.printed.dropLast()) == told)
        #expect(house.printed.last?.hasPrefix("last contact 20") == true)
        house.actions = []
        house.hears("deleted", .bool(true))
        #expect(house.verbs() == ["ping"])
        house.actions = []
        house.hears("token", .string("t2"))
        #expect(house.phone.token == "t2")
        #expect(house.verbs() == ["addr", "ping"])
        #expect(house.actions.first == .store)
    }

    @Test("an alarm is shown as a notice with the zone in its title; a row that comes again is not shown")
    func anAlarmIsShownAsANotice() throws {
        var house = try House()
        try house.pair()
        let alarm = HouseEvent(
            position: nil, type: "alarm", code: "601", raw: "6011003",
            message: "Alarm: zone 3 Kitchen window, partition 1 Ground floor", timestamp: 1_795_228_190, partition: 1,
            zone: 3, zoneName: "Kitchen window", state: "a=a;r=0;al=1")
        var again = alarm
        again.isRepeat = true
        let memory = try #require(house.phone.phone?.memory)
        let notice = try #require(PhoneText.notice(alarm, of: memory))
        #expect(notice.title == "Home: ALARM, Kitchen window" && notice.text == "Ground floor, armed away.")
        #expect(PhoneText.notice(again, of: memory) == nil)
    }

    @Test("a phone is prepared for a command when the box has answered with a challenge, and not before")
    func aPhoneIsPreparedByTheAnswerOfTheBox() throws {
        var house = try House()
        try house.pair()
        let status: JSON = .object([
            "roles": .string("view"), "log": .string("00000001"), "seq": .string("0"), "now": .string("1795228180"),
            "boot": .string("1"), "up": .string("100"),
        ])
        house.hears(try house.seal(.welcome, status))
        house.phone.perform(.prepare, at: house.now, into: &house.actions)
        #expect(!house.printed.contains("prepared"))
        let ping = try #require(house.sent.last)
        guard case .opened(_, .request(let request), _) = house.vault.carryOutOpen(ping) else {
            Issue.record("the box was asked for nothing")
            return
        }
        let answer = BoxMessage(.status, rid: request.rid, content: status)
        guard case .sealed(let bytes) = house.vault.carryOut(.seal(house.id, answer, challengeUntil: 1000)) else {
            Issue.record("the answer was not sealed")
            return
        }
        house.hears(bytes)
        #expect(house.printed.contains("prepared"))
    }

    @Test("the counter is stored before the command is told")
    func theCounterIsStoredBeforeTheCommandIsTold() throws {
        var house = try House()
        try house.pair()
        house.actions = []
        house.phone.perform(.command(.panic(.fire)), at: house.now, into: &house.actions)
        let store = try #require(house.actions.firstIndex(of: .store))
        let tell = try #require(
            house.actions.firstIndex { if case .tell = $0 { true } else { false } })
        #expect(store < tell)
        #expect(house.verbs() == ["panic"])
        #expect(house.printed == ["command 1 panic pending"])
        house.hears("error", .object(["id": .string("p9"), "code": .integer(501)]))
        #expect(house.printed.last == "error 501 for p9")
    }

    @Test("words are understood exactly")
    func wordsAreUnderstoodExactly() {
        #expect(PhoneWord("arm stay") == .command(.arm(partition: 1, mode: .stay, force: false)))
        #expect(PhoneWord("bypass 3") == .command(.bypass(zone: 3, on: true)))
        #expect(PhoneWord("bypass 3 off") == .command(.bypass(zone: 3, on: false)))
        #expect(PhoneWord("pair HA2:AB CD") == .pair("HA2:ABCD"))
        #expect(PhoneWord("wait-for command 1 ok") == .waitFor("command 1 ok"))
        for wrong in ["", "arm now", "bypass 65", "bypass x", "panic", "panic help", "disarm 1 2", "pair", "output 5"] {
            #expect(PhoneWord(wrong) == nil, "\(wrong)")
        }
    }

    @Test("keys, log and token survive a restart, in a file for the owner alone")
    func keysLogAndTokenSurviveARestartInAFileForTheOwnerAlone() throws {
        let path = "/tmp/howalarming-phone-\(getpid())-\(Random.bytes(4).map(String.init).joined())"
        defer { unlink(path) }
        var house = try House()
        try house.pair()
        var file = try PhoneKeyFile(path)
        let key = try file.signers().key1.publicKey
        try file.store(token: "t9", house.phone.phone?.secrets, house.phone.phone?.memory)
        var facts = stat()
        #expect(stat(path, &facts) == 0)
        #expect(facts.st_mode & 0o777 == 0o600)
        let read = try PhoneKeyFile(path)
        #expect(read.token == "t9")
        #expect(try read.signers().key1.publicKey == key)
        #expect(read.stored?.secrets == house.phone.phone?.secrets)
        #expect(read.stored?.memory == house.phone.phone?.memory)
        try AtomicFile.write(path, Array("{}".utf8))
        #expect(throws: PhoneKeyFile.Problem.self) { _ = try PhoneKeyFile(path) }
    }

    @Test("a burst of events is stored a few times, not once each; what is confirmed is stored before")
    func aBurstOfEventsIsStoredAFewTimes() throws {
        let path = "/tmp/howalarming-phone-\(getpid())-\(Random.bytes(4).map(String.init).joined())"
        defer { unlink(path) }
        var house = try House()
        try house.pair()
        var file = try PhoneKeyFile(path)
        try file.store(token: "t1", house.phone.phone?.secrets, house.phone.phone?.memory)
        let count = 400
        var lines = "{\"ready\":true}\n"
        for number in 1...count {
            // The last one wants a receipt.
            let content = JSON.object([
                "code": .string("609"), "raw": .string("609001"), "type": .string(number == count ? "alarm" : "info"),
                "message": .string("zone 1 open"), "timestamp": .string("1795228190"), "log": .string("00000001"),
                "seq": .string("\(number)"), "part": .string("1"),
            ])
            let envelope = PhoneWire.text(try house.seal(.event, content))
            lines += JSON.object(["message": .object(["data": .object(["e": .string(envelope)])])]).text + "\n"
        }
        let loop = try EventLoop()
        var inbound: [Int] = []
        var peer: Stream?
        let service = try Listener(
            loopback: Endpoint(address: try #require(IPAddress("127.0.0.1")), port: 0), on: loop
        ) { stream in
            peer = stream
            stream.onReceived = { bytes in
                guard String(decoding: bytes, as: UTF8.self).contains("\"send\"") else { return }
                // What the file holds when something is said to the box.
                inbound.append((try? PhoneKeyFile(path))?.stored?.memory.log.events.count ?? 0)
                if inbound.last == count { loop.stop() }
            }
            stream.send(Array(lines.utf8))
        }
        let shell = try PhoneShell(
            try PhoneKeyFile(path), name: "Anna",
            push: Endpoint(address: try #require(IPAddress("127.0.0.1")), port: service.port), on: loop)
        var shown = 0
        shell.onLine = { if $0.hasPrefix("event ") { shown += 1 } }
        shell.connect()
        let limit = loop.setTimer(after: .seconds(30)) { loop.stop() }
        loop.run()
        loop.cancel(limit)
        #expect(inbound.last == count, "\(inbound)")
        #expect(shown == count)
        #expect(shell.storeCount > 0 && shell.storeCount < count / 10, "\(shell.storeCount)")
        shell.close()
        peer?.close()
        service.close()
    }
}

extension KeyVault {
    /// Opening changes nothing.
    func carryOutOpen(_ bytes: [UInt8]) -> VaultAnswer? {
        var copy = self
        return copy.carryOut(.open(bytes))
    }
}
