import AlarmModel
import ApplianceCore
import Companion
import PhoneLink
import PhoneProtocol
import Platform
import Simulators
import Testing

/// A public topic server takes few messages a day from a house; answers leave what alarms need.
@Suite("Answers by a topic server that takes few messages")
struct AnswerBudgetTests {
    private static let limit = 100

    private static func house(limit: Int?) throws -> (Bench, PairedPhone<OpenSSLCrypto>) {
        var ntfy = NtfySettings(host: "192.0.2.9")
        ntfy.answersADay = limit
        var bench = Bench.withTopics { $0.channels = [.ntfy(ntfy)] }
        var phone = try PhonesTopicTests.pair(&bench)
        var taken: Set<[UInt8]> = []
        PhonesTopicTests.talk(&phone, &taken, &bench)
        return (bench, phone)
    }

    /// What the box has published for the phone.
    private static func count(_ bench: Bench, _ topic: String = PhonesTopicTests.topic) -> Int {
        PhonesTopicTests.sealed(bench, topic).count
    }

    private static func others(_ count: Int) -> [String] { (0..<count).map { "anotherphonetopic\($0)" } }

    /// More phones in the house.
    private static func pair(_ topics: [String], _ bench: inout Bench) throws -> [PairedPhone<OpenSSLCrypto>] {
        try topics.map { topic in
            var phone = try PhonesTopicTests.pair(&bench, topic: topic)
            var taken: Set<[UInt8]> = []
            PhonesTopicTests.talk(&phone, &taken, &bench, topic: topic)
            return phone
        }
    }

