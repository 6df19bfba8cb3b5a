import AlarmModel
import ApplianceCore
import PanelLink
import PhoneLink
import Simulators
import Testing
import Uplinks

@Suite("Telephone calls as the last resort")
struct CallTests {
    static func settings(hasKeys: Bool = true) throws -> CallerSettings {
        let origin = HTTPOrigin(host: "192.0.2.40", port: CallServer.port, security: .tls(authorityFile: nil))
        var provider = CallSettings(
            origin, target: Secret("/flows/alarm/executions"),
            body: .form([
                .init("To", Secret("{number}")), .init("Parameters", Secret(#"{"words":"{words}"}"#)),
            ]))
        if hasKeys {
            provider.status = .init(
                callPath: "sid", target: Secret("/flows/alarm/executions/{call}/context"),
                keyPath: "context.widgets.ask.Digits")
        }
        return CallerSettings(
            provider: provider,
            people: [.init(name: "Anna", number: "+431234567"), .init(name: "Berta", number: "+437654321")])
    }

    private static func bench(
        hasKeys: Bool = true, _ change: (inout Configuration) -> Void = { _ in }
    ) throws -> Bench {
        var configuration = Bench.configuration()
        configuration.phones = PhoneSettings()
        configuration.phones.channels = [.ntfy(NtfySettings(host: "192.0.2.9"))]
        configuration.calls = try settings(hasKeys: hasKeys)
        change(&configuration)
        var bench = Bench.up(configuration)
        bench.advance(.seconds(10))
        return bench
    }

    @Test("an alarm that nobody confirms is a call to each number after three minutes, and says what happened")
    func anAlarmThatNobodyConfirmsIsACall() throws {
        var bench = try Self.bench()
        let paired = bench.pairStoreApp()
        try #require(paired != nil)
        bench.panel("6011003")
        bench.advance(.seconds(179))
        #expect(bench.caller.calls.isEmpty && bench.look?.calls?.waiting == 1)
        bench.advance(.seconds(2))
        #expect(bench.caller.calls.map(\.number) == ["+431234567", "+437654321"])
        let words = try #require(bench.caller.calls.first?.words)
        #expect(words.hasPrefix("Mill. ALARM, Kitchen window."), "\(words)")
        #expect(words.hasSuffix("Press any key to confirm that you have heard this."), "\(words)")
    }

    @Test("a phone's receipt ends no call, a person's word ends that person's", arguments: [false, true])
    func aPhonesReceiptEndsNoCall(isSeen: Bool) throws {
        var bench = try Self.bench { $0.phones = Bench.phoneConfiguration().phones }
        var phone = try bench.pair()
        bench.panel("6011003")
        bench.advance(.seconds(10))
        bench.request(phone, "ping", ["log": "00000000", "seq": "\(bench.lastSequence.number)"])
        if isSeen { try bench.command(&phone, "seen") }
        bench.advance(.minutes(4))
        #expect(bench.caller.calls.map(\.number) == (isSeen ? ["+437654321"] : ["+431234567", "+437654321"]))
    }

    @Test("nobody is called about an alarm that somebody at the box has seen in time")
    func nobodyIsCalledAboutAnAlarmThatAPersonHasSeen() throws {
        var bench = try Self.bench()
        let paired = bench.pairStoreApp()
        try #require(paired != nil)
        bench.panel("6011003")
        bench.advance(.minutes(2))
        bench.ask(.phones(.seen), as: 76)
        bench.advance(.minutes(60))
        #expect(bench.caller.calls.isEmpty)
    }

    @Test(
        "three calls to each number are in vain, half a minute after the one before; then it is a fault and no call more"
    )
    func threeCallsToEachNumberAreInVain() throws {
        var bench = try Self.bench()
        bench.panel("6011003")
        bench.advance(.hours(24))
        #expect(bench.caller.calls.count == 6)
        let times = bench.caller.arrivals.map(\.at.boot)
        let pause = CallProvider.keyPatience + TextAlarm.pauseBetweenTries
        #expect(zip(times, times.dropFirst(2)).allSatisfy { (pause...(pause + .seconds(2))).contains($1 - $0) })
        let told = bench.events(.call)
        #expect(told.map(\.type) == [.fault, .fault])
        #expect(told.first?.message == "Calls to Anna about 1 alarm reached nobody: nobody pressed a key.")
    }

    @Test("a pressed key ends that person's calls about the alarm, and nobody else's")
    func aPressedKeyEndsThatPersonsCalls() throws {
        var bench = try Self.bench()
        for person in ["Anna", "Berta"] {
            let paired = bench.pairStoreApp("Phone of \(person)", person: person)
            try #require(paired != nil)
        }
        bench.caller.machine.pressAfter = ["+437654321": .seconds(20)]
        bench.panel("6011003")
        bench.advance(.seconds(190))
        #expect(bench.caller.calls.count == 2 && bench.events(.seen).isEmpty)
        bench.advance(.seconds(25))
        #expect(bench.events(.seen).map(\.message) == ["Berta has seen the alarm."])
        bench.advance(.minutes(30))
        let called = bench.caller.calls.map(\.number)
        #expect(called.count { $0 == "+437654321" } == 1 && called.count { $0 == "+431234567" } == 3)
        #expect(bench.events(.call).map(\.type) == [.info, .fault])
        // Anna has not seen it by that: nothing counts as seen by everybody.
        #expect(bench.snapshot?.seenUpTo == nil)
    }

    @Test("the key in a call to somebody whom the box does not know ends the calls to that number and silences nobody")
    func theKeyInACallToSomebodyUnknown() throws {
        var bench = try Self.bench()
        bench.caller.machine.pressAfter = ["+431234567": .seconds(20)]
        bench.panel("6011003")
        bench.advance(.hours(2))
        let called = bench.caller.calls.map(\.number)
        #expect(called.count { $0 == "+431234567" } == 1 && called.count { $0 == "+437654321" } == 3)
        #expect(bench.events(.seen).isEmpty)
        #expect(bench.events(.call).first?.message == "Anna pressed a key in the call about 1 alarm.")
    }

    @Test("without a way to ask for keys each number is called once, and nothing is claimed")
    func withoutAWayToAskForKeysEachNumberIsCalledOnce() throws {
        var bench = try Self.bench(hasKeys: false)
        bench.panel("6011003")
        bench.advance(.hours(24))
        #expect(bench.caller.calls.count == 2)
        #expect(bench.caller.calls.first?.words.contains("Press") == false)
        #expect(bench.events(.call).first?.message.contains("whether anybody heard it is not known") == true)
        #expect(bench.caller.machine.questions == 0)
    }

    @Test("duress, a test for one phone and maintenance call nobody")
    func duressCallsNobody() throws {
        var bench = try Self.bench()
        let paired = bench.pairStoreApp()
        try #require(paired != nil)
        bench.panel("620")
        bench.ask(.phones(.testAlarm(phone: "Annas iPhone")), as: 70)
        bench.ask(.maintenance(on: true), as: 71)
        bench.panel("6011003")
        bench.advance(.hours(1))
        #expect(bench.caller.calls.isEmpty)
    }

    @Test(
        "a test alarm to everybody is one call to each, told as a test, and what came of it", arguments: [true, false])
    func aTestAlarmToEverybodyIsOneCallToEach(isPressed: Bool) throws {
        var bench = try Self.bench { $0.language = .german }
        if isPressed {
            bench.caller.machine.pressAfter = ["+431234567": .seconds(9), "+437654321": .seconds(12)]
        }
        let paired = bench.pairStoreApp()
        try #require(paired != nil)
        bench.ask(.phones(.testAlarm(phone: nil)), as: 70)
        bench.advance(.seconds(2))
        #expect(bench.caller.calls.map(\.number) == ["+431234567", "+437654321"])
        #expect(bench.caller.calls.first?.words.hasPrefix("Mill. Dies ist ein Testanruf") == true)
        bench.advance(.hours(1))
        #expect(bench.caller.calls.count == 2 && bench.events(.seen).isEmpty)
        let told = bench.events(.call).map(\.message)
        #expect(told.count == 2)
        #expect(told.allSatisfy { $0.contains(isPressed ? "works: a key was pressed" : "nobody pressed a key") })
    }

    @Test("a house without a phone can try its calls; a test notice, which is no call, is refused there")
    func aHouseWithoutAPhoneCanTryItsCalls() throws {
        var bench = try Self.bench()
        bench.ask(.phones(.test(phone: nil)), as: 70)
        bench.ask(.phones(.testAlarm(phone: nil)), as: 71)
        bench.advance(.minutes(10))
        guard case .error(let refusal)? = bench.answers(70).last, case .changed(let words)? = bench.answers(71).last
        else { return #expect(Bool(false), "\(bench.answers(70)) \(bench.answers(71))") }
        #expect(refusal.hasPrefix("there are no phones yet"))
        #expect(words.hasPrefix("a test alarm is on its way to 2 calls;"))
        #expect(bench.caller.calls.count == 2 && bench.events(.call).count == 2)
        #expect(bench.events(.testResult).isEmpty)
    }

    @Test("a provider that refuses is named with what to do, and asked again as long as nobody can have been called")
    func aProviderThatRefusesIsNamed() throws {
        var bench = try Self.bench()
        bench.caller.machine.status = 402
        bench.panel("6011003")
        bench.advance(.minutes(10))
        let fault = try #require(bench.events(.call).first)
        #expect(fault.type == .fault)
        #expect(fault.message.contains("https://192.0.2.40:9444: it answered 402: the account has no credit"))
        #expect(!fault.message.contains("flows"))
        #expect(bench.look?.calls?.problem?.contains("402") == true && bench.look?.calls?.lastTaken == nil)
        bench.caller.machine.status = 201
        bench.advance(.minutes(20))
        #expect(bench.caller.calls.count >= 2)
        #expect(bench.look?.calls?.problem == nil && bench.look?.calls?.lastTaken != nil)
    }

    @Test("several alarms are one call that names the first three")
    func severalAlarmsAreOneCall() throws {
        var bench = try Self.bench()
        for zone in ["003", "004", "005", "006", "007"] { bench.panel("6011\(zone)") }
        bench.advance(.seconds(70))
        #expect(bench.caller.calls.count == 2)
        #expect(bench.caller.calls.first?.words.contains("and 2 more. Press") == true)
    }

    @Test("a name cannot change the request", arguments: [#"K","x":"{number}"#, "<Hangup/>", "{words}", "a&To=+1900"])
    func aNameCannotChangeTheRequest(name: String) throws {
        var bench = try Self.bench {
            $0.panel.names = SiteNames(zones: [SiteNames.Zone(number: 3, name: name, partition: 1)])
        }
        bench.panel("6011003")
        bench.advance(.seconds(70))
        #expect(bench.caller.calls.map(\.number) == ["+431234567", "+437654321"])
        let words = try #require(bench.caller.calls.first?.words)
        #expect(!words.contains { #"<>{}"&\"#.contains($0) }, "\(words)")
    }

    @Test("after a reload without calls nobody is called")
    func afterAReloadWithoutCallsNobodyIsCalled() throws {
        var bench = try Self.bench()
        bench.panel("6011003")
        bench.advance(.seconds(50))
        var new = bench.configuration
        new.calls = nil
        bench.feed(.reload(.configuration(new)))
        bench.advance(.hours(1))
        #expect(bench.caller.calls.isEmpty)
    }
}
