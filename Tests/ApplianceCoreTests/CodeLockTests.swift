import AlarmModel
import ApplianceCore
import PhoneLink
import Testing

@Suite("Wrong codes by the broker or a queue")
struct CodeLockTests {
    private static let code = "4711"

    private static func bench(_ change: (inout PhoneSettings.HouseVerbs) -> Void = { _ in }) -> Bench {
        var bench = Bench.up(configuration(change))
        bench.advance(.seconds(10))
        return bench
    }

    private static func configuration(_ change: (inout PhoneSettings.HouseVerbs) -> Void = { _ in }) -> Configuration {
        var configuration = Bench.configuration()
        configuration.phones = PhoneSettings()
        configuration.phones.channels = [
            .beanstalk(BeanstalkSettings(host: "192.0.2.11", commandTubes: ["commands"]))
        ]
        var verbs = PhoneSettings.HouseVerbs(channel: .beanstalk, allowed: [.disarm], code: Secret(code))
        change(&verbs)
        configuration.phones.houseVerbs = [verbs]
        return configuration
    }

    /// - Returns: whether it was obeyed
    @discardableResult
    private static func disarm(_ bench: inout Bench, _ code: String, _ number: UInt64) -> Bool {
        let before = bench.events(.command).count { $0.type == .command }
        let body = #"{"type":"command","code":"040","data":"1\#(code)"}"#
        for input in bench.queue.hand(number, body, age: 1, at: bench.now) { bench.feed(input) }
        bench.settle()
        return bench.events(.command).count { $0.type == .command } > before
    }

    @Test("five lock for 15 minutes, the next five for twice as long, up to a day; a right one begins anew")
    func fiveLockForLongerEachTime() {
        var bench = Self.bench()
        var number: UInt64 = 0
        for minutes in [15, 30, 60, 120, 240, 480, 960, 1440, 1440] {
            for _ in 0..<5 {
                number += 1
                Self.disarm(&bench, "9999", number)
                bench.advance(.minutes(4))
            }
            bench.advance(.minutes(minutes - 4) - .minutes(1))
            number += 1
            let early = Self.disarm(&bench, Self.code, number)
            #expect(!early, "locked for \(minutes) minutes")
            bench.advance(.minutes(1))
        }
        #expect(bench.events(.phoneLocked).count == 9)
        #expect(bench.events(.phoneLocked).last?.message.contains("24 hours") == true)
        let right = Self.disarm(&bench, Self.code, number + 1)
        #expect(right)
        for step in 2...6 { Self.disarm(&bench, "9999", number + UInt64(step)) }
        #expect(bench.events(.phoneLocked).last?.message.contains("15 minutes") == true)
    }

    @Test("tries that are spread lock, too; a restart gives no new ones, and the wait begins again")
    func aRestartGivesNoNewTries() {
        var bench = Self.bench()
        for number in 1...4 {
            Self.disarm(&bench, "9999", UInt64(number))
            bench.advance(.hours(2))
        }
        bench = bench.restarted { _ in }
        bench.logIn()
        bench.advance(.seconds(10))
        Self.disarm(&bench, "9999", 5)
        #expect(bench.events(.phoneLocked).count == 1)
        bench.advance(.minutes(10))
        bench = bench.restarted { _ in }
        bench.logIn()
        bench.advance(.minutes(14))
        let early = Self.disarm(&bench, Self.code, 6)
        #expect(!early)
        bench.advance(.minutes(2))
        let late = Self.disarm(&bench, Self.code, 7)
        #expect(late)
    }

    @Test("another code in the configuration is not locked by what was tried against the former one")
    func anotherCodeIsNotLocked() {
        var bench = Self.bench()
        for number in 1...5 { Self.disarm(&bench, "9999", UInt64(number)) }
        bench.feed(.reload(.configuration(Self.configuration { $0.code = Secret("8642") })))
        bench.advance(.seconds(1))
        let obeyed = Self.disarm(&bench, "8642", 6)
        #expect(obeyed)
    }
}
