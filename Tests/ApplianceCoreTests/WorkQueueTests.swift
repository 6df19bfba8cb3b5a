import AlarmModel
import ApplianceCore
import PhoneLink
import Simulators
import Testing

/// A beanstalkd with a log on disk, as the core's tests look at it.
typealias QueueServer = Served<BeanstalkPeer>

extension QueueServer {
    static var port: UInt16 { 11_300 }

    init() { self.init(BeanstalkPeer(log: 3), at: Self.port) }

    /// A program's command, so many seconds after it was put.
    mutating func hand(_ number: UInt64, _ body: String, age: Int, at now: Moment) -> [Input] {
        act(at: now) { $0.ask(body, number: number, age: .seconds(age), at: now, into: &$1) }
    }
}

@Suite("Commands from the work queue")
struct WorkQueueTests {
    private static func bench(
        _ verbs: PhoneSettings.HouseVerbs = .init(channel: .beanstalk, allowed: [.arm])
    ) -> Bench {
        var configuration = Bench.configuration()
        configuration.phones = PhoneSettings()
        configuration.phones.channels = [
            .beanstalk(BeanstalkSettings(host: "192.0.2.11", commandTubes: ["commands"]))
        ]
        configuration.phones.houseVerbs = [verbs]
        var bench = Bench.up(configuration)
        bench.advance(.seconds(10))
        return bench
    }

    @Test("a job whose number was heard before is another one if it was made after that, and a repeat if it was not")
    func aJobWhoseNumberWasHeardBeforeIsAnotherOneIfItWasMade() {
        var bench = Self.bench()
        let first = Self.arm(&bench, age: 1)
        bench.advance(.seconds(20))
        let repeated = Self.arm(&bench, age: 21)
        bench.advance(.seconds(20))
        let another = Self.arm(&bench, age: 3)
        bench.advance(.seconds(5))
        let repeatedAgain = Self.arm(&bench, age: 8)
        #expect([first, repeated, another, repeatedAgain] == [1, 1, 2, 2])
    }

    @Test("a job's code is never held against the panel's: no answer tells whether it is right")
    func aJobsCodeIsNeverHeldAgainstThePanels() {
        let disarm: (String) -> String = { #"{"type":"command","code":"040","data":"1\#($0)"}"# }
        for code in ["", "1234", "9999"] {
            var open = Self.bench(.init(channel: .beanstalk, allowed: [.disarm]))
            for number in 1...6 { Self.ask(&open, disarm(code), UInt64(number)) }
            #expect(open.events(.command).contains { $0.type == .command }, "'\(code)' is obeyed as any other")
            #expect(open.events(.phoneDenied).isEmpty && open.events(.phoneLocked).isEmpty)
            var closed = Self.bench(.init(channel: .beanstalk, allowed: [.disarm], code: Secret("4711")))
            Self.ask(&closed, disarm(code), 1)
            #expect(!closed.events(.command).contains { $0.type == .command })
            #expect(closed.events(.phoneDenied).count == 1, "the panel's own code is a wrong one here")
            Self.ask(&closed, disarm("4711"), 2)
            #expect(closed.events(.command).contains { $0.type == .command })
        }
    }

    @Test("a verb that was withdrawn is not done, and a fault says so at the start")
    func aVerbThatWasWithdrawnIsNotDone() throws {
        var verbs = PhoneSettings.HouseVerbs(channel: .beanstalk, allowed: [.arm])
        verbs.withdrawn = [.disarm]
        var bench = Self.bench(verbs)
        let fault = try #require(bench.events(.configurationChanged).first)
        #expect(fault.type == .fault && fault.message.contains("'disarm'"))
        Self.ask(&bench, "disarm", 1)
        #expect(!bench.events(.command).contains { $0.type == .command })
        let fine = Self.bench()
        #expect(fine.events(.configurationChanged).isEmpty)
    }

    @Test("whoever asks for the status hears it; what is not allowed, not known or too much is told, too")
    func whoeverAsksForTheStatusHearsIt() {
        var bench = Self.bench(.init(channel: .beanstalk, allowed: [.status, .arm]))
        func told(_ body: String, _ number: UInt64) -> String? {
            let known = bench.stored.count
            for input in bench.queue.hand(number, body, age: 1, at: bench.now) { bench.feed(input) }
            bench.settle()
            return bench.stored.dropFirst(known).map(\.event).first { $0.type == .response }?.message
        }
        #expect(told("status", 1) == "The house: Partition 1: disarmed, ready")
        #expect(told("disarm", 2) == "'disarm' by beanstalkd refused: the configuration does not allow it.")
        #expect(
            told(#"{"type":"command","code":"071","data":"1"}"#, 3)
                == "What came by beanstalkd refused: it is no command that is known there.")
        for number in 4...13 { _ = told("arm", UInt64(number)) }
        #expect(
            told("arm", 14)
                == "'arm' by beanstalkd refused: more commands came within a minute than phones.command_rate lets.")
    }

    @Test("the event tubes are told each command and its outcome, once, whoever gave it")
    func theEventTubesAreToldEachCommandAndItsOutcome() throws {
        var configuration = Bench.configuration()
        configuration.phones = PhoneSettings()
        configuration.phones.channels = [
            .beanstalk(BeanstalkSettings(host: "192.0.2.11", commandTubes: ["commands"]))
        ]
        configuration.phones.houseVerbs = [.init(channel: .beanstalk, allowed: [.arm])]
        configuration.phones.house = [.init(kind: .tube, value: "events", triggers: EventType.allCases)]
        var bench = Bench.up(configuration)
        bench.advance(.seconds(10))
        func told() -> [String] {
            let jobs = bench.queue.arrivals.map(\.arrival).filter { $0.address == "events" }
            return jobs.map(\.text).filter { $0.contains("arm away partition 1") }
        }
        // A zone is open: the panel is not even asked.
        bench.panel("609003", "6511")
        Self.ask(&bench, "arm", 1)
        let refused = told()
        #expect(refused.count == 2 && refused.first?.contains("asked for by beanstalkd") == true)
        #expect(refused.last?.contains("refused: not ready") == true && refused.last?.contains("response") == true)
        bench.panel("610003", "6501")
        Self.ask(&bench, "arm", 2)
        let all = told()
        #expect(all.count == 4 && all.last?.contains("not confirmed by the panel") == true)
        bench.ask(.command(.arm(partition: 1, mode: .away, force: false), code: nil), as: 3)
        bench.advance(.seconds(20))
        #expect(told().count == 6)
    }

    private static func ask(_ bench: inout Bench, _ body: String, _ number: UInt64) {
        for input in bench.queue.hand(number, body, age: 1, at: bench.now) { bench.feed(input) }
        bench.settle()
        bench.advance(.seconds(15))
    }

    /// Orders that were accepted so far.
    private static func arm(_ bench: inout Bench, age: Int) -> Int {
        for input in bench.queue.hand(7, "arm", age: age, at: bench.now) { bench.feed(input) }
        bench.settle()
        return bench.events(.command).count { $0.type == .command }
    }
}
