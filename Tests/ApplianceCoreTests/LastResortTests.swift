import AlarmModel
import ApplianceCore
import PhoneProtocol
import Testing
import Uplinks

@Suite("Text messages as the last resort")
struct LastResortTests {
    private static func bench(_ change: (inout Configuration) -> Void = { _ in }) -> Bench {
        var bench = Bench.withLinks { configuration in
            configuration.modem = ModemSettings(subscription: ModemSubscription(apn: "internet"))
            configuration.texts = TextAlarmSettings(numbers: ["+431234567"], unless: .taken)
            change(&configuration)
        }
        plugIn(&bench)
        bench.advance(.seconds(30))
        return bench
    }

    @Test("an alarm that no service accepts is a fault after a minute, and then goes out as a text, once")
    func anAlarmThatNoServiceAcceptsIsAFaultAfterAMinute() throws {
        var bench = Self.bench()
        let paired = bench.pairStoreApp()
        try #require(paired != nil)
        bench.net.blackHoles = ["eth0", "wwan0"]
        bench.panel("6011003")
        bench.advance(.seconds(59))
        #expect(bench.net.texts.isEmpty && bench.events(.alarmUnaccepted).isEmpty)
        bench.advance(.seconds(2))
        #expect(bench.net.texts.map(\.number) == ["+431234567"])
        #expect(bench.net.texts.first?.text.contains("Kitchen window") == true)
        bench.advance(.minutes(60))
        #expect(bench.net.texts.count == 1)
        #expect(bench.events(.textMessage).count == 1)
        #expect(bench.events(.alarmUnaccepted).map(\.type) == [.fault])
        #expect(bench.events(.alarmUnaccepted).first?.zone == 3)
    }

    @Test("unless somebody confirms it, an alarm that a service took goes out as a text all the same")
    func unlessSomebodyConfirmsItAnAlarmThatAServiceTookGoesOut() throws {
        for isSeen in [false, true] {
            var bench = Self.bench { $0.texts?.unless = .confirmed }
            let paired = bench.pairStoreApp()
            try #require(paired != nil)
            bench.panel("6011003")
            bench.advance(.minutes(2))
            #expect(bench.topics.published.contains { $0.title.contains("ALARM") })
            if isSeen { bench.ask(.phones(.seen), as: 76) }
            bench.advance(.minutes(60))
            #expect(bench.net.texts.count == (isSeen ? 0 : 1))
        }
    }

    @Test("a paired phone's own receipt makes its person's text needless, a receipt of its service does not")
    func aPairedPhonesOwnReceiptMakesItsPersonsTextNeedless() throws {
        for isGot in [false, true] {
            var bench = Self.bench {
                $0.phones = Bench.phoneConfiguration().phones
                $0.texts?.unless = .confirmed
                $0.texts?.people = [.init(name: "Anna", number: "+431234567")]
            }
            let phone = try bench.pair()
            bench.panel("6011003")
            bench.advance(.seconds(10))
            let alarm = bench.eventsHeard(phone).last { $0["type"]?.stringValue == "alarm" }
            let seq = try #require(alarm?["seq"]?.stringValue)
            if isGot {
                bench.request(phone, "got", ["log": "00000000", "seq": seq])
            } else {
                let sent = try #require(PhonesDeliveryTests.alarms(bench, phone).last)
                for input in bench.push.server.receipt(of: sent.id, token: phone.token) { bench.feed(input) }
            }
            bench.advance(.minutes(60))
            #expect(bench.net.texts.count == (isGot ? 0 : 1))
        }
    }

    @Test("an alarm that a phone's service took is no text")
    func anAlarmThatAPhonesServiceTookIsNoText() throws {
        var bench = Self.bench()
        let paired = bench.pairStoreApp()
        try #require(paired != nil)
        bench.panel("6011003")
        bench.advance(.minutes(60))
        #expect(bench.topics.published.contains { $0.title.contains("ALARM") })
        #expect(bench.net.texts.isEmpty)
    }

    @Test("an alarm of before a restart that the service took is no text when the phone, which was off, is revoked")
    func anAlarmOfBeforeARestartThatTheServiceTookIsNoText() throws {
        var bench = Self.bench { $0.phones = Bench.phoneConfiguration().phones }
        let phone = try bench.pair()
        bench.panel("6011003")
        bench.advance(.minutes(2))
        #expect(bench.push.messages.filter { $0.event.code == "601" }.map(\.state) == [.overdue])
        var next = bench.restarted()
        Self.plugIn(&next)
        next.logIn()
        next.advance(.minutes(1))
        next.ask(.phones(.revoke(phone: phone.id.description)), as: 76)
        next.advance(.minutes(20))
        #expect(next.push.messages.filter { $0.event.code == "601" }.map(\.state) == [.dead])
        #expect(next.net.texts.isEmpty)
    }

