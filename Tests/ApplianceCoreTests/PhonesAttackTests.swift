import AlarmModel
import ApplianceCore
import Foundation
import PhoneProtocol
import Platform
import Testing

/// Generated bad input. `HA_ATTACKS` in the environment asks for more of it.
@Suite("Attacks by the thousand")
struct PhonesAttackTests {
    static let count = ProcessInfo.processInfo.environment["HA_ATTACKS"].flatMap { Int($0) } ?? 10_000

    /// The one thing that is wrong with a command that is otherwise its owner's.
    private enum Fault: CaseIterable {
        /// A bit of the signature.
        case signature
        /// Another one's key.
        case stranger
        /// The key that wants no presence.
        case presence
        /// A counter that was spent.
        case counter
        /// A challenge that held before.
        case challenge
        /// Nothing at all: the same construction is carried out.
        case nothing

        var isBadSignature: Bool {
            switch self {
            case .signature, .stranger, .presence: true
            case .counter, .challenge, .nothing: false
            }
        }
    }

    private struct Forger {
        var random: Jitter
        var phone: TestPhone
        var stranger: TestPhone
        var captured: [UInt8]
        var challenge: [UInt8]
        var oldChallenge: [UInt8]
        /// The newest counter that was spent, and the newest that was given.
        var spent: UInt64 = 1
        var counter: UInt64 = 1

        mutating func number(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &random) }

        mutating func disarm(with fault: Fault) throws -> [UInt8] {
            counter += 1
            let command = PhoneCommand(
                key: fault == .presence ? 1 : 2, counter: fault == .counter ? spent : counter,
                freshness: .challenge(fault == .challenge ? oldChallenge : challenge), verb: "disarm",
                arguments: Arguments(["p": "1"]))
            let signer: OpenSSLSigner?
            switch fault {
            case .presence: signer = phone.key1
            case .stranger: signer = stranger.key2
            case .signature, .counter, .challenge, .nothing: signer = phone.key2
            }
            var body = try phone.channel.signed(command, signer: try #require(signer))
            if fault == .signature { body[body.count - 1] ^= 1 }
            if !fault.isBadSignature, fault != .counter { spent = counter }
            var crypto = OpenSSLCrypto()
            let header = Envelope.Header(direction: .up, phone: phone.id)
            let key = Array(phone.channel.bytes[9..<41])
            return try #require(Envelope.seal(body, header, key: key, &crypto))
        }

        /// Bytes that are no command, or the same again.
        mutating func rubbish() -> [UInt8] {
            var bytes = captured
            switch number(9) {
            case 0, 1, 2: bytes[number(bytes.count)] ^= 1 << UInt8(number(8))
            case 3: bytes = (0..<[256, 512, 1024][number(3)]).map { _ in UInt8(number(256)) }
            case 4:
                let id = phone.id.bytes
                bytes = [2, 0x10] + id + (0..<246).map { _ in UInt8(number(256)) }
            case 5: bytes.replaceSubrange(2..<10, with: stranger.id.bytes)
            case 6: bytes[1] = 0x20
            case 7: bytes = Array(bytes.prefix(number(bytes.count)))
            case _: break
            }
            return bytes
        }
    }

