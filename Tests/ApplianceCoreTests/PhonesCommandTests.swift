import AlarmModel
import ApplianceCore
import PhoneProtocol
import Platform
import Testing

/// The order of checks of docs/pairing.md 7.4, with the word of each refusal.
@Suite("Commands of phones")
struct PhonesCommandTests {
    static let away: KeyValuePairs<String, String> = ["p": "1", "m": "away"]

    @Test("arm: journalled, stored, carried out, confirmed, and the result names the row of the outcome")
    func armJournalledStoredCarriedOutConfirmedAndTheResultNames() throws {
        var (bench, phone) = try Bench.paired()
        bench.forget()
        try bench.command(&phone, "arm", Self.away)
        #expect(bench.panelOrders == ["0301"])
        #expect(bench.results(phone).isEmpty)
        bench.panel("6561")
        #expect(bench.lastWord(phone) == "ok")
        let result = try #require(bench.results(phone).last)
        let seq = try #require(result["seq"]?.stringValue.flatMap { Int64($0) })
        #expect(bench.stored[Int(seq) - 1].event.message.hasSuffix(": done"))
        #expect(result["ctr"]?.stringValue == "1" && result["log"]?.stringValue == "00000000")
        let asked = bench.messages(.command).filter { $0.contains("Anna (Pixel)") }
        #expect(asked.count == 1)
        #expect(bench.push.ledger.map(\.result) == [PhoneResult(.ok)])
    }

    @Test("no line goes to the panel before the counter is on the disk")
    func noLineGoesToThePanelBeforeTheCounterIsOnTheDisk() throws {
        var (bench, phone) = try Bench.paired()
        let challenge = try bench.challenge(for: phone)
        bench.disk = .silent
        bench.forget()
        try bench.command(&phone, "arm", Self.away, freshness: .challenge(challenge))
        bench.advance(.seconds(1))
        #expect(bench.panelOrders.isEmpty && bench.push.ledger.isEmpty)
        bench.disk = .answers
        bench.answerDisk()
        bench.feed(.timer(.clock))
        bench.settle()
        #expect(bench.push.ledger.count == 1)
        #expect(bench.panelOrders == ["0301"])
    }

    @Test("the same command a thousand times: once to the panel, one entry, the same outcome")
    func theSameCommandAThousandTimes() throws {
        var (bench, phone) = try Bench.paired()
        bench.forget()
        let bytes = try bench.command(&phone, "arm", Self.away)
        for _ in 0..<5 { bench.inbound(from: phone.token, bytes) }
        #expect(bench.results(phone).map(Bench.word) == ["pending"])
        bench.panel("6561")
        let rows = bench.stored.count
        for number in 0..<1000 {
            bench.inbound(from: number % 2 == 0 ? phone.token : "another way", bytes)
            bench.advance(.milliseconds(100))
        }
        #expect(bench.panelOrders == ["0301"])
        #expect(bench.stored.count { $0.event.message.contains("asked for by Anna") } == 1)
        let words = bench.results(phone).map(Bench.word)
        #expect(words.dropFirst().allSatisfy { $0 == "ok" })
        #expect((10...14).contains(words.count), "at most one answer in 10 s: \(words.count)")
        #expect(bench.stored.count <= rows + 2)
    }

    @Test("an older counter is stale; the same with other content, or far ahead, is wrong; none is carried out")
    func anOlderCounterIsStale() throws {
        var (bench, phone) = try Bench.paired()
        phone.counter = 9
        try bench.command(&phone, "seen")
        #expect(bench.lastWord(phone) == "ok")
        bench.forget()
        let rows = bench.stored.count
        for (before, word) in [(4, "denied stale"), (9, "denied counter"), (10 + 1_000_001, "denied counter")] {
            bench.advance(.seconds(11))
            phone.counter = UInt64(before)
            try bench.command(&phone, "arm", Self.away)
            #expect(bench.lastWord(phone) == word)
        }
        bench.advance(.seconds(11))
        phone.counter = (1 << 63) + 8
        try bench.command(&phone, "arm", Self.away)
        #expect(bench.lastWord(phone) == "denied counter")
        #expect(bench.panelOrders.isEmpty && bench.stored.count == rows && bench.push.ledger.count == 1)
        phone.counter = 10 + 1_000_000 - 1
        try bench.command(&phone, "arm", Self.away)
        #expect(bench.panelOrders == ["0301"])
    }