    @Test(
        "an alarm of before a restart that somebody has got is no text because another phone is off",
        arguments: [true, false])
    func anAlarmOfBeforeARestartThatSomebodyHasGotIsNoTextBecause(isGot: Bool) throws {
        var bench = Self.bench { $0.phones = Bench.phoneConfiguration().phones }
        let anna = try bench.pair()
        let berta = try bench.pair(person: "Berta", token: "token-of-berta")
        bench.panel("6011003")
        bench.advance(.minutes(2))
        let off = bench.push.messages.filter { $0.event.code == "601" }.map(\.address)
        try #require(off.count == 2 && anna.id != berta.id)
        bench.push.forget("601", at: off[0])
        if !isGot { bench.push.forget("601", at: off[1]) }
        bench.push.server.isUp = false
        var next = bench.restarted()
        Self.plugIn(&next)
        next.logIn()
        next.advance(.minutes(20))
        #expect(next.net.texts.count == (isGot ? 0 : 1))
    }

    @Test("texts that are configured while the box runs leave by the modem that is ready already")
    func textsThatAreConfiguredWhileTheBoxRunsLeaveByTheModem() throws {
        var bench = Bench.withLinks {
            $0.modem = ModemSettings(subscription: ModemSubscription(apn: "internet"))
        }
        Self.plugIn(&bench)
        bench.advance(.seconds(30))
        let paired = bench.pairStoreApp()
        try #require(paired != nil)
        var configuration = bench.configuration
        configuration.texts = TextAlarmSettings(numbers: ["+431234567"], unless: .taken)
        bench.feed(.reload(.configuration(configuration)))
        bench.net.blackHoles = ["eth0", "wwan0"]
        bench.panel("6011003")
        bench.advance(.minutes(6))
        #expect(bench.net.texts.map(\.number) == ["+431234567"])
    }

    @Test("duress is never a text")
    func duressIsNeverAText() throws {
        var bench = Self.bench()
        bench.net.blackHoles = ["eth0", "wwan0"]
        bench.panel("6200000")
        bench.advance(.minutes(60))
        #expect(bench.net.texts.isEmpty)
    }

    @Test("an alarm that a restart finds undelivered still goes out")
    func anAlarmThatARestartFindsUndeliveredStillGoesOut() throws {
        var bench = Self.bench()
        let paired = bench.pairStoreApp()
        try #require(paired != nil)
        bench.net.blackHoles = ["eth0", "wwan0"]
        bench.panel("6011003")
        bench.advance(.seconds(30))
        var next = bench.restarted()
        Self.plugIn(&next)
        next.logIn()
        next.advance(.minutes(6))
        #expect(next.net.texts.count == 1)
    }

    @Test(
        "a PIN that the SIM refused is not tried again after a restart, nor in safe mode; another one is",
        arguments: [true, false], [true, false])
    func aPINThatTheSIMRefusedIsNotTriedAgainAfterARestart(isChanged: Bool, isSafeMode: Bool) throws {
        var bench = Bench.withLinks {
            $0.modem = ModemSettings(pin: Secret("1234"), subscription: ModemSubscription(apn: "internet"))
        }
        let locked = ModemStatus(phase: .locked, lock: .pin, triesLeft: 3)
        bench.feed(.modem(.service(isThere: true)))
        bench.feed(.modem(.modem(locked)))
        Self.awaitUnlock(&bench)
        #expect(Self.unlocks(bench) == ["1234"])
        bench.feed(.modem(.failed(.unlock, ModemFailure(.wrongPIN))))
        bench.advance(.minutes(1))
        var configuration = bench.configuration
        if isChanged { configuration.modem?.pin = Secret("4321") }
        var next = Bench(configuration)
        next.net = bench.net
        let snapshot = bench.snapshot
        next.start(configuration) {
            if isSafeMode { $0.refusedPIN = snapshot?.refusedPIN } else { $0.snapshot = snapshot }
        }
        next.feed(.modem(.service(isThere: true)))
        next.feed(.modem(.modem(ModemStatus(phase: .locked, lock: .pin, triesLeft: 2))))
        Self.awaitUnlock(&next)
        #expect(Self.unlocks(next) == (isChanged ? ["4321"] : []))
    }

    @Test("without a modem what was rescued of a refused PIN stays in the store")
    func withoutAModemWhatWasRescuedOfARefusedPINStaysInTheStore() {
        var bench = Bench()
        bench.start { $0.refusedPIN = 5 }
        bench.logIn()
        #expect(bench.snapshot?.refusedPIN == 5)
    }

    /// The modem is looked for now and then.
    private static func awaitUnlock(_ bench: inout Bench) {
        for _ in 0..<180 where unlocks(bench).isEmpty { bench.advance(.seconds(1)) }
    }

    private static func unlocks(_ bench: Bench) -> [String] {
        bench.history.compactMap { effect in
            if case .modem(.unlock(let pin)) = effect { pin.revealed } else { nil }
        }
    }

    /// The modem is there and in the network.
    static func plugIn(_ bench: inout Bench) {
        var status = ModemStatus(name: "Test", phase: .registered, lock: .none)
        status.registration = .home
        bench.feed(.modem(.service(isThere: true)))
        bench.feed(.modem(.modem(status)))
    }
}