    /// What is signed is told to the others and fills their boxes: it is every 20th.
    @Test("of thousands of bad commands none is carried out, with any one thing wrong; with nothing wrong each is")
    func ofThousandsOfBadCommandsNoneIsCarriedOut() throws {
        var (bench, phone) = try Bench.paired { $0.commandRate = 0 }
        let stranger = try bench.pair("iPhone", person: "Ben", token: "token-of-ben")
        bench.panel("6561", "65210")
        let challenge = try bench.challenge(for: phone)
        let captured = try bench.command(&phone, "disarm", ["p": "1"], freshness: .challenge(challenge))
        bench.panel("6551", "6561", "65210")
        bench.advance(.minutes(2))
        bench.forget()
        var forger = Forger(
            random: Jitter(seed: 20_261_121), phone: phone, stranger: stranger, captured: captured,
            challenge: try bench.challenge(for: phone), oldChallenge: challenge)
        var challengedAt = bench.now.boot
        var tally: [Fault: Int] = [:]
        var badSignatures = 0
        for round in 0..<Self.count {
            if round % 20 == 0 {
                let fault = Fault.allCases[round / 20 % Fault.allCases.count]
                tally[fault, default: 0] += 1
                if bench.now.boot - challengedAt > .seconds(40) {
                    forger.challenge = try bench.challenge(for: phone)
                    challengedAt = bench.now.boot
                }
                // The fifth would lock the phone, and the rest would meet a locked one.
                if fault.isBadSignature { badSignatures += 1 }
                if fault.isBadSignature, badSignatures % 4 == 0 { bench.ask(.phones(.lift(phone: "Pixel")), as: 90) }
                #expect(bench.panelOrders.isEmpty)
                bench.forget()
                bench.inbound(from: phone.token, try forger.disarm(with: fault))
                bench.settle()
                #expect(bench.panelOrders.count == (fault == .nothing ? 1 : 0), "\(fault) in round \(round)")
                if fault == .nothing { bench.panel("6551", "6561", "65210") }
                bench.forget()
            } else {
                bench.inbound(from: round % 3 == 0 ? "token-of-mallory" : phone.token, forger.rubbish())
            }
            bench.advance(.milliseconds(25))
            if round % 100 == 0 { bench.inputs = [] }
        }
        #expect(bench.panelOrders.isEmpty)
        for fault in Fault.allCases { #expect(tally[fault, default: 0] > 0, "\(fault)") }
        // Each was judged for itself: no phone was locked, no pace was the limit.
        #expect(bench.events(.phoneDenied).count == badSignatures && bench.events(.phoneLocked).isEmpty)
        let results = bench.push.ledger.compactMap(\.result)
        #expect(results.count { $0.why == "challenge" } == tally[.challenge])
        #expect(results.count { $0.out == .ok } == 1 + tally[.nothing, default: 0])
        #expect(results.count == 1 + tally[.challenge, default: 0] + tally[.nothing, default: 0])
        bench.advance(.seconds(11))
        phone.counter = forger.counter
        try bench.command(&phone, "disarm", ["p": "1"])
        #expect(bench.panelOrders.count == 1)
    }

    @Test("rubbish under a valid id, ten thousand times: no lock, one event, and the real disarm passes at once")
    func rubbishUnderAValidId() throws {
        var (bench, phone) = try Bench.paired()
        bench.panel("6561", "65210")
        bench.advance(.seconds(10))
        let rows = bench.stored.count
        let before = bench.push.server.pushes.count
        var crypto = OpenSSLCrypto()
        let head: [UInt8] = [2, 0x10] + phone.id.bytes
        for round in 0..<10_000 {
            bench.inbound(from: phone.token, head + crypto.random(246))
            bench.advance(.milliseconds(25))
            if round % 100 == 0 { bench.inputs = [] }
        }
        #expect(bench.events(.phoneNoise).count == 1 && bench.events(.phoneLocked).isEmpty)
        #expect(bench.stored.count == rows + 1)
        bench.forget()
        try bench.command(&phone, "disarm", ["p": "1"])
        #expect(bench.panelOrders.count == 1)
        #expect(bench.push.server.pushes.count < before + 10)
    }

    @Test("a flood of five thousand in one second costs the box no more than fifty openings")
    func aFloodOfFiveThousandInOneSecondCostsTheBoxNoMoreThanFifty() throws {
        var (bench, phone) = try Bench.paired()
        bench.forget()
        let head: [UInt8] = [2, 0x10] + phone.id.bytes
        for _ in 0..<5_000 { bench.inbound(from: phone.token, head + [UInt8](repeating: 1, count: 246)) }
        let openings = bench.history.count { effect in
            if case .vault(_, .open) = effect { true } else { false }
        }
        #expect(openings == 50)
        bench.advance(.seconds(2))
        try bench.command(&phone, "arm", ["p": "1", "m": "away"])
        #expect(bench.panelOrders == ["0301"])
    }

    @Test("a signature for an earlier pairing under the new seal is no signature; the old seal meets silence")
    func aSignatureForAnEarlierPairingUnderTheNewSealIsNoSignature() throws {
        var (bench, old) = try Bench.paired()
        let new = try bench.pair("Pixel again")
        bench.advance(.minutes(1))
        bench.forget()
        let challenge = try bench.challenge(for: new)
        let command = PhoneCommand(
            key: 1, counter: 1, freshness: .challenge(challenge), verb: "arm",
            arguments: Arguments(["p": "1", "m": "away"]))
        let body = try old.channel.signed(command, signer: new.key1)
        var crypto = OpenSSLCrypto()
        let up = Array(new.channel.bytes[9..<41])
        let envelope = try #require(
            Envelope.seal(body, Envelope.Header(direction: .up, phone: new.id), key: up, &crypto))
        bench.inbound(from: new.token, envelope)
        bench.settle()
        #expect(bench.lastWord(new) == "denied key" && bench.panelOrders.isEmpty)
        bench.ask(.phones(.revoke(phone: old.id.description)), as: 70)
        bench.advance(.seconds(5))
        let mark = bench.push.server.pushes.count
        let rows = bench.stored.count
        try bench.command(&old, "arm", ["p": "1", "m": "away"], freshness: .challenge(challenge))
        bench.advance(.seconds(5))
        #expect(bench.push.server.pushes.count == mark && bench.stored.count == rows && bench.panelOrders.isEmpty)
    }

    @Test("a handful of bad signatures repeated in turn makes no events without end and no endless lock")
    func aHandfulOfBadSignaturesRepeatedInTurnMakesNoEvents() throws {
        var (bench, phone) = try Bench.paired()
        let stranger = try Bench.signers().key1
        let bad = try (0..<20).map { number in
            try bench.sealed(
                phone,
                PhoneCommand(
                    key: 1, counter: 500 + UInt64(number), freshness: .time(issued: 1_795_000_000, ttl: 60),
                    verb: "arm"), signer: stranger)
        }
        for round in 0..<1000 {
            bench.inbound(from: phone.token, bad[round % bad.count])
            bench.advance(.milliseconds(500))
        }
        let denied = bench.events(.phoneDenied)
        #expect(denied.count == 6 && denied.last?.message.hasSuffix("not each is sent.") == true)
        #expect(bench.events(.phoneLocked).count == 1)
        bench.advance(.minutes(10))
        bench.forget()
        try bench.command(&phone, "arm", ["p": "1", "m": "away"])
        #expect(bench.panelOrders == ["0301"])
    }

    @Test("of what one phone asks of a disk that does not answer eight questions wait")
    func ofWhatOnePhoneAsksOfASilentDiskEightQuestionsWait() throws {
        var bench: Bench
        let phone: TestPhone
        (bench, phone) = try Bench.paired()
        for _ in 1...3 { bench.panel("609003") }
        bench.advance(.seconds(5))
        bench.answersReads = false
        bench.forget()
        for _ in 1...20 { bench.request(phone, "ping", ["log": "00000000", "seq": "1"]) }
        let reads = bench.history.count { if case .read = $0 { true } else { false } }
        #expect(reads == 8)
    }
}
