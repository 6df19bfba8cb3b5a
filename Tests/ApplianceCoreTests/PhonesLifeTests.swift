import AlarmModel
import ApplianceCore
import PhoneLink
import PhoneProtocol
import Testing

/// Restarts, lost journals, unreadable books, and whose name stands in an event.
@Suite("Phones over restarts")
struct PhonesLifeTests {
    private static let away: KeyValuePairs<String, String> = ["p": "1", "m": "away"]

    @Test("an alarm that was not answered leaves again after a restart, with the same id, once")
    func anAlarmThatWasNotAnsweredLeavesAgainAfterARestart() throws {
        var (bench, phone) = try Bench.paired()
        bench.push.server.answer = .silence
        bench.panel("6011003")
        let id = try #require(bench.push.server.pushes.last?.id)
        bench = bench.restarted()
        bench.push.server.answer = .ack
        bench.logIn()
        bench.advance(.seconds(10))
        let sent = bench.push.server.pushes.filter { $0.id == id }
        #expect(sent.count == 2)
        let event = try #require(sent.last?.bytes.flatMap { try? phone.channel.open($0, TestPhone.crypto) })
        #expect(event.content["code"]?.stringValue == "601" && event.content["seq"] != nil)
        #expect(Set(bench.push.messages.map(\.message)).count == bench.push.messages.count)
    }

    @Test("phones, roles and counters survive a restart; an old counter is still stale and starts are counted")
    func phonesRolesAndCountersSurviveARestartAnOldCounterIsStill() throws {
        var (bench, phone) = try Bench.paired()
        try bench.command(&phone, "arm", Self.away)
        bench.panel("6561", "6551")
        bench = bench.restarted()
        bench.logIn()
        bench.advance(.seconds(5))
        bench.forget()
        let challenge = try bench.challenge(for: phone)
        let status = try #require(bench.heard(phone).last { $0.kind == .status }?.content)
        #expect(status["boot"]?.stringValue == "2" && status["ctr"]?.stringValue == "1")
        phone.counter = 0
        let bytes = try bench.command(&phone, "arm", ["p": "1", "m": "stay"], freshness: .challenge(challenge))
        #expect(bench.lastWord(phone) == "denied counter" && bytes.count == 256)
        try bench.command(&phone, "arm", Self.away)
        #expect(bench.panelOrders == ["0301"])
    }

    @Test("the journal is lost and the phones are not: old commands are refused, a challenge sets the count anew")
    func theJournalIsLostAndThePhonesAreNot() throws {
        var (bench, phone) = try Bench.paired()
        phone.counter = 40
        let captured = try bench.command(
            &phone, "arm", Self.away, freshness: .time(issued: bench.now.wall.seconds, ttl: 60))
        bench.panel("6561", "6551")
        bench.stored = []
        bench.ledger = []
        bench.push.loseJournal()
        bench = bench.restarted()
        bench.logIn()
        bench.advance(.seconds(5))
        bench.forget()
        bench.inbound(from: phone.token, captured)
        bench.settle()
        #expect(bench.lastWord(phone) == "denied challenge" && bench.panelOrders.isEmpty)
        phone.counter = 12
        try bench.command(&phone, "arm", Self.away, freshness: .time(issued: bench.now.wall.seconds, ttl: 60))
        #expect(bench.panelOrders.isEmpty)
        phone.counter = 50
        try bench.command(&phone, "arm", Self.away)
        #expect(bench.panelOrders == ["0301"])
        let status = try #require(bench.heard(phone).last { $0.kind == .status }?.content)
        #expect(status["log"]?.stringValue == "00000001")
        bench.advance(.seconds(11))
        phone.counter = 49
        try bench.command(&phone, "arm", Self.away)
        #expect(bench.lastWord(phone) == "denied stale")
    }