    private static func ask(
        _ phone: PairedPhone<OpenSSLCrypto>, _ verb: String, _ arguments: KeyValuePairs<String, String>,
        _ bench: inout Bench, topic: String = PhonesTopicTests.topic
    ) throws {
        var crypto = OpenSSLCrypto()
        let channel = try PhoneChannel(bytes: try #require(phone.secrets?.storage))
        let request = PhoneRequest(verb: verb, rid: crypto.random(8), arguments: Arguments(arguments))
        PhonesTopicTests.post(try channel.seal(request, &crypto), to: topic + "--", &bench)
        bench.advance(.seconds(3))
    }

    @Test(
        "a phone that asks without end gets half a day's answers at once and the rest of them over the day; an alarm goes"
    )
    func aPhoneThatAsksWithoutEnd() throws {
        var (bench, phone) = try Self.house(limit: Self.limit)
        bench.advance(.hours(24))
        let before = Self.count(bench)
        for _ in 0..<1200 { try Self.ask(phone, "ping", [:], &bench) }
        let answers = Self.count(bench) - before
        // An hour's worth of 100 a day, and what was there.
        #expect((50...56).contains(answers), "\(answers)")
        bench.panel("6011003", "6541")
        bench.advance(.seconds(1))
        #expect(Self.count(bench) > before + answers)
    }

    @Test("rows of the log get half of it, so that a command's outcome is told")
    func rowsOfTheLogGetHalfOfIt() throws {
        var (bench, phone) = try Self.house(limit: Self.limit)
        for number in 0..<60 { bench.panel(number % 2 == 0 ? "609003" : "610003") }
        bench.advance(.hours(24))
        let before = Self.count(bench)
        let position: KeyValuePairs = ["log": "00000000", "from": "1", "max": "20"]
        for _ in 0..<40 { try Self.ask(phone, "sync", position, &bench) }
        let rows = Self.count(bench) - before
        #expect((20...28).contains(rows), "\(rows)")
        try Self.ask(phone, "ping", [:], &bench)
        #expect(Self.count(bench) == before + rows + 1)
    }

    @Test(
        "a sign of life comes each two hours there, and the phone is told so; without a limit each quarter of an hour")
    func aSignOfLifeComesEachTwoHours() throws {
        for (limit, beats, told) in [(Self.limit, 11...13, "7200"), (nil, 96...110, "900")] {
            var (bench, phone) = try Self.house(limit: limit)
            bench.advance(.hours(1))
            let before = Self.count(bench)
            bench.advance(.hours(24))
            #expect(beats.contains(Self.count(bench) - before), "\(Self.count(bench) - before)")
            var actions: [PhoneAction] = []
            for bytes in PhonesTopicTests.sealed(bench, PhonesTopicTests.topic) {
                phone.received(bytes, at: PhonesTopicTests.time(bench), into: &actions)
            }
            #expect(phone.memory.view.heartbeat.map { "\($0)" } == told)
        }
    }

    @Test("a phone that was paired and never heard is welcomed within the budget, too")
    func aPhoneThatWasNeverHeardIsWelcomedWithinTheBudget() throws {
        var ntfy = NtfySettings(host: "192.0.2.9")
        ntfy.answersADay = Self.limit
        var bench = Bench.withTopics { $0.channels = [.ntfy(ntfy)] }
        _ = try PhonesTopicTests.pair(&bench)
        bench.advance(.hours(24))
        #expect((50...155).contains(Self.count(bench)), "\(Self.count(bench))")
    }

    @Test("a phone that asks without end leaves the others their equal shares", arguments: [(1, 100), (4, 400)])
    func aPhoneThatAsksWithoutEndLeavesTheOthersTheirShares(count: Int, limit: Int) throws {
        var (bench, greedy) = try Self.house(limit: limit)
        let topics = Self.others(count)
        let others = try Self.pair(topics, &bench)
        bench.advance(.hours(24))
        let before = Self.count(bench)
        for _ in 0..<1200 { try Self.ask(greedy, "ping", [:], &bench) }
        // The common half, its share of the other one, and an hour's worth.
        let (common, share) = (limit / 4, limit / 4 / (count + 1))
        let answers = Self.count(bench) - before
        #expect((common + share - 1...common + share + limit / 24).contains(answers), "\(answers)")
        for (phone, topic) in zip(others, topics) {
            let before = Self.count(bench, topic)
            for _ in 0..<share - 1 { try Self.ask(phone, "ping", [:], &bench, topic: topic) }
            #expect(Self.count(bench, topic) - before == share - 1)
        }
    }

    @Test("all phones but one that ask without end leave that one its share, and no more goes than the house may")
    func allButOneThatAskWithoutEndLeaveThatOneItsShare() throws {
        var (bench, quiet) = try Self.house(limit: Self.limit)
        let topics = Self.others(2)
        let greedy = try Self.pair(topics, &bench)
        bench.advance(.hours(24))
        let before = topics.map { Self.count(bench, $0) }
        for _ in 0..<600 {
            for (phone, topic) in zip(greedy, topics) { try Self.ask(phone, "ping", [:], &bench, topic: topic) }
        }
        let answers = zip(topics, before).map { Self.count(bench, $0) - $1 }
        // All but the share of the third, and an hour's worth.
        #expect((40...47).contains(answers.reduce(0, +)), "\(answers)")
        let known = Self.count(bench)
        for _ in 0..<7 { try Self.ask(quiet, "ping", [:], &bench) }
        #expect(Self.count(bench) == known + 7)
    }

    @Test("while another phone asks without end, a phone's signs of life go on")
    func whileAnotherPhoneAsksWithoutEndSignsOfLifeGoOn() throws {
        var (bench, _) = try Self.house(limit: Self.limit)
        let topics = Self.others(1)
        let greedy = try #require(try Self.pair(topics, &bench).first)
        bench.advance(.hours(24))
        let before = Self.count(bench)
        for _ in 0..<24 * 60 {
            try Self.ask(greedy, "ping", [:], &bench, topic: topics[0])
            bench.advance(.seconds(57))
        }
        #expect((11...13).contains(Self.count(bench) - before), "\(Self.count(bench) - before)")
    }

    @Test("one answer a day is one, not none")
    func oneAnswerADayIsOne() throws {
        var (bench, phone) = try Self.house(limit: 1)
        bench.advance(.hours(49))
        let before = Self.count(bench)
        bench.advance(.hours(24))
        #expect(Self.count(bench) == before + 1)
        try Self.ask(phone, "ping", [:], &bench)
        #expect(Self.count(bench) == before + 1)
    }
}
