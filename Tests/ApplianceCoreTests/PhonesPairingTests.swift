import AlarmModel
import ApplianceCore
import Companion
import PhoneProtocol
import Platform
import Testing

/// Reference pairing 3, 4 and rows 1 to 5 of its table of attacks.
@Suite("Pairing through the core")
struct PhonesPairingTests {
    private static func progress(_ bench: Bench, _ client: UInt64) -> [PairingProgress] {
        bench.answers(client).compactMap { if case .pairing(let progress) = $0 { progress } else { nil } }
    }

    private static func phoneSigners() throws -> PhoneSigners {
        let keys = try Bench.signers()
        return PhoneSigners(key1: keys.key1, key2: keys.key2)
    }

    /// A phone has used the code; its six digits.
    private static func heard(_ bench: inout Bench) throws -> (PhonePairing<OpenSSLCrypto>, digits: String) {
        let code = try bench.startPairing(as: 1)
        var pairing = try bench.handshake(code, signers: phoneSigners())
        bench.inbound(from: "token-of-anna", pairing.frame)
        pairing.received(try #require(bench.push.server.pushes.last?.bytes))
        guard case .digits(let digits, let site) = pairing.phase else { throw Bench.NotPaired() }
        #expect(site == "Mill")
        return (pairing, digits)
    }

    @Test("code, frames, digits, stored, welcome: the phone is in the book with its roles, and the box says so")
    func codeFramesDigitsStoredWelcomeThePhoneIsInTheBook() throws {
        var bench = Bench.withPush()
        let (pairing, digits) = try Self.heard(&bench)
        let id = try #require(pairing.paired).secrets.phone
        #expect(bench.push.book?.phones.isEmpty ?? true)
        let ready = PairingProgress.ready(validFor: .minutes(10), roles: Bench.everything)
        #expect(Self.progress(bench, 1) == [ready, .heard(phone: "Pixel")])
        let before = bench.push.server.pushes.count
        bench.ask(.phones(.confirm(Secret(digits))), as: 2)
        #expect(Self.progress(bench, 1).last == .paired(phone: id, name: "Pixel"))
        let phone = try #require(bench.push.book?.phones.first)
        #expect(phone.id.description == id && phone.roles == Bench.everything && phone.hasPresenceKey)
        #expect(bench.push.owners == [phone.id] && bench.push.keys.map(\.phone) == [phone.id])
        #expect(bench.push.book?.people.map(\.name) == ["Anna"])
        bench.advance(.milliseconds(1))
        #expect(bench.push.server.pushes.count == before + 1)
        #expect(bench.push.vault.pairingText == nil)
        #expect(bench.hasEvent("Anna (Pixel) was paired"))
    }

    /// The key of a browser; what it signs is not looked at here.
    private struct Passkey: Signer {
        var key: OpenSSLSigner
        var algorithm: SignatureAlgorithm { .webAuthn }
        var publicKey: [UInt8] { key.publicKey }
        func sign(_ message: [UInt8]) -> [UInt8]? { nil }
    }

    @Test("the page of a passkey is told before the digits count, stays with the phone, and is listed")
    func thePageOfAPasskeyIsToldBeforeTheDigitsCount() throws {
        let place = try #require(
            PasskeyPlace(relyingParty: "example.org", origin: "https://alarm.example.org"))
        var bench = Bench.withPush()
        let code = try bench.startPairing(as: 1)
        let passkey = Passkey(key: try #require(OpenSSLSigner.generateP256()))
        var pairing = try PhonePairing(
            code: code.revealed, name: "Browser", addresses: [ContactAddress(kind: .fcmToken, value: "token-of-anna")],
            signers: PhoneSigners(key1: try Bench.signers().key1, key2: passkey),
            passkey: (place.relyingParty, place.origin), crypto: OpenSSLCrypto(), at: PhoneTime(uptime: 1, wall: 1))
        bench.inbound(from: "token-of-anna", pairing.frame)
        pairing.received(try #require(bench.push.server.pushes.last?.bytes))
        guard case .digits(let digits, _) = pairing.phase else { throw Bench.NotPaired() }
        #expect(Self.progress(bench, 1).last == .heard(phone: "Browser", passkey: place))
        let words = try #require(try bench.status()?.phones?.pairing)
        #expect(words.contains("a passkey of https://alarm.example.org (RP ID example.org)"))
        bench.ask(.phones(.confirm(Secret(digits))), as: 2)
        let said = bench.answers(2).compactMap { if case .changed(let text) = $0 { text } else { nil } }
        #expect(said == ["paired with 'Browser'; its passkey is of https://alarm.example.org (RP ID example.org)"])
        let phone = try #require(bench.push.book?.phones.first)
        #expect(phone.passkey == place && phone.hasPresenceKey)
        #expect(bench.push.keys.first?.passkey == place)
        #expect(try bench.status()?.phones?.entries.first?.passkey == place)
    }

    @Test("welcome comes again after 10 s, 30 s and 2 min until the phone's first word, and then no more")
    func welcomeComesAgainAfter10S() throws {
        var bench = Bench.withPush()
        let phone = try bench.pair(answers: false)
        var times: [Int64] = []
        let start = bench.now.boot
        for _ in 0..<400 {
            bench.advance(.milliseconds(500))
        }
        for push in bench.push.server.pushes {
            guard let bytes = push.bytes, let message = try? phone.channel.open(bytes, OpenSSLCrypto()),
                message.kind == .welcome
            else { continue }
            times.append((push.at.boot - start).milliseconds / 1000)
        }
        #expect(times == [0, 9, 39, 159] || times == [0, 10, 40, 160], "\(times)")
        #expect(try bench.status()?.phones?.entries.first?.note?.contains("not heard yet") == true)
        bench.request(phone, "got", ["seq": "0"])
        let count = bench.heard(phone).count { $0.kind == .welcome }
        bench.advance(.hours(2))
        #expect(bench.heard(phone).count { $0.kind == .welcome } == count)
        #expect(bench.push.book?.phones.first?.isHeard == true)
        #expect(try bench.status()?.phones?.entries.first?.note == nil)
    }

    @Test("welcome names roles, where commands go, the box and where the journal is")
    func welcomeNamesRoles() throws {
        let (bench, phone) = try Bench.paired(roles: [.view, .arm])
        let welcome = try #require(bench.heard(phone).first { $0.kind == .welcome }?.content)
        #expect(welcome["roles"]?.stringValue == "view,arm")
        #expect(welcome["name"]?.stringValue == "Mill")
        #expect(welcome["cmds"]?.stringValue?.contains("123456789012") == true)
        #expect(welcome["log"]?.stringValue == "00000000" && welcome["seq"] != nil && welcome["boot"] != nil)
    }

    @Test("three wrong codes end it; the right one afterwards pairs nothing")
    func threeWrongCodesEndIt() throws {
        var bench = Bench.withPush()
        let (_, digits) = try Self.heard(&bench)
        let wrong = digits == "000000" ? "000001" : "000000"
        for client in 2..<5 { bench.ask(.phones(.confirm(Secret(wrong))), as: UInt64(client)) }
        #expect(Self.progress(bench, 1).contains(.wrongCode(triesLeft: 1)))
        guard case .ended(let why)? = Self.progress(bench, 1).last else {
            Issue.record("the pairing goes on")
            return
        }
        #expect(why.contains("three times"))
        bench.ask(.phones(.confirm(Secret(digits))), as: 9)
        #expect(bench.push.book?.phones.isEmpty ?? true)
        #expect(bench.push.vault.pairingText == nil)
    }

    @Test("ten minutes later the code is worth nothing")
    func tenMinutesLaterTheCodeIsWorthNothing() throws {
        var bench = Bench.withPush()
        let (_, digits) = try Self.heard(&bench)
        bench.advance(.minutes(10))
        guard case .ended? = Self.progress(bench, 1).last else {
            Issue.record("the pairing goes on")
            return
        }
        bench.ask(.phones(.confirm(Secret(digits))), as: 2)
        #expect(bench.push.book?.phones.isEmpty ?? true)
    }

    @Test("cancelled at the box while the digits are being compared: nothing is paired and no key is kept")
    func cancelledAtTheBoxWhileTheDigitsAreBeingCompared() throws {
        var bench = Bench.withPush()
        let (_, digits) = try Self.heard(&bench)
        bench.push.isVaultSlow = true
        bench.ask(.phones(.confirm(Secret(digits))), as: 2)
        bench.ask(.phones(.cancelPairing), as: 3)
        for input in bench.push.takeAnswers() { bench.feed(input) }
        bench.advance(.seconds(1))
        #expect(bench.push.book?.phones.isEmpty ?? true)
        #expect("\(bench.push.vault)".contains("of 0 phones"))
        guard case .error? = bench.answers(2).last else {
            Issue.record("the digits were taken")
            return
        }
    }

    @Test("a second phone ends it with the sentence that says what that means")
    func aSecondPhoneEndsItWithTheSentenceThatSaysWhatThatMeans() throws {
        var bench = Bench.withPush()
        let code = try bench.startPairing(as: 1)
        let first = try bench.handshake(code, signers: Self.phoneSigners())
        let second = try bench.handshake(code, name: "Mallory", token: "token-of-mallory", signers: Self.phoneSigners())
        bench.inbound(from: "token-of-anna", first.frame)
        bench.inbound(from: "token-of-mallory", second.frame)
        guard case .ended(let why)? = Self.progress(bench, 1).last else {
            Issue.record("the pairing goes on")
            return
        }
        #expect(why.contains("two phones used this code: somebody else saw it"))
        #expect(bench.push.server.pushes.count { $0.to == "token-of-mallory" } == 0)
    }

    @Test("the same first frame again is answered with the same second frame")
    func theSameFirstFrameAgainIsAnsweredWithTheSameSecondFrame() throws {
        var bench = Bench.withPush()
        let code = try bench.startPairing(as: 1)
        let phone = try bench.handshake(code, signers: Self.phoneSigners())
        bench.inbound(from: "token-of-anna", phone.frame)
        bench.inbound(from: "token-of-anna", phone.frame)
        let answers = bench.push.server.pushes.suffix(2).map(\.bytes)
        #expect(answers.count == 2 && answers[0] == answers[1] && answers[0]?.prefix(2) == [2, 2])
    }

    @Test("ten thousand frames of rubbish end it, fewer do not")
    func tenThousandFramesOfRubbishEndIt() throws {
        var bench = Bench.withPush()
        let code = try bench.startPairing(as: 1)
        for number in 0..<10_000 {
            bench.inbound(from: "token-of-mallory", [2, 1] + [UInt8](repeating: UInt8(number % 251), count: 40))
            if number % 40 == 39 { bench.advance(.seconds(1)) }
        }
        #expect(Self.progress(bench, 1) == [.ready(validFor: .minutes(10), roles: Bench.everything)])
        let events = bench.stored.count
        bench.inbound(from: "token-of-mallory", [2, 1] + [UInt8](repeating: 1, count: 40))
        guard case .ended? = Self.progress(bench, 1).last else {
            Issue.record("the pairing goes on")
            return
        }
        #expect(bench.push.server.pushes.count { $0.to == "token-of-mallory" } == 0)
        #expect(bench.events(.phoneNoise).count == 1 && bench.stored.count == events)
        _ = code
    }

    @Test("before the digits are typed nothing that the phone says is obeyed or answered")
    func beforeTheDigitsAreTypedNothingThatThePhoneSaysIsObeyed() throws {
        var bench = Bench.withPush()
        let (pairing, _) = try Self.heard(&bench)
        let keys = try Bench.signers()
        let phone = TestPhone(
            channel: try PhoneChannel(bytes: try #require(pairing.paired).secrets.storage), key1: keys.key1,
            key2: keys.key2, token: "token-of-anna")
        let before = bench.push.server.pushes.count
        bench.request(phone, "ping")
        bench.request(phone, "got", ["seq": "0"])
        bench.panel("6011003")
        bench.advance(.minutes(1))
        #expect(bench.push.server.pushes.count == before)
    }

    @Test("a store that fails leaves nothing paired, no welcome and no key; the phone that had the address keeps it")
    func aStoreThatFailsLeavesNothingPaired() throws {
        var (bench, old) = try Bench.paired()
        let (pairing, digits) = try Self.heard(&bench)
        bench.disk = .fails(Bench.broken)
        bench.ask(.phones(.confirm(Secret(digits))), as: 2)
        bench.advance(.seconds(3))
        guard case .ended? = Self.progress(bench, 1).last else {
            Issue.record("paired on a disk that stores nothing: \(Self.progress(bench, 1))")
            return
        }
        let new = TestPhone(
            channel: try PhoneChannel(bytes: try #require(pairing.paired).secrets.storage), key1: old.key1,
            key2: nil, token: "token-of-anna")
        bench.disk = .answers
        bench.advance(.minutes(1))
        #expect(bench.push.book?.phones.map(\.id) == [old.id])
        #expect(bench.push.owners == [old.id] && bench.push.keys.map(\.phone) == [old.id])
        #expect(bench.heard(new).isEmpty)
        bench.panel("6011003")
        #expect(bench.eventsHeard(old).last?["code"]?.stringValue == "601")
        #expect(try bench.command(&old, "arm", ["p": "1", "m": "away"]).count == 256)
        #expect(bench.hasEvent("was not paired"))
    }

    @Test("the other phones are told, the new one is not")
    func theOtherPhonesAreTold() throws {
        var (bench, anna) = try Bench.paired()
        let ben = try bench.pair("iPhone", person: "Ben", token: "token-of-ben")
        bench.advance(.seconds(10))
        let told = bench.eventsHeard(anna).filter { $0["message"]?.stringValue?.contains("Ben (iPhone)") == true }
        #expect(told.count == 1)
        #expect(!bench.eventsHeard(ben).contains { $0["message"]?.stringValue?.contains("Ben (iPhone)") == true })
    }

    @Test("the same app paired anew takes its address with it")
    func theSameAppPairedAnewTakesItsAddressWithIt() throws {
        var (bench, old) = try Bench.paired()
        let new = try bench.pair("Pixel again")
        bench.advance(.seconds(10))
        let before = bench.push.server.pushes.count
        bench.panel("6011003")
        #expect(bench.eventsHeard(old, since: before).isEmpty)
        #expect(bench.eventsHeard(new, since: before).count == 1)
    }

    @Test("no account, a bad store or an unreadable book: there is no pairing and the words say why")
    func noAccountABadStoreOrAnUnreadableBookThereIsNoPairing() {
        var bench = Bench.up()
        bench.ask(.phones(.pair(person: "Anna", roles: .view, noPresence: false)))
        guard case .error(let why)? = bench.answers().last else {
            Issue.record("a pairing without a push service")
            return
        }
        #expect(why.contains("alert_gcm"))
    }

    @Test("a first frame with any bit changed is dropped, and the code stays good")
    func aFirstFrameWithAnyBitChangedIsDropped() throws {
        var bench = Bench.withPush()
        let code = try bench.startPairing(as: 1)
        var pairing = try bench.handshake(code, signers: Self.phoneSigners())
        let mark = bench.push.server.pushes.count
        for bit in 16..<pairing.frame.count * 8 {
            var frame = pairing.frame
            frame[bit / 8] ^= 1 << UInt8(bit % 8)
            bench.inbound(from: "token-of-mallory", frame)
            if bit % 40 == 0 { bench.advance(.seconds(1)) }
        }
        bench.advance(.seconds(2))
        #expect(bench.push.server.pushes.count == mark)
        #expect(Self.progress(bench, 1) == [.ready(validFor: .minutes(10), roles: Bench.everything)])
        bench.inbound(from: "token-of-anna", pairing.frame)
        pairing.received(try #require(bench.push.server.pushes.last?.bytes))
        guard case .digits = pairing.phase else { throw Bench.NotPaired() }
    }

    @Test("what the phone asks before its pairing is on the disk is not answered")
    func whatThePhoneAsksBeforeItsPairingIsOnTheDiskIsNotAnswered() throws {
        var bench = Bench.withPush()
        let (pairing, digits) = try Self.heard(&bench)
        bench.disk = .silent
        bench.ask(.phones(.confirm(Secret(digits))), as: 2)
        let keys = try Bench.signers()
        let phone = TestPhone(
            channel: try PhoneChannel(bytes: try #require(pairing.paired).secrets.storage), key1: keys.key1,
            key2: keys.key2, token: "token-of-anna")
        let mark = bench.push.server.pushes.count
        bench.request(phone, "ping")
        bench.request(phone, "got", ["seq": "0"])
        #expect(bench.push.server.pushes.count == mark)
        #expect(Self.progress(bench, 1).last == .heard(phone: "Pixel"))
    }

    @Test("a second order to pair ends the first, whose code is worth nothing")
    func aSecondOrderToPairEndsTheFirst() throws {
        var bench = Bench.withPush()
        let old = try bench.startPairing(as: 1)
        let new = try bench.startPairing("Ben", as: 3)
        #expect(old != new)
        guard case .ended? = Self.progress(bench, 1).last else {
            Issue.record("two pairings at once")
            return
        }
        let phone = try bench.handshake(old, signers: Self.phoneSigners())
        let mark = bench.push.server.pushes.count
        bench.inbound(from: "token-of-anna", phone.frame)
        #expect(bench.push.server.pushes.count == mark && Self.progress(bench, 3).count == 1)
    }
}