    @Test("a book that cannot be read is not written over, and changes are refused with words")
    func aBookThatCannotBeReadIsNotWrittenOver() throws {
        var (bench, phone) = try Bench.paired()
        let book = bench.push.book
        bench = bench.restarted {
            $0.phoneBook = nil
            $0.findings = [.phoneFileDamaged(why: "test")]
        }
        bench.logIn()
        bench.advance(.minutes(1))
        let requests: [ControlRequest] = [
            .people(.add(name: "Eve", PersonChange())), .phones(.approve(token: "token-of-old-app", [.ping])),
            .phones(.pair(person: "Eve", roles: .view, noPresence: false)), .phones(.revoke(phone: "Pixel")),
        ]
        for (index, request) in requests.enumerated() {
            bench.ask(request, as: UInt64(300 + index))
            guard case .error(let why)? = bench.answers(UInt64(300 + index)).last else {
                Issue.record("taken: \(request)")
                continue
            }
            #expect(why.count > 10)
        }
        bench.request(phone, "ping")
        bench.panel("6011003")
        bench.advance(.minutes(1))
        #expect(bench.push.book == book)
        #expect(bench.batches.allSatisfy { $0.phoneBook == nil })
    }

    @Test("while the phones' file cannot be read the house's own addresses are told, and a reload writes nothing over")
    func whileThePhonesFileCannotBeReadTheHousesOwnAddressesAreTold() throws {
        let target = try URLTarget("https://192.0.2.9:9443/hook", method: .get)
        func configuration(_ bench: Bench) -> Configuration {
            var configuration = bench.configuration
            configuration.phones.channels.append(.url(URLSettings(targets: [target])))
            configuration.phones.house = [.init(kind: .url, value: target.text, triggers: [.alarm])]
            return configuration
        }
        let (bench, _) = try Bench.paired()
        let book = bench.push.book
        for isReloaded in [false, true] {
            var next = bench
            if !isReloaded { next.configuration = configuration(bench) }
            next = next.restarted { $0.phoneBook = nil }
            next.logIn()
            next.advance(.minutes(1))
            if isReloaded { next.feed(.reload(.configuration(configuration(bench)))) }
            next.advance(.seconds(10))
            next.panel("6011003")
            next.advance(.seconds(10))
            #expect(next.web.requests.count == 1)
            #expect(next.push.book == book)
            #expect(next.batches.allSatisfy { $0.phoneBook == nil })
        }
    }

    @Test("while the store cannot be read a phone that knows more makes no new log")
    func whileTheStoreCannotBeReadAPhoneThatKnowsMoreMakesNoNewLog() throws {
        var (bench, phone) = try Bench.paired()
        bench = bench.restarted(on: .fails(Bench.broken)) {
            $0.isStoreOpen = false
            $0.lastSequence = .zero
        }
        bench.logIn()
        bench.advance(.minutes(1))
        bench.request(phone, "ping", ["log": "00000000", "seq": "99"])
        bench.request(phone, "ping", ["log": "00000009", "seq": "1"])
        bench.advance(.seconds(5))
        #expect(bench.events(.cardRestored).isEmpty)
        #expect(bench.batches.allSatisfy { $0.newLog == nil })
    }

    @Test("with the daemon stopped a token can be approved and a phone revoked; nothing is opened")
    func withTheDaemonStoppedATokenCanBeApprovedAndAPhoneRevoked() throws {
        let (bench, phone) = try Bench.paired { $0.isLegacyEnabled = true }
        var mount = bench.restarted { $0.isOffline = true }
        mount.ask(.phones(.approve(token: "token-of-old-app", [.ping, .arm])), as: 300)
        mount.ask(.phones(.revoke(phone: "Pixel")), as: 301)
        mount.ask(.command(.arm(partition: 1, mode: .away, force: false), code: nil), as: 302)
        guard case .changed? = mount.answers(300).last, case .changed? = mount.answers(301).last,
            case .error? = mount.answers(302).last
        else {
            Issue.record("\(mount.replies)")
            return
        }
        #expect(mount.push.book?.legacyPhones.map(\.token) == ["token-of-old-app"])
        #expect(mount.push.book?.phones == [] && mount.push.book?.dead == [phone.id])
        let opened = mount.history.contains { if case .open = $0 { true } else { false } }
        #expect(!opened)
        #expect(mount.events(.started).count == 1, "nothing of a start is told")
        #expect(!mount.batches.isEmpty)
        #expect(mount.batches.allSatisfy { $0.snapshot == nil }, "the state stays as it was stored, with its names")
    }

