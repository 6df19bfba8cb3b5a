import AlarmModel
import ApplianceCore
import PhoneLink
import Testing

/// Of the broker and the queue alike; here by the queue.
@Suite("One-time codes by the broker")
struct HouseCodeTests {
    /// Anna, who has codes, and a queue that may disarm with them.
    private static func bench() -> (bench: Bench, secret: [UInt8]) {
        var bench = Bench.withChat { configuration in
            configuration.phones.channels.append(
                .beanstalk(BeanstalkSettings(host: "192.0.2.11", commandTubes: ["commands"])))
            var verbs = PhoneSettings.HouseVerbs(channel: .beanstalk, allowed: [.disarm])
            verbs.takesOneTimeCodes = true
            configuration.phones.houseVerbs = [verbs]
        }
        let secret = bench.setUpCodes()
        return (bench, secret)
    }

    /// - Returns: whether the panel was told to disarm
    private static func disarm(_ bench: inout Bench, _ code: String, _ number: UInt64) -> Bool {
        let before = bench.disarmLines
        let body = #"{"type":"command","code":"040","data":"1\#(code)"}"#
        for input in bench.queue.hand(number, body, age: 1, at: bench.now) { bench.feed(input) }
        bench.settle()
        return bench.disarmLines > before
    }

    @Test("the code of anybody who has codes disarms once, in that person's name; it counts nowhere again")
    func theCodeOfAnybodyWhoHasCodesDisarmsOnce() throws {
        var (bench, anna) = Self.bench()
        bench.ask(.people(.add(name: "Ben", PersonChange())), as: 90)
        bench.ask(.phones(.codes(person: "Ben")), as: 91)
        let ben = bench.shownSecret
        bench.ask(.phones(.confirm(Secret(bench.code(ben)))), as: 92)
        bench.advance(.minutes(1))
        for (number, (name, secret)) in [("Ben", ben), ("Anna", anna)].enumerated() {
            let code = bench.code(secret)
            let first = Self.disarm(&bench, code, UInt64(2 * number + 1))
            let event = try #require(bench.events(.command).last { $0.type == .command })
            #expect(first && event.userName == name)
            let second = Self.disarm(&bench, code, UInt64(2 * number + 2))
            #expect(!second)
        }
        bench.say("disarm \(bench.code(anna))")
        #expect(bench.chat.heard.last?.contains("was used before") == true)
    }

    @Test("a right code disarms, however many commands came before it")
    func aRightCodeDisarmsHoweverManyCommandsCameBefore() {
        var (bench, secret) = Self.bench()
        bench.configuration.phones.houseVerbs[0].allowed.append(.arm)
        bench.feed(.reload(.configuration(bench.configuration)))
        for number in 1...20 {
            for input in bench.queue.hand(UInt64(number), "arm", age: 1, at: bench.now) { bench.feed(input) }
            bench.settle()
        }
        let isDone = Self.disarm(&bench, bench.code(secret), 21)
        #expect(isDone)
    }

    @Test("five wrong ones lock the broker and nobody's chat; without a code, and at a doubtful clock, nothing is done")
    func fiveWrongOnesLockTheBrokerAndNobodysChat() {
        var (bench, secret) = Self.bench()
        for number in 1...4 {
            let isDone = Self.disarm(&bench, number == 1 ? "" : "00000\(number)", UInt64(number))
            #expect(!isDone)
        }
        bench.now.isWallTrusted = false
        let doubtful = Self.disarm(&bench, bench.code(secret), 5)
        #expect(!doubtful)
        bench.now.isWallTrusted = true
        let wrong = Self.disarm(&bench, "000005", 6)
        #expect(!wrong && bench.events(.phoneLocked).count == 1)
        let locked = Self.disarm(&bench, bench.code(secret), 7)
        #expect(!locked)
        let before = bench.disarmLines
        bench.say("disarm \(bench.code(secret))")
        #expect(bench.disarmLines == before + 1)
        bench.panel("6551")
        bench.advance(.minutes(15))
        bench.panel("65210")
        let open = Self.disarm(&bench, bench.code(secret), 8)
        #expect(open)
    }

    @Test("a flood that is refused before any code is looked at fills no journal")
    func aFloodThatIsRefusedFillsNoJournal() {
        var (bench, _) = Self.bench()
        bench.now.isWallTrusted = false
        let before = bench.events(.phoneDenied).count
        for number in 1...200 { _ = Self.disarm(&bench, "123456", UInt64(number)) }
        let told = bench.events(.phoneDenied).count - before
        #expect((1...30).contains(told), "\(told)")
    }
}