    @Test("a relay that repeats an old command keeps no phone from hearing why its own was refused")
    func aRelayThatRepeatsKeepsNoPhoneFromHearing() throws {
        var (bench, phone) = try Bench.paired()
        phone.counter = 9
        let old = try bench.command(&phone, "seen")
        // The phone was put back to an earlier state: its numbers are behind, and each is refused at once.
        phone.counter = 4
        for _ in 0..<3 {
            bench.inbound(from: phone.token, old)
            bench.advance(.milliseconds(100))
            let refused = try bench.command(&phone, "arm", Self.away)
            let answers = bench.results(phone)
            #expect(answers.last?["ctr"]?.stringValue == "\(phone.counter)" && bench.lastWord(phone) == "denied stale")
            bench.inbound(from: phone.token, refused)
            #expect(bench.results(phone) == answers, "what is repeated is answered once in ten seconds")
        }
        #expect(bench.panelOrders.isEmpty)
    }

    @Test("a challenge holds for 60 s and not for 61; the refusal brings a new one")
    func aChallengeHoldsFor60SAndNotFor61() throws {
        var (bench, phone) = try Bench.paired()
        bench.panel("6561", "65210")
        bench.forget()
        let held = try bench.challenge(for: phone)
        bench.advance(.seconds(61))
        try bench.command(&phone, "disarm", ["p": "1"], freshness: .challenge(held))
        #expect(bench.lastWord(phone) == "denied challenge")
        #expect(bench.panelOrders.isEmpty)
        let fresh = try Base64URL.decode(try #require(bench.results(phone).last?["ch"]?.stringValue))
        try bench.command(&phone, "disarm", ["p": "1"], freshness: .challenge(fresh))
        #expect(bench.panelOrders.count == 1)
        bench.panel("6551")
        #expect(bench.lastWord(phone) == "ok")
    }

    @Test("a challenge of an earlier run, of another phone or made up is refused")
    func aChallengeOfAnEarlierRun() throws {
        var (bench, phone) = try Bench.paired()
        let ben = try bench.pair("iPhone", person: "Ben", token: "token-of-ben")
        let early = try bench.challenge(for: phone)
        bench = bench.restarted()
        bench.logIn()
        bench.advance(.seconds(5))
        let others = [early, try bench.challenge(for: ben), [UInt8](repeating: 255, count: 16)]
        bench.forget()
        for challenge in others {
            bench.advance(.minutes(1))
            try bench.command(&phone, "arm", Self.away, freshness: .challenge(challenge))
            #expect(bench.lastWord(phone) == "denied challenge")
        }
        #expect(bench.panelOrders.isEmpty)
    }

    @Test("arm and panic may carry a time while the clock is trusted; nothing else may, and not too old or too new")
    func armAndPanicMayCarryATimeWhileTheClockIsTrusted() throws {
        var (bench, phone) = try Bench.paired()
        func at(_ seconds: Int64, _ ttl: UInt16 = 60) -> PhoneCommand.Freshness {
            .time(issued: bench.now.wall.seconds + seconds, ttl: ttl)
        }
        bench.forget()
        for (fresh, word) in [(at(-71), "expired"), (at(-41, 30), "expired"), (at(12), "expired")] {
            try bench.command(&phone, "arm", Self.away, freshness: fresh)
            #expect(bench.lastWord(phone) == word)
        }
        #expect(bench.panelOrders.isEmpty)
        try bench.command(&phone, "disarm", ["p": "1"], freshness: at(0))
        #expect(bench.lastWord(phone) == "denied challenge")
        try bench.command(&phone, "leave", freshness: at(0))
        #expect(bench.lastWord(phone) == "denied challenge")
        bench.advance(.minutes(3))
        try bench.command(&phone, "panic", ["k": "fire"], freshness: at(-69))
        #expect(bench.panelOrders.count == 1)
        bench.now.isWallTrusted = false
        try bench.command(&phone, "arm", Self.away, freshness: at(0))
        #expect(bench.lastWord(phone) == "denied challenge")
        #expect(bench.panelOrders.count == 1)
    }

    @Test("a clock set back a day makes no old disarm valid")
    func aClockSetBackADayMakesNoOldDisarmValid() throws {
        var (bench, phone) = try Bench.paired()
        bench.panel("6561", "65210")
        let held = try bench.challenge(for: phone)
        bench.advance(.seconds(61))
        bench.now.wall = bench.now.wall + .hours(-24)
        bench.forget()
        try bench.command(&phone, "disarm", ["p": "1"], freshness: .challenge(held))
        #expect(bench.lastWord(phone) == "denied challenge" && bench.panelOrders.isEmpty)
    }

    @Test("a revoked phone is told once and then meets silence; its keys and counters are gone")
    func aRevokedPhoneIsToldOnceAndThenMeetsSilence() throws {
        var (bench, phone) = try Bench.paired()
        let challenge = try bench.challenge(for: phone)
        bench.ask(.phones(.revoke(phone: "Pixel")), as: 40)
        bench.advance(.seconds(5))
        #expect(bench.heard(phone).last?.kind == .bye)
        let before = bench.push.server.pushes.count
        let rows = bench.stored.count
        bench.forget()
        try bench.command(&phone, "arm", Self.away, freshness: .challenge(challenge))
        bench.request(phone, "ping")
        bench.panel("6011003")
        bench.advance(.minutes(1))
        #expect(bench.push.server.pushes.count == before && bench.panelOrders.isEmpty)
        #expect(bench.stored.count == rows + 1)
        #expect(bench.push.book?.phones == [] && bench.push.book?.dead == [phone.id])
        #expect(bench.push.keys.isEmpty && bench.push.owners.isEmpty && bench.push.ledger.isEmpty)
    }

    @Test("five different bad signatures lock for 15 minutes; one repeated a thousand times does not")
    func fiveDifferentBadSignaturesLockFor15Minutes() throws {
        var (bench, phone) = try Bench.paired()
        let ben = try bench.pair("iPhone", person: "Ben", token: "token-of-ben")
        bench.advance(.minutes(2))
        let stranger = try Bench.signers().key1
        func bad(_ counter: UInt64) throws -> [UInt8] {
            try bench.sealed(
                phone,
                PhoneCommand(
                    key: 1, counter: counter, freshness: .time(issued: bench.now.wall.seconds, ttl: 60), verb: "arm",
                    arguments: Arguments(Self.away)), signer: stranger)
        }
        bench.forget()
        let same = try bad(100)
        for _ in 0..<1000 {
            bench.inbound(from: phone.token, same)
            bench.advance(.milliseconds(30))
        }
        #expect(bench.events(.phoneDenied).count == 1 && bench.events(.phoneLocked).isEmpty)
        for counter in 101..<104 { bench.inbound(from: phone.token, try bad(UInt64(counter))) }
        try bench.command(&phone, "arm", Self.away)
        #expect(bench.panelOrders.count == 1)
        bench.panel("6561", "65210", "6551")
        bench.inbound(from: phone.token, try bad(104))
        #expect(bench.events(.phoneLocked).count == 1)
        bench.advance(.seconds(30))
        let told = bench.eventsHeard(ben).compactMap { $0["message"]?.stringValue }
        #expect(told.count { $0.contains("five bad signatures") } == 1)
        try bench.command(&phone, "arm", Self.away)
        #expect(bench.lastWord(phone) == "denied role" && bench.panelOrders.count == 1)
        bench.advance(.minutes(15))
        try bench.command(&phone, "arm", Self.away)
        #expect(bench.panelOrders.count == 2)
    }

    @Test("ten commands at once and five a minute, or no limit where the configuration says 0")
    func tenCommandsAtOnceAndFiveAMinute() throws {
        var (bench, phone) = try Bench.paired()
        for number in 0..<12 {
            try bench.command(&phone, "seen")
            #expect(bench.lastWord(phone) == (number < 10 ? "ok" : "denied rate"), "\(number)")
        }
        bench.advance(.minutes(1))
        var words: [String?] = []
        for _ in 0..<7 {
            try bench.command(&phone, "seen")
            words.append(bench.lastWord(phone))
        }
        #expect(words.count { $0 == "ok" } == 5)
        var (free, other) = try Bench.paired { $0.commandRate = 0 }
        for _ in 0..<25 { try free.command(&other, "seen") }
        #expect(free.results(other).allSatisfy { Bench.word($0) == "ok" } && free.results(other).count == 25)
    }

    @Test("an answer to an old state is void: armed or disarmed since, the command is refused")
    func anAnswerToAnOldStateIsVoid() throws {
        var (bench, phone) = try Bench.paired()
        let seen = bench.lastSequence.number
        bench.panel("6561", "65210")
        bench.forget()
        try bench.command(&phone, "disarm", ["p": "1"], condition: ["log": "00000000", "seq": "\(seen)"])
        #expect(bench.lastWord(phone) == "denied cond" && bench.panelOrders.isEmpty)
        let current = bench.lastSequence.number
        bench.panel("6011003")
        try bench.command(&phone, "disarm", ["p": "1"], condition: ["log": "0000ffff", "seq": "\(current)"])
        #expect(bench.lastWord(phone) == "denied cond")
        try bench.command(&phone, "disarm", ["p": "1"], condition: ["log": "00000000", "seq": "\(current)"])
        #expect(bench.panelOrders.count == 1)
    }

    @Test("the condition is also judged after a restart, by the journal")
    func theConditionIsAlsoJudgedAfterARestart() throws {
        var (bench, phone) = try Bench.paired()
        let seen = bench.lastSequence.number
        bench.panel("6561", "65210", "6551", "6501")
        let disarmed = try #require(bench.stored.last { $0.event.type == .disarmed }).seq.number
        #expect(disarmed < bench.lastSequence.number)
        bench = bench.restarted()
        bench.logIn()
        bench.advance(.seconds(5))
        bench.forget()
        try bench.command(&phone, "arm", Self.away, condition: ["log": "00000000", "seq": "\(seen)"])
        #expect(bench.lastWord(phone) == "denied cond" && bench.panelOrders.isEmpty)
        try bench.command(&phone, "arm", Self.away, condition: ["log": "00000000", "seq": "\(disarmed)"])
        #expect(bench.panelOrders == ["0301"])
    }

    @Test("the last arming is found also where many other events lie behind it, page by page")
    func theLastArmingIsFoundAlsoWhereManyOtherEventsLieBehindIt() throws {
        var (bench, phone) = try Bench.paired()
        let seen = bench.lastSequence.number
        bench.panel("6561", "65210")
        bench.panel("6551", "6501")
        let changes = bench.stored.filter { $0.event.type == .armed || $0.event.type == .disarmed }
        let last = try #require(changes.last?.seq.number)
        for _ in 0..<20 { bench.panel("609003", "610003") }
        #expect(last > seen && bench.lastSequence.number > last + 20)
        bench.window = 3
        bench = bench.restarted()
        bench.logIn()
        bench.advance(.seconds(5))
        bench.forget()
        try bench.command(&phone, "arm", Self.away, condition: ["log": "00000000", "seq": "\(seen)"])
        #expect(bench.lastWord(phone) == "denied cond" && bench.panelOrders.isEmpty)
        try bench.command(&phone, "arm", Self.away, condition: ["log": "00000000", "seq": "\(last)"])
        #expect(bench.panelOrders.count == 1)
    }

    @Test("an unknown verb or argument is refused by name, and costs a counter")
    func anUnknownVerbOrArgumentIsRefusedByName() throws {
        var (bench, phone) = try Bench.paired()
        bench.forget()
        try bench.command(&phone, "explode")
        #expect(bench.lastWord(phone) == "denied verb")
        try bench.command(&phone, "arm", ["p": "9"])
        #expect(bench.lastWord(phone) == "denied verb")
        try bench.command(&phone, "arm", ["p": "1", "colour": "red"])
        #expect(bench.lastWord(phone) == "denied verb")
        #expect(bench.panelOrders.isEmpty && bench.push.ledger.map(\.counter) == [1, 2, 3])
    }
}
