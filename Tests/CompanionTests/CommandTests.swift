import AlarmModel
import Companion
import PhoneProtocol
import Testing

@Suite("Commands of the phone")
struct CommandTests {
    @Test("disarm asks for a challenge, is signed with key 2 over what was seen, and its counter is stored first")
    func disarmAsksForAChallenge() throws {
        var house = try PairedHouse()
        house.phoneHears(house.box.store(house.row(1)))
        house.talk()
        let id = house.phone.give(.disarm(partition: 1), at: house.time, into: &house.actions)
        // The answer to the ping brings the challenge.
        let ping = house.sent()
        #expect(ping.count == 1)
        for answer in house.box.heard(try #require(ping.first)) { house.phoneHears(answer) }
        let store = try #require(house.actions.lastIndex(of: .store))
        let send = try #require(
            house.actions.lastIndex { if case .send = $0 { true } else { false } })
        #expect(store < send)
        house.talk()
        let (command, verdict) = try #require(house.box.commands.last)
        #expect(command.verb == "disarm")
        #expect(command.key == 2)
        #expect(command.counter == 1)
        #expect(command.arguments.description == "p=1")
        #expect(command.condition.description == "log=00000010;seq=1")
        #expect(verdict.signature == .good)
        #expect(verdict.challenge == .ours(expiry: 4000))
        #expect(house.outcome(id) == .pending)
        house.phoneHears(house.box.result(1, "pending"))
        #expect(house.outcome(id) == .pending)
        house.phoneHears(house.box.result(1, "ok"))
        #expect(house.outcome(id) == .ok)
    }

    @Test(
        "arm, panic and a new address do with a time, with key 1, and say what they mean",
        arguments: [
            (HouseCommand.arm(partition: 1, mode: .stay, force: false), "arm", "p=1;m=stay"),
            (.chime(partition: 2, on: false), "chime", "p=2;on=0"),
            (.panic(.ambulance), "panic", "k=ambulance"),
            (.seen(LogPosition(log: 16, seq: 9)), "seen", "log=00000010;seq=9"),
            // A challenge would go to the old address.
            (.address(ContactAddress(kind: .fcmToken, value: "new-token")), "addr", "k=2;v=bmV3LXRva2Vu"),
        ])
    func armAndPanicDoWithATime(command: HouseCommand, verb: String, arguments: String) throws {
        var house = try PairedHouse()
        house.phone.give(command, at: house.time, into: &house.actions)
        house.talk()
        let (received, verdict) = try #require(house.box.commands.last)
        #expect(received.verb == verb)
        #expect(received.arguments.description == arguments)
        #expect(received.key == 1)
        #expect(received.freshness == .time(issued: house.time.wall, ttl: 60))
        #expect(verdict.signature == .good)
    }

    @Test("arming with open zones is signed with key 2, and does with a time")
    func armingWithOpenZonesIsSignedWithKey2() throws {
        var house = try PairedHouse()
        house.phone.give(.arm(partition: 2, mode: .zeroEntry, force: true), at: house.time, into: &house.actions)
        house.talk()
        let (received, verdict) = try #require(house.box.commands.last)
        #expect(received.arguments.description == "p=2;m=zero-entry;f=1")
        #expect(received.key == 2)
        #expect(received.freshness == .time(issued: house.time.wall, ttl: 60))
        #expect(verdict.signature == .good)
    }

    @Test(
        "the other commands, with a challenge",
        arguments: [
            (HouseCommand.bypass(zone: 3, on: true), "z=3;on=1", 2),
            (.output(partition: 1, number: 2), "p=1;o=2", 2),
            (.suspend(phone: "0123456789abcdef"), "id=0123456789abcdef", 2),
            (.leave, "", 1),
        ])
    func theOtherCommands(command: HouseCommand, arguments: String, key: UInt8) throws {
        var house = try PairedHouse()
        house.phone.give(command, at: house.time, into: &house.actions)
        house.talk()
        let (received, verdict) = try #require(house.box.commands.last)
        #expect(received.arguments.description == arguments)
        #expect(received.key == key)
        #expect(verdict.signature == .good)
        #expect(verdict.challenge == .ours(expiry: 4000))
    }

    @Test("the counter grows by one with each command and jumps over what the box has seen")
    func theCounterGrowsByOneWithEachCommandAndJumpsOverWhatTheBox() throws {
        var house = try PairedHouse()
        for expected: UInt64 in 1...3 {
            house.phone.give(.panic(.fire), at: house.time, into: &house.actions)
            house.talk()
            #expect(try house.lastCommand().counter == expected)
        }
        house.box.counter = 41
        house.meet()
        house.phone.give(.panic(.fire), at: house.time, into: &house.actions)
        house.talk()
        #expect(try house.lastCommand().counter == 42)
        house.box.counter = 7
        house.meet()
        #expect(house.phone.memory.counter == 42)
    }

