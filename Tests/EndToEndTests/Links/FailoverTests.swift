import AlarmModel
import Foundation
import PhoneProtocol
import Testing

/// HOWALARMING_CUTS: how often the way in use is cut (5), and HOWALARMING_ALL_DOWN: how often all are (2);
/// HOWALARMING_SEED: when and how.
@Suite(
    "the way to the internet fails", .enabled(if: NetworkNamespace.isPossible, "network namespaces are root's"),
    .serialized, .timeLimit(.minutes(120)))
struct FailoverTests {
    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap(UInt64.init)
    }

    /// What is promised; the tests grant twice as much, because the machine has other things to do.
    private static func promise(_ fault: TwoProviders.Fault) -> Duration {
        fault == .carrier ? .seconds(5) : .seconds(30)
    }

    @Test("cut after cut, carrier loss and black hole mixed: the other way carries in time, and back after the hold")
    func cuts() throws {
        let cuts = Int(Self.number("HOWALARMING_CUTS") ?? 5)
        let seed = Self.number("HOWALARMING_SEED") ?? UInt64.random(in: 1...999_999)
        print("failover: \(cuts) cuts, HOWALARMING_SEED=\(seed)")
        var generator = SeededGenerator(seed: seed)
        let house = try LinkHouse.running()
        try house.waitForState(.second, ["up"])
        var times: [TwoProviders.Fault: [Duration]] = [:]
        var returns: [Duration] = []
        for number in 1...cuts {
            let fault: TwoProviders.Fault = number % 2 == 1 ? .carrier : .blackHole
            // At any moment of the probes.
            usleep(UInt32.random(in: 0...5_000_000, using: &generator))
            var last = try house.newestLogin()
            try house.network.cut(.first, fault)
            let time = try house.waitForLogin(
                after: last, through: .second, within: Self.promise(fault) * 2, "cut \(number), \(fault)")
            times[fault, default: []].append(time)
            last = try house.newestLogin()
            try house.network.mend(.first)
            let back = try house.waitForLogin(after: last, through: .first, within: .seconds(90), "back \(number)")
            #expect(back >= LinkHouse.hold, "back before the hold time is over")
            returns.append(back)
            try house.waitForState(.second, ["up"])
        }
        for (fault, list) in times.sorted(by: { "\($0.key)" < "\($1.key)" }) {
            let sorted = list.sorted()
            print(
                "failover, \(fault): \(list.count) cuts, median \(sorted[list.count / 2]), longest \(sorted[list.count - 1])"
            )
        }
        print(
            "fail-back: shortest \(returns.min() ?? .zero), longest \(returns.max() ?? .zero), hold \(LinkHouse.hold)")
        #expect(try house.count(of: "LINK_LOST") >= cuts)
        #expect(try house.count(of: "LINKS_LOST") == 0, "one way always worked")
    }

    @Test("all ways down, then any one up: what was raised meanwhile arrives over it, every time")
    func allDown() throws {
        let rounds = Int(Self.number("HOWALARMING_ALL_DOWN") ?? 2)
        let seed = Self.number("HOWALARMING_SEED") ?? UInt64.random(in: 1...999_999)
        print("all down: \(rounds) times, HOWALARMING_SEED=\(seed)")
        var generator = SeededGenerator(seed: seed)
        let house = try LinkHouse.running()
        let anna = try house.phone(of: "Anna")
        try house.waitForState(.second, ["up"])
        var times: [Duration] = []
        for round in 1...rounds {
            let lost = try house.count(of: "LINKS_LOST")
            for way in TwoProviders.Way.allCases {
                try house.network.cut(way, Bool.random(using: &generator) ? .carrier : .blackHole)
            }
            try eventually(within: .seconds(90), "all are lost; \(house.report)") { () throws -> Bool? in
                usleep(100_000)
                return try house.count(of: "LINKS_LOST") > lost ? true : nil
            }
            usleep(UInt32.random(in: 0...15_000_000, using: &generator))
            let alarms = try house.count(of: "625")
            try house.house.house("key panic")
            try eventually("the alarm is stored") { try house.count(of: "625") > alarms ? true : nil }
            let way: TwoProviders.Way = round % 2 == 1 ? .second : .first
            let start = ContinuousClock.now
            try house.network.mend(way)
            try anna.waitForLine("alarm 625", within: .seconds(120))
            times.append(ContinuousClock.now - start)
            // The alarm may have left a connection that was given up; a new one must stand all the same.
            try eventually(within: .seconds(60), "round \(round): a connection; \(house.report)") {
                () throws -> Bool? in
                let all = try house.network.connections(to: house.phones.push.port)
                return all.contains { $0.hasPrefix("10.\(way.rawValue).") } ? true : nil
            }
            for way in TwoProviders.Way.allCases { try house.network.mend(way) }
            // The metered one may take its time, now that it is not needed.
            try house.waitForState(.first, ["up"], within: .seconds(90))
        }
        let sorted = times.sorted()
        print(
            "all down, one up: \(times.count) of \(rounds), alarm at the phone after a median of \(sorted[rounds / 2]),",
            "at the latest \(sorted[rounds - 1])")
    }

    @Test("an alarm that is raised in a black hole reaches the phone by the other way")
    func alarm() throws {
        let house = try LinkHouse.running()
        let anna = try house.phone(of: "Anna")
        try house.waitForState(.second, ["up"])
        try house.network.cut(.first, .blackHole)
        let start = ContinuousClock.now
        try house.house.house("key panic")
        try anna.waitForLine("alarm 625", within: .seconds(90))
        print("alarm in a black hole: at the phone after \(ContinuousClock.now - start)")
        #expect(anna.count(of: "alarm 625") == 1)
    }

    @Test("the lease is not renewed: from the new address, and from a new network, alarms still arrive")
    func renumbered() throws {
        let house = try LinkHouse.running()
        let anna = try house.phone(of: "Anna")
        for (net, host, overlapping) in [(0, 77, true), (0, 78, false), (7, 5, false)] {
            try house.network.renumber(.first, network: net, host: host, overlapping: overlapping)
            let start = ContinuousClock.now
            try eventually(within: .seconds(60), "a connection from 10.1.\(net).\(host); \(house.report)") {
                () throws -> Bool? in
                usleep(20_000)
                return try house.network.connections(to: house.phones.push.port) == ["10.1.\(net).\(host)"] ? true : nil
            }
            print("renumbered to 10.1.\(net).\(host): connected from it after \(ContinuousClock.now - start)")
            try house.phones.panic()
            try anna.waitForLine("alarm 625", within: .seconds(60))
        }
        #expect(try house.link(.first)["active"] == .bool(true))
        #expect(try house.link(.first)["addresses"] == .array([.string("10.1.7.5")]))
    }

    @Test("without any link at the start, and with one that comes later, the box is ready and takes what comes")
    func later() throws {
        let house = try LinkHouse.running(attached: [])
        #expect(house.house.notify.isReady)
        for way in [TwoProviders.Way.second, .first] {
            let last = try house.newestLogin()
            try house.network.attach(way)
            let time = try house.waitForLogin(after: last, through: way, within: .seconds(60), "put in")
            print("\(way.interface) put in: connected after \(time)")
        }
        let last = try house.newestLogin()
        try house.network.detach(.first)
        print(
            "eth0 taken out: connected after",
            try house.waitForLogin(after: last, through: .second, within: .seconds(10), "taken out"))
        try house.network.attach(.first)
        try house.waitForLogin(after: house.newestLogin(), through: .first, within: .seconds(60), "put in again")
    }

    @Test("a provider whose name servers never answer: a lost connection is made again, and the alarm arrives")
    func names() throws {
        let house = try LinkHouse.running()
        let anna = try house.phone(of: "Anna")
        try house.waitForState(.second, ["up"])
        try house.network.cut(.first, .names)
        try house.phones.push.perform("close-abrupt")
        let start = ContinuousClock.now
        try house.house.house("key panic")
        try anna.waitForLine("alarm 625", within: .seconds(90))
        print("alarm without name servers: at the phone after \(ContinuousClock.now - start)")
        // The whole box is started anew in this state.
        house.house.kill9()
        try house.start()
        try house.phones.panic()
        try anna.waitForLine("alarm 625", within: .seconds(90))
    }

    @Test("what a metered standby costs in a month stays within 20 MB")
    func metered() throws {
        // A pass every 2 s instead of every 10 min, so that enough of them come to be counted.
        let house = try LinkHouse.running(timing: ["metered_every: 2s"])
        try house.waitForState(.second, ["up"])
        let span = Duration.seconds(Int64(Self.number("HOWALARMING_METER") ?? 30))
        let begin = try house.network.traffic(of: .second)
        let start = ContinuousClock.now
        usleep(UInt32(span.components.seconds) * 1_000_000)
        let spent = try house.network.traffic(of: .second) - begin
        let passes = (ContinuousClock.now - start) / Duration.seconds(2)
        let bytes = Double(spent) / passes
        let month = bytes * 6 * 24 * 30
        print(
            "metered standby: \(spent) bytes in \(Int(passes)) passes, \(Int(bytes)) each;",
            "\(Int(month / 1000)) kB in a month of passes every 10 min")
        #expect(bytes > 300, "passes went over it")
        #expect(month < 20_000_000)
        let shown = try #require(try house.link(.second)["standby_bytes_a_month"]?.integerValue)
        print("links shows \(shown) bytes a month for passes every 2 s, that is \(shown / 300) for every 10 min")
    }
}
