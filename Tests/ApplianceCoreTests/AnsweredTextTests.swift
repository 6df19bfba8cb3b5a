import AlarmModel
import ApplianceCore
import PhoneProtocol
import Testing
import Uplinks

@Suite("A text about an alarm is answered with OK")
struct AnsweredTextTests {
    private static let anna = "+431234567"
    private static let berta = "+437654321"

    /// Texts go out although a service took the alarm.
    private static func bench(named: Bool = true, _ change: (inout Configuration) -> Void = { _ in }) throws -> Bench {
        var bench = Bench.withLinks { configuration in
            configuration.modem = ModemSettings(subscription: ModemSubscription(apn: "internet"))
            var texts = TextAlarmSettings(numbers: [anna, berta])
            if named {
                texts.people = [.init(name: "Anna", number: anna), .init(name: "Berta", number: berta)]
            }
            configuration.texts = texts
            change(&configuration)
        }
        LastResortTests.plugIn(&bench)
        bench.advance(.seconds(30))
        for person in ["Anna", "Berta"] {
            let paired = bench.pairStoreApp("Phone of \(person)", person: person)
            try #require(paired != nil)
        }
        return bench
    }

    /// An alarm went out as a text to both.
    private static func texted(named: Bool = true, _ change: (inout Configuration) -> Void = { _ in }) throws -> Bench {
        var bench = try bench(named: named, change)
        bench.panel("6011003")
        bench.advance(.minutes(5) + .seconds(5))
        try #require(bench.net.texts.map(\.number) == [anna, berta])
        return bench
    }

    private static func told(_ bench: Bench) -> [String] {
        let codes = [EventCode.textMessage, .textAnswer].map(\.rawValue)
        return bench.stored.map(\.event).filter { codes.contains($0.code) }.map(\.message)
    }

    @Test("the text says how it is answered, at a number without a name in the language of the house")
    func theTextSaysHowItIsAnswered() throws {
        #expect(try Self.texted().net.texts.first?.text.hasSuffix(". Answer OK if seen.") == true)
        let german = try Self.texted(named: false) { $0.language = .german }
        #expect(german.net.texts.first?.text.hasSuffix(". Mit OK antworten = gesehen.") == true)
    }

    @Test("after the OK of one person the other's phone is told again and again, and theirs no more")
    func afterTheOKOfOnePersonTheOthersPhoneIsTold() throws {
        var bench = Bench.withLinks {
            $0.phones = Bench.phoneConfiguration().phones
            $0.modem = ModemSettings(subscription: ModemSubscription(apn: "internet"))
            $0.texts = TextAlarmSettings(numbers: [Self.berta])
            $0.texts?.people = [.init(name: "Berta", number: Self.berta)]
        }
        LastResortTests.plugIn(&bench)
        let phones = [try bench.pair(), try bench.pair(person: "Berta", token: "token-of-berta")]
        bench.panel("6011003")
        bench.advance(.minutes(5) + .seconds(5))
        try #require(bench.net.texts.count == 1)
        bench.text(Self.berta, "OK")
        bench.advance(.seconds(30))
        let before = phones.map { PhonesDeliveryTests.alarms(bench, $0).count }
        bench.advance(.minutes(12))
        let after = phones.map { PhonesDeliveryTests.alarms(bench, $0).count }
        #expect(after[0] >= before[0] + 2 && after[1] == before[1])
        #expect(bench.events(.seen).map(\.message) == ["Berta has seen the alarm."])
    }

    @Test("OK is that person's word alone: nothing counts as seen by everybody, and a later alarm is a text again")
    func okIsThatPersonsWordAlone() throws {
        var bench = try Self.texted()
        bench.text("+43 7654321", " Ok.")
        #expect(bench.events(.seen).map(\.message) == ["Berta has seen the alarm."])
        #expect(bench.snapshot?.seenUpTo == nil)
        bench.panel("6011004")
        bench.advance(.minutes(6))
        #expect(bench.net.texts.count == 4)
        // A second OK about the later one.
        bench.text(Self.berta, "gesehen")
        #expect(bench.events(.seen).count == 2)
    }

