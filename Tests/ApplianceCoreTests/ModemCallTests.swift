import AlarmModel
import ApplianceCore
import Testing
import Uplinks

@Suite("Telephone calls by the box's own modem")
struct ModemCallTests {
    private static func bench(_ change: (inout Configuration) -> Void = { _ in }) -> Bench {
        var bench = Bench.withLinks { configuration in
            configuration.modem = ModemSettings(subscription: ModemSubscription(apn: "internet"))
            configuration.calls = CallerSettings(
                provider: nil,
                people: [.init(name: "Anna", number: "+431234567"), .init(name: "Berta", number: "+437654321")])
            change(&configuration)
        }
        LastResortTests.plugIn(&bench)
        bench.advance(.seconds(30))
        return bench
    }

    /// Whom the modem has called, in their order.
    private static func called(_ bench: Bench) -> [String] { bench.net.dialed.map(\.number) }

    private static func hear(_ fact: VoiceCallFact, _ bench: inout Bench) throws {
        let id = try #require(bench.net.dialed.last?.id)
        bench.feed(.modem(.call(id, fact)))
    }

    @Test(
        "what no service accepts within a minute rings at the first number, and whoever takes it hears what it is"
    )
    func whatNobodyConfirmsRings() throws {
        var bench = Self.bench()
        bench.panel("6011003")
        bench.advance(.seconds(59))
        #expect(Self.called(bench).isEmpty && bench.look?.calls?.waiting == 1)
        bench.advance(.seconds(2))
        #expect(Self.called(bench) == ["+431234567"] && bench.net.tones.isEmpty)
        try Self.hear(.answered, &bench)
        bench.advance(.seconds(7))
        let words = try #require(bench.net.spoken.first)
        #expect(bench.net.spoken.count == 1 && bench.net.tones.isEmpty && words.language == .english)
        #expect(words.text.contains("ALARM, Kitchen window"), "\(words.text)")
        #expect(words.text.hasSuffix("Press any key to confirm that you have heard this."), "\(words.text)")
        #expect(bench.look?.calls?.place == "the modem")
    }

    @Test("where nothing speaks, whoever takes the call hears tones")
    func whereNothingSpeaksTonesAreHeard() throws {
        var bench = Self.bench()
        bench.panel("6011003")
        bench.advance(.seconds(70))
        try Self.hear(.answered, &bench)
        try Self.hear(.unspoken(ModemFailure(.other, "no sound")), &bench)
        bench.advance(.seconds(7))
        #expect(bench.net.tones.count == 4)
    }

    @Test("each person is spoken to in the own language, the others in the house's")
    func eachPersonIsSpokenToInTheOwnLanguage() throws {
        var bench = Self.bench()
        bench.ask(.people(.add(name: "Berta", PersonChange(language: "de"))), as: 60)
        bench.panel("6011003")
        bench.advance(.seconds(70))
        try Self.hear(.answered, &bench)
        try Self.hear(.ended, &bench)
        bench.advance(.seconds(10))
        try Self.hear(.answered, &bench)
        #expect(bench.net.spoken.map(\.language) == [.english, .german])
        #expect(bench.net.spoken.last?.text.contains("Taste") == true)
    }

    @Test("a pressed key hangs up and ends that person's calls; the next is called all the same")
    func aPressedKeyHangsUp() throws {
        var bench = Self.bench()
        let paired = bench.pairStoreApp("Phone of Anna", person: "Anna")
        try #require(paired != nil)
        bench.panel("6011003")
        bench.advance(.minutes(3) + .seconds(10))
        try Self.hear(.answered, &bench)
        bench.advance(.seconds(5))
        try Self.hear(.keyPressed, &bench)
        #expect(bench.net.hungUp == bench.net.dialed.map(\.id))
        bench.advance(.hours(3))
        let berta = "+437654321"
        #expect(Self.called(bench) == ["+431234567", berta, berta, berta])
        #expect(bench.events(.seen).map(\.message) == ["Anna has seen the alarm."])
        #expect(bench.events(.call).map(\.type) == [.info, .fault])
    }

    @Test("who does not take the call is called three times, one after the other; then it is a fault and no call more")
    func whoDoesNotTakeTheCallIsCalledThreeTimes() {
        var bench = Self.bench()
        bench.panel("6011003")
        bench.advance(.hours(24))
        #expect(Self.called(bench).count == 6)
        #expect(Set(bench.net.dialed.map(\.id.number)).count == 6 && bench.net.hungUp.count == 6)
        let told = ["Anna", "Berta"].map { "Calls to \($0) about 1 alarm reached nobody: nobody pressed a key." }
        #expect(bench.events(.call).map(\.message) == told)
    }

