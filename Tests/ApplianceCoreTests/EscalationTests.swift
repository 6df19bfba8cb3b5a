import AlarmModel
import ApplianceCore
import Testing
import Uplinks

@Suite("Texts and calls go to each person on their own, and begin when nothing is accepted")
struct EscalationTests {
    private static let anna = "+431234567"
    private static let berta = "+437654321"

    /// Both people have a store app.
    private static func bench(
        unless: TextAlarmSettings.Unless, _ change: (inout Configuration) -> Void = { _ in }
    ) throws -> (Bench, topics: [String]) {
        var bench = Bench.withLinks { configuration in
            configuration.modem = ModemSettings(subscription: ModemSubscription(apn: "internet"))
            var texts = TextAlarmSettings(numbers: [anna, berta], unless: unless)
            texts.people = [.init(name: "Anna", number: anna), .init(name: "Berta", number: berta)]
            configuration.texts = texts
            change(&configuration)
        }
        LastResortTests.plugIn(&bench)
        bench.advance(.seconds(30))
        var topics: [String] = []
        for person in ["Anna", "Berta"] {
            let paired = bench.pairStoreApp("Phone of \(person)", person: person)
            let contact = try #require(paired)
            topics.append(contact.value.split(separator: "/").last.map(String.init) ?? "")
        }
        return (bench, topics)
    }

    private static func texted(_ bench: Bench) -> [String] { bench.net.texts.map(\.number) }

    @Test(
        "what a service accepts for one person spares that person's text alone, also after a restart",
        arguments: [true, false])
    func whatAServiceAcceptsForOnePersonSparesThatPersonsTextAlone(restarts: Bool) throws {
        var (bench, topics) = try Self.bench(unless: .taken)
        bench.topics.forbidden = [topics[1]]
        bench.panel("6011003")
        bench.advance(.seconds(20))
        if restarts {
            bench.net.blackHoles = ["eth0", "wwan0"]
            bench = bench.restarted()
            LastResortTests.plugIn(&bench)
            bench.logIn()
        }
        bench.advance(.minutes(7))
        #expect(Self.texted(bench) == [Self.berta])
        #expect(bench.events(.alarmUnaccepted).isEmpty, "somebody's service has it")
    }

    @Test("an alarm that every service refuses is a fault after a minute, is told when one works again, and is texted")
    func anAlarmThatEveryServiceRefusesIsAFault() throws {
        for unless in [TextAlarmSettings.Unless.confirmed, .seen, .taken] {
            var (bench, _) = try Self.bench(unless: unless)
            bench.topics.answer(503)
            bench.panel("6011003")
            bench.advance(.seconds(59))
            #expect(Self.texted(bench).isEmpty)
            bench.panel("6011004")
            bench.advance(.seconds(2))
            #expect(Self.texted(bench) == [Self.anna, Self.berta])
            bench.advance(.minutes(2))
            let faults = bench.events(.alarmUnaccepted)
            #expect(faults.map(\.zone) == [3, 4] && faults.allSatisfy { $0.type == .fault })
            bench.topics.answer(200)
            bench.advance(.hours(3))
            #expect(bench.events(.alarmUnaccepted).count == 2)
            let told = bench.topics.published.filter { $0.title.contains("Alarm not delivered") }
            #expect(Set(told.map(\.title)).count == 2, "\(told.map(\.title))")
        }
    }

    @Test("what a service accepts within the minute is no fault, and waits for its person as long as the owner says")
    func whatAServiceAcceptsWithinTheMinuteIsNoFault() throws {
        var (bench, _) = try Self.bench(unless: .confirmed)
        bench.topics.answer(503)
        bench.panel("6011003")
        bench.advance(.seconds(40))
        bench.topics.answer(200)
        bench.advance(.seconds(245))
        #expect(Self.texted(bench).isEmpty && bench.events(.alarmUnaccepted).isEmpty)
        bench.advance(.seconds(20))
        #expect(Self.texted(bench) == [Self.anna, Self.berta])
    }

    @Test("duress that no service accepts is told to nobody in the house")
    func duressThatNoServiceAcceptsIsTold() throws {
        var (bench, _) = try Self.bench(unless: .confirmed)
        bench.topics.answer(503)
        bench.panel("6200000")
        bench.advance(.minutes(10))
        #expect(bench.events(.alarmUnaccepted).isEmpty && Self.texted(bench).isEmpty)
    }

    @Test("a name that is written before a number while its alarm waits takes the alarm with it, once")
    func aNameThatIsWrittenWhileAnAlarmWaits() throws {
        var (bench, _) = try Self.bench(unless: .confirmed) { $0.texts?.people = nil }
        bench.panel("6011003")
        bench.advance(.minutes(2))
        var named = bench.configuration
        named.texts?.people = [.init(name: "Anna", number: Self.anna)]
        named.texts?.numbers = [Self.anna, "+4420123456"]
        bench.feed(.reload(.configuration(named)))
        bench.advance(.minutes(30))
        #expect(Self.texted(bench) == [Self.anna, "+4420123456"])
    }
}