    @Test("who disarmed: the person's name stands in the panel's own event, before or after the confirming line")
    func whoDisarmedThePersonsNameStandsInThePanelsOwnEvent() throws {
        for lines in [["6551", "7501" + "0040"], ["7501" + "0040", "6551"]] {
            var (bench, phone) = try Bench.paired()
            bench.panel("6561", "65210")
            try bench.command(&phone, "disarm", ["p": "1"])
            for line in lines { bench.panel(line) }
            bench.advance(.seconds(1))
            let event = try #require(bench.stored.last { $0.event.code == "750" }?.event)
            #expect(event.userName == "Anna", "\(lines)")
            #expect(event.message.contains("Anna (Pixel)"), "\(event.message)")
            bench.panel("6561", "65210", "6551")
            bench.advance(.seconds(10))
            bench.panel("7501" + "0007")
            #expect(bench.stored.last { $0.event.code == "750" }?.event.userName != "Anna")
        }
    }

    @Test("the others are told by name who armed and disarmed, with the push about the partition itself")
    func theOthersAreToldByNameWhoArmedAndDisarmed() throws {
        var (bench, anna) = try Bench.paired()
        let ben = try bench.pair("iPhone", person: "Ben", token: "token-of-ben")
        let mark = bench.push.server.pushes.count
        func told() -> [String] {
            bench.eventsHeard(ben, since: mark).filter { ["652", "655"].contains($0["code"]?.stringValue) }
                .compactMap { $0["message"]?.stringValue }
        }
        try bench.command(&anna, "arm", ["p": "1", "m": "zero-entry"])
        bench.panel("65212")
        bench.advance(.seconds(1))
        #expect(told().last?.hasSuffix(", by Anna (Pixel)") == true, "\(told())")
        try bench.command(&anna, "disarm", ["p": "1"])
        bench.panel("6551", "7501" + "0040")
        bench.advance(.seconds(1))
        #expect(told().count == 2)
        #expect(told().last?.hasSuffix("disarmed, by Anna (Pixel)") == true, "\(told())")
        // Somebody at the keypad is not known when the line comes.
        bench.panel("6561", "65210")
        bench.advance(.seconds(10))
        bench.panel("6551", "7501" + "0007")
        bench.advance(.seconds(1))
        #expect(told().count == 4 && told().suffix(2).allSatisfy { !$0.contains(" by ") }, "\(told())")
    }

    @Test("somebody at the keypad a moment later is not taken for the phone's owner")
    func somebodyAtTheKeypadAMomentLaterIsNotTakenForThePhonesOwner() throws {
        for lines in [["6551", "7501" + "0040"], ["7501" + "0040", "6551"]] {
            var (bench, phone) = try Bench.paired()
            bench.panel("6561", "65210")
            try bench.command(&phone, "disarm", ["p": "1"])
            for line in lines { bench.panel(line) }
            bench.advance(.milliseconds(500))
            bench.panel("6561", "65210", "7001" + "0007", "6551", "7501" + "0007")
            let events = bench.stored.filter { $0.event.code == "750" || $0.event.code == "700" }.map(\.event)
            #expect(events.map { $0.userName == "Anna" } == [true, false, false], "\(events.map(\.message))")
        }
    }

    @Test("the same inputs give the same effects with phones as well, and the state survives being written down")
    func theSameInputsGiveTheSameEffectsWithPhonesAsWell() throws {
        var (bench, phone) = try Bench.paired()
        try bench.command(&phone, "arm", Self.away)
        bench.panel("6561", "65210", "6011003")
        bench.advance(.minutes(1))
        var core = Appliance(configuration: bench.configuration)
        var effects: [Effect] = []
        for (input, now) in bench.inputs {
            if effects.count > bench.history.count / 2, effects.count.isMultiple(of: 7) {
                core = try JSON.encoding(core).decoding(Appliance.self)
            }
            core.handle(input, at: now, into: &effects)
        }
        #expect(effects.count == bench.history.count)
        let first = zip(effects, bench.history).firstIndexOfDifference
        #expect(first == nil)
    }

    @Test("told to stop with an alarm on its way: the run ends and the row stays open")
    func toldToStopWithAnAlarmOnItsWay() throws {
        var (bench, _) = try Bench.paired()
        bench.push.server.answer = .silence
        bench.panel("6011003")
        bench.feed(.signal(.terminate))
        bench.advance(.seconds(5))
        #expect(bench.isFinished)
        #expect(bench.push.messages.last { $0.event.code == "601" }?.state == .waiting)
    }
}

extension Zip2Sequence where Sequence1.Element: Equatable, Sequence1.Element == Sequence2.Element {
    fileprivate var firstIndexOfDifference: Int? { enumerated().first { $0.element.0 != $0.element.1 }?.offset }
}