    @Test("somebody who has seen the alarm meanwhile spares the others the call")
    func somebodyWhoHasSeenItSparesTheOthers() throws {
        var bench = Self.bench()
        let paired = bench.pairStoreApp()
        try #require(paired != nil)
        bench.panel("6011003")
        bench.advance(.minutes(3) + .seconds(10))
        #expect(Self.called(bench) == ["+431234567"])
        bench.ask(.phones(.seen), as: 76)
        try Self.hear(.ended, &bench)
        bench.advance(.hours(3))
        #expect(Self.called(bench) == ["+431234567"])
    }

    @Test("a key of a call that is over, and of one that never was, confirms nothing")
    func aKeyOfACallThatIsOverConfirmsNothing() throws {
        var bench = Self.bench()
        bench.panel("6011003")
        bench.advance(.seconds(70))
        let first = try #require(bench.net.dialed.first?.id)
        try Self.hear(.ended, &bench)
        bench.feed(.modem(.call(first, .keyPressed)))
        bench.feed(.modem(.call(CallID(999), .keyPressed)))
        bench.advance(.seconds(10))
        #expect(Self.called(bench).count == 2)
        #expect(bench.events(.call).isEmpty && bench.events(.seen).isEmpty)
    }

    @Test("a modem that makes no call, and one that sends no tones, are named")
    func aModemThatMakesNoCallIsNamed() throws {
        var bench = Self.bench()
        bench.panel("6011003")
        bench.advance(.seconds(70))
        try Self.hear(.failed(ModemFailure(.notAllowed)), &bench)
        #expect(bench.look?.calls?.problem == "the modem made no call: the modem service does not allow it")
        bench.advance(.seconds(10))
        try Self.hear(.answered, &bench)
        try Self.hear(.unspoken(ModemFailure(.other, "no sound")), &bench)
        bench.advance(.seconds(1))
        try Self.hear(.toneFailed(ModemFailure(.other, "not supported")), &bench)
        try Self.hear(.ended, &bench)
        #expect(
            bench.look?.calls?.problem?.contains("heard nothing, for the modem lets nobody speak and sent no tone")
                == true)
    }

    @Test("without a network nobody is called; with one they are, at once")
    func withoutANetworkNobodyIsCalled() {
        var bench = Self.bench()
        bench.feed(.modem(.modem(nil)))
        bench.panel("6011003")
        bench.advance(.minutes(30))
        #expect(Self.called(bench).isEmpty)
        LastResortTests.plugIn(&bench)
        bench.advance(.seconds(5))
        #expect(Self.called(bench) == ["+431234567"])
    }

    @Test("a modem that is configured while the box runs calls")
    func aModemThatIsConfiguredWhileTheBoxRunsCalls() {
        let complete = Self.bench().configuration
        var bench = Self.bench { $0.modem = nil }
        bench.feed(.reload(.configuration(complete)))
        LastResortTests.plugIn(&bench)
        bench.panel("6011003")
        bench.advance(.seconds(70))
        #expect(Self.called(bench) == ["+431234567"])
    }

    @Test("duress and maintenance call nobody")
    func duressCallsNobody() {
        var bench = Self.bench()
        bench.panel("620")
        bench.ask(.maintenance(on: true), as: 71)
        bench.panel("6011003")
        bench.advance(.hours(1))
        #expect(Self.called(bench).isEmpty)
    }

    @Test("a test alarm calls each number once, and says whether this modem hears keys")
    func aTestAlarmCallsEachNumberOnce() throws {
        var bench = Self.bench()
        bench.ask(.phones(.testAlarm(phone: nil)), as: 70)
        bench.advance(.seconds(2))
        #expect(Self.called(bench) == ["+431234567"])
        try Self.hear(.answered, &bench)
        try Self.hear(.keyPressed, &bench)
        bench.advance(.hours(1))
        #expect(Self.called(bench) == ["+431234567", "+437654321"])
        let told = bench.events(.call).map(\.message)
        #expect(told.first == "The test call to Anna works: a key was pressed.")
        #expect(told.last?.contains("this modem hears none") == true)
    }

    @Test("a link of the modem that is lost while it calls is no fault, unless it stays away")
    func aLinkThatIsLostWhileItCallsIsNoFault() throws {
        for isBackSoon in [true, false] {
            var bench = Self.bench { $0.uplinks = Bench.twoLinks }
            bench.panel("6011003")
            bench.advance(.seconds(70))
            #expect(Self.called(bench).count == 1)
            bench.net.facts[1].hasCarrier = false
            bench.feed(.links(bench.net.facts))
            bench.advance(.seconds(40))
            #expect(bench.events(.linkLost).isEmpty)
            // The calls go on for some minutes, each with a while of its own.
            if isBackSoon {
                bench.net.facts[1].hasCarrier = true
                bench.feed(.links(bench.net.facts))
            }
            bench.advance(.minutes(20))
            #expect(bench.events(.linkLost).count == (isBackSoon ? 0 : 1))
        }
    }
}
