import AlarmModel
import Companion
import PhoneProtocol
import Testing

@Suite("Pairing at the phone")
struct PairingTests {
    @Test("both sides have the same keys, and welcome is answered with the first receipt")
    func bothSidesHaveTheSameKeys() throws {
        var house = try PairedHouse()
        #expect(house.phone.memory.roles == nil)
        guard case .object(let status) = house.box.statusContent() else { return }
        let welcome = house.box.seal(
            .welcome,
            .object(status + [JSON.Member(key: "roles", value: "view,arm"), .init(key: "name", value: "Cottage")]))
        house.phoneHears(welcome)
        #expect(house.actions.contains(.welcomed))
        house.talk()
        #expect(house.phone.memory.roles == ["view", "arm"])
        #expect(house.phone.memory.siteName == "Cottage")
        #expect(house.box.receipts == ["log=00000010;seq=0"])
    }

    @Test("an alarm before the welcome gets no receipt, which the box would take for the welcome's; its repeat does")
    func anAlarmBeforeTheWelcomeGetsNoReceipt() throws {
        var house = try PairedHouse()
        let alarm = house.box.store(house.row(1))
        house.phoneHears(alarm)
        house.talk()
        #expect(house.box.receipts.isEmpty)
        #expect(house.phone.memory.log.events.count == 1)
        house.welcome()
        house.phoneHears(alarm)
        house.talk()
        #expect(house.box.receipts == ["log=00000010;seq=1"])
    }

    @Test("frame 1 is repeated every 20 s, and after two minutes the screen says why nothing comes")
    func frame1IsRepeatedEvery20S() throws {
        var box = ModelBox(seed: 4)
        _ = box.vault.carryOut(.beginPairing(servers: [PairedHouse.server]))
        let code = try #require(box.vault.groupedPairingText)
        var time = PhoneTime(uptime: 0, wall: 0)
        var pairing = try PhonePairing(
            code: code.revealed.lowercased(), name: "Anna", addresses: [PairedHouse.address],
            signers: try PairedHouse.signers(), crypto: SeededCrypto(seed: 9), at: time)
        let frame = pairing.frame
        var repeats = 0
        while let deadline = pairing.nextDeadline {
            time.uptime = deadline
            if pairing.timerFired(at: time) { repeats += 1 }
            pairing.received([2, 2] + [UInt8](repeating: 7, count: 60))
        }
        #expect(repeats == 5)
        #expect(pairing.frame == frame)
        #expect(time.uptime == 120_000)
        #expect(pairing.phase == .failed(PhonePairing<SeededCrypto>.noAnswerText))
        #expect(pairing.paired == nil)
    }

    @Test("a frame of a newer version ends nothing, for anybody can send it; it is named when no other comes")
    func aFrameOfANewerVersionEndsNothing() throws {
        var box = ModelBox(seed: 6)
        _ = box.vault.carryOut(.beginPairing(servers: [PairedHouse.server]))
        let code = try #require(box.vault.pairingText)
        var pairing = try PhonePairing(
            code: code.revealed, name: "Anna", addresses: [PairedHouse.address], signers: try PairedHouse.signers(),
            crypto: SeededCrypto(seed: 9), at: PhoneTime(uptime: 0, wall: 0))
        pairing.received([3, 2, 1])
        #expect(pairing.phase == .waiting)
        var unanswered = pairing
        let isRepeated = unanswered.timerFired(at: PhoneTime(uptime: 120_000, wall: 120))
        #expect(!isRepeated)
        #expect(unanswered.phase == .failed(PhonePairing<SeededCrypto>.newerText))
        guard case .pairingHeard(let heard) = box.vault.carryOut(.handshake(frame: pairing.frame, siteName: "Home"))
        else {
            Issue.record("the box read frame 1")
            return
        }
        pairing.received(heard.answer)
        #expect(pairing.paired != nil)
    }

    @Test("a code with a typing error is told before anything is sent")
    func aCodeWithATypingErrorIsToldBeforeAnythingIsSent() throws {
        var box = ModelBox(seed: 5)
        _ = box.vault.carryOut(.beginPairing(servers: [PairedHouse.server]))
        let code = try #require(box.vault.pairingText).revealed
        let wrong = code.dropLast(8) + (code.hasSuffix("AAAAAAAA") ? "BBBBBBBB" : "AAAAAAAA")
        let signers = try PairedHouse.signers()
        var text = ""
        do throws(PairingProblem) {
            _ = try PhonePairing(
                code: String(wrong), name: "Anna", addresses: [PairedHouse.address], signers: signers,
                crypto: SeededCrypto(seed: 9), at: PhoneTime(uptime: 0, wall: 0))
        } catch {
            text = error.description
        }
        #expect(text.contains("typing error"))
    }

    @Test("bye keeps the log and ends the rest")
    func byeKeepsTheLogAndEndsTheRest() throws {
        var house = try PairedHouse()
        house.phoneHears(house.box.store(house.row(1)))
        house.actions = []
        house.phoneHears(house.box.seal(.bye, .object([])))
        #expect(house.actions == [.store, .left])
        #expect(house.phone.secrets == nil)
        #expect(house.phone.memory.log.events.count == 1)
        #expect(house.phone.nextDeadline == nil)
        house.actions = []
        let id = house.phone.give(.disarm(partition: 1), at: house.time, into: &house.actions)
        #expect(house.sent().isEmpty)
        #expect(house.outcome(id) == .failed("no contact"))
    }
}