    @Test("the answer ends that number's calls about the alarm, as a key in a call would", arguments: [true, false])
    func theAnswerEndsTheCallsAboutTheAlarm(named: Bool) throws {
        var bench = try Self.texted(named: named) {
            $0.calls = try? CallTests.settings()
            $0.calls?.patience = .minutes(6)
        }
        bench.text(Self.anna, "OK")
        bench.advance(.minutes(30))
        #expect(Set(bench.caller.calls.map(\.number)) == [Self.berta])
        #expect(bench.events(.seen).count == (named ? 1 : 0))
        if !named {
            #expect(
                Self.told(bench).last
                    == "Somebody at the number that ends with 4567 answered OK to the text about 1 alarm.")
        }
    }

    @Test("the same word again is about nothing, and that is told once an hour")
    func theSameWordAgainIsAboutNothing() throws {
        var bench = try Self.texted()
        for _ in 0..<30 { bench.text(Self.anna, "ok") }
        #expect(bench.events(.seen).count == 1)
        #expect(Self.told(bench).count { $0.hasPrefix("Anna answered OK, and no text of the last 24 hours") } == 1)
        bench.advance(.hours(1))
        bench.text(Self.anna, "ok")
        #expect(Self.told(bench).count { $0.hasPrefix("Anna answered OK, and no text of the last 24 hours") } == 2)
    }

    @Test("after 24 hours the answer is about nothing")
    func after24HoursTheAnswerIsAboutNothing() throws {
        // A day of probes takes long.
        var bench = try Self.texted { $0.uplinks = nil }
        bench.advance(.hours(24))
        bench.text(Self.anna, "ok")
        #expect(bench.events(.seen).isEmpty)
        #expect(Self.told(bench).last?.contains("is left to be answered; nothing was done") == true)
    }

    @Test("other words from a number of ours do nothing, and are told without them once an hour")
    func otherWordsDoNothing() throws {
        var bench = try Self.texted()
        let before = bench.sent.count
        for word in ["disarm 1234", "arm away", "status", "ok then", "NOK"] { bench.text(Self.anna, word) }
        #expect(bench.events(.seen).isEmpty && bench.sent.count == before)
        let told = Self.told(bench).filter { $0.contains("that is not OK") }
        #expect(told.count == 1 && bench.events(.textAnswer).allSatisfy { $0.type == .info })
        #expect(told.first?.contains("can be answered with OK") == true)
        #expect(!bench.stored.contains { $0.event.message.contains("1234") || $0.event.raw.contains("1234") })
        bench.text(Self.anna, "ok")
        #expect(bench.events(.seen).count == 1)
    }

    @Test("a stranger's text, or a flood of them, leaves nothing but lines for those who debug")
    func aStrangersTextLeavesNothing() throws {
        var bench = try Self.texted()
        let before = bench.stored.count
        for word in ["ok", "seen", "disarm 1234"] {
            for _ in 0..<50 { bench.text("+491701234567", word) }
        }
        #expect(bench.stored.count == before)
        let lines = bench.history.compactMap { effect -> LogEntry? in
            if case .log(let entry) = effect, entry.message.contains("not in 'sms'") { entry } else { nil }
        }
        #expect(lines.count == 150 && lines.allSatisfy { $0.level == .debug && !"\($0)".contains("1234") })
    }

    @Test("a national number that only looks like one of ours is none")
    func aNationalNumberThatOnlyLooksLikeOneOfOurs() throws {
        var bench = try Self.texted()
        for sender in ["234567", "1234567", "0234567", "+491234567", "ANNA1234567", "00491234567"] {
            bench.text(sender, "ok")
        }
        #expect(bench.events(.seen).isEmpty)
    }

    @Test("duress is in no text, and the OK that comes behind it is about the alarm before")
    func duressIsInNoText() throws {
        var bench = try Self.texted()
        bench.panel("6200000")
        bench.advance(.minutes(6))
        #expect(bench.duress.count == 1)
        #expect(bench.net.texts.count == 2)
        bench.text(Self.anna, "ok")
        #expect(bench.events(.seen).map(\.message) == ["Anna has seen the alarm."])
    }

    @Test("the OK of a duress contact ends the repeats of the alarm at that phone, and not those of duress")
    func theOKOfADuressContactDoesNotEndTheRepeatsOfDuress() throws {
        var bench = Bench.withLinks {
            $0.phones = Bench.phoneConfiguration().phones
            $0.modem = ModemSettings(subscription: ModemSubscription(apn: "internet"))
            $0.texts = TextAlarmSettings(numbers: [Self.anna])
            $0.texts?.people = [.init(name: "Anna", number: Self.anna)]
        }
        LastResortTests.plugIn(&bench)
        let phone = try bench.pair()
        bench.ask(.people(.set(name: "Anna", PersonChange(isDuressContact: true))), as: 60)
        bench.advance(.seconds(30))
        func heard(_ bench: Bench) -> (duress: Int, alarm: Int) {
            let told = bench.eventsHeard(phone).filter { $0["type"]?.stringValue == "alarm" }
            return (told.count { $0["seq"] == nil }, told.count { $0["seq"] != nil })
        }
        bench.panel("6011003")
        bench.advance(.minutes(4) + .seconds(30))
        bench.panel("6200000")
        bench.advance(.seconds(35))
        try #require(bench.net.texts.count == 1 && bench.duress.count == 1)
        let before = heard(bench)
        try #require(before.duress > 0 && before.alarm > 1)
        bench.text(Self.anna, "OK")
        #expect(bench.events(.seen).map(\.message) == ["Anna has seen the alarm."])
        bench.advance(.minutes(15))
        let after = heard(bench)
        #expect(after.alarm == before.alarm && after.duress >= before.duress + 2, "\(before) \(after)")
    }

    @Test("without 'sms' a text is a stranger's, and does nothing")
    func withoutSMSATextIsAStrangers() throws {
        var bench = try Self.bench { $0.texts = nil }
        let before = bench.stored.count
        bench.text(Self.anna, "ok")
        #expect(bench.stored.count == before)
    }
}

extension Bench {
    /// A text comes in at the modem.
    fileprivate mutating func text(_ number: String, _ words: String) {
        feed(.modem(.textReceived(number: number, text: words)))
        advance(.milliseconds(100))
    }
}