    @Test("a refused challenge is signed again once, with a new counter, and not after the touch has faded")
    func aRefusedChallengeIsSignedAgainOnce() throws {
        var house = try PairedHouse()
        let id = house.phone.give(.disarm(partition: 1), at: house.time, into: &house.actions)
        house.talk()
        house.phoneHears(house.box.result(1, "denied", why: "challenge", challenge: true))
        house.talk()
        #expect(try house.lastCommand().counter == 2)
        #expect(house.outcome(id) == .pending)
        house.phoneHears(house.box.result(2, "denied", why: "challenge", challenge: true))
        house.talk()
        #expect(house.box.commands.count == 2)
        #expect(house.outcome(id) == .denied("challenge"))

        let late = house.phone.give(.disarm(partition: 1), at: house.time, into: &house.actions)
        house.talk()
        #expect(house.box.commands.count == 3)
        house.pass(seconds: 31)
        house.talk()
        let sent = house.box.commands.count
        house.phoneHears(house.box.result(3, "denied", why: "challenge", challenge: true))
        house.talk()
        #expect(house.box.commands.count == sent)
        #expect(house.outcome(late) == .denied("challenge"))
    }

    @Test("a phone that lost its count asks for it and signs once more")
    func aPhoneThatLostItsCountAsksForItAndSignsOnceMore() throws {
        var house = try PairedHouse()
        house.box.counter = 9
        let id = house.phone.give(.panic(.police), at: house.time, into: &house.actions)
        house.talk()
        #expect(try house.lastCommand().counter == 1)
        house.phoneHears(house.box.result(1, "denied", why: "stale"))
        house.talk()
        #expect(try house.lastCommand().counter == 10)
        house.phoneHears(house.box.result(10, "ok"))
        #expect(house.outcome(id) == .ok)
    }

    @Test("an unanswered command goes out again with the same bytes and ends as not known")
    func anUnansweredCommandGoesOutAgainWithTheSameBytesAndEnds() throws {
        var house = try PairedHouse()
        let id = house.phone.give(.panic(.fire), at: house.time, into: &house.actions)
        let first = try #require(house.sent().first)
        var again: [[UInt8]] = []
        while house.outcome(id) == .pending, let deadline = house.phone.nextDeadline {
            house.time.uptime = deadline
            house.phone.timerFired(at: house.time, into: &house.actions)
            again += house.sent()
        }
        #expect(again == [first, first, first])
        #expect(house.outcome(id) == .timeout)
        // A late "pending" must not open again what nobody watches any more.
        house.phoneHears(house.box.result(1, "pending"))
        #expect(house.outcome(id) == .timeout)
        house.phoneHears(house.box.result(1, "ok"))
        #expect(house.outcome(id) == .ok)
    }

    @Test("without contact nothing is signed, and the owner is told after 30 s")
    func withoutContactNothingIsSigned() throws {
        var house = try PairedHouse()
        let id = house.phone.give(.disarm(partition: 1), at: house.time, into: &house.actions)
        house.pass(seconds: 30)
        #expect(house.outcome(id) == .failed("no contact"))
        #expect(house.phone.memory.counter == 0)
        house.talk()
        #expect(house.box.commands.isEmpty)
    }

    @Test("what cannot be written is told as what it is", arguments: [(70_000, "too long"), (16, "not valid")])
    func whatCannotBeWrittenIsToldAsWhatItIs(length: Int, word: String) throws {
        var house = try PairedHouse()
        let phone = String(repeating: length > 16 ? "0" : "ü", count: length)
        let id = house.phone.give(.suspend(phone: phone), at: house.time, into: &house.actions)
        house.talk()
        #expect(house.outcome(id) == .failed(word))
        #expect(house.box.commands.isEmpty)
    }

    @Test("a challenge is asked for when a command is about to be given and the one held is old")
    func aChallengeIsAskedForWhenACommandIsAboutToBeGiven() throws {
        var house = try PairedHouse()
        house.phone.prepareCommand(at: house.time, into: &house.actions)
        #expect(house.actions.count == 1)
        house.talk()
        house.pass(seconds: 20)
        house.phone.prepareCommand(at: house.time, into: &house.actions)
        #expect(house.sent().isEmpty)
        house.pass(seconds: 1)
        house.phone.prepareCommand(at: house.time, into: &house.actions)
        #expect(house.sent().count == 1)
    }

    @Test("a probe is answered with what it brought")
    func aProbeIsAnsweredWithWhatItBrought() throws {
        var house = try PairedHouse()
        house.phoneHears(house.box.seal(.probe, .object(["nonce": "AAECAwQFBgcICQoLDA0ODw"])))
        house.talk()
        #expect(house.box.receipts == ["n=AAECAwQFBgcICQoLDA0ODw"])
    }

    @Test("after a restart of the phone the counter goes on and what was under way is not known")
    func afterARestartOfThePhoneTheCounterGoesOnAndWhatWasUnderWay() throws {
        var house = try PairedHouse()
        let id = house.phone.give(.panic(.fire), at: house.time, into: &house.actions)
        let json = try JSON.encoding(house.phone.memory)
        let memory = try json.decoding(PhoneMemory.self)
        #expect(memory == house.phone.memory)
        let secrets = try #require(house.phone.secrets)
        house.phone = PairedPhone(
            secrets: secrets, memory: memory, crypto: SeededCrypto(seed: 8), signers: try PairedHouse.signers())
        #expect(house.outcome(id) == .timeout)
        house.actions = []
        house.phone.give(.panic(.fire), at: house.time, into: &house.actions)
        house.talk()
        #expect(try house.lastCommand().counter == 2)
    }
}
