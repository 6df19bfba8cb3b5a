import AlarmModel
import Foundation
import PhoneProtocol
import Testing

/// HOWALARMING_CUTS: how often the way in use is cut (5), and HOWALARMING_ALL_DOWN: how often all are (2);
/// HOWALARMING_SEED: when and how.
@Suite(
    "the link fails", .enabled(if: NetworkNamespace.isPossible, "network namespaces are root's"),
    .serialized, .timeLimit(.minutes(120)))
struct FailoverTests {
    private static func number(_ name: String) -> UInt64? {
        ProcessInfo.processInfo.environment[name].flatMap(UInt64.init)
    }

    /// What is promised; the tests grant twice as much, because the machine has other things to do.
    private static func promise(_ fault: TwoProviders.Fault) -> Duration {
        fault == .carrier ? .seconds(5) : .seconds(30)
    }

    @Test("cut after cut, carrier loss and black hole mixed: the other link carries in time, and back after the hold")
    func cutAfterCutCarrierLossAndBlackHoleMixedTheOtherChannel() throws {
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
            usleep(UInt32.random(in: 0...2_500_000, using: &generator))
            var last = try house.newestLogin()
            try house.network.cut(.first, fault)
            let time = try house.waitForLogin(
                after: last, through: .second, within: Self.promise(fault) * 2, "cut \(number), \(fault)")
            times[fault, default: []].append(time)
            last = try house.newestLogin()
            try house.network.mend(.first)
            let back = try house.waitForLogin(after: last, through: .first, within: .patience, "back \(number)")
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

    @Test("all links down, then any one up: what was raised meanwhile arrives over it, every time")
    func allLinksDownThenAnyOneUpWhatWasRaisedMeanwhileArrives() throws {
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
            for houseLink in TwoProviders.HouseLink.allCases {
                try house.network.cut(houseLink, Bool.random(using: &generator) ? .carrier : .blackHole)
            }
            try eventually("all are lost; \(house.report)") { () throws -> Bool? in
                usleep(100_000)
                return try house.count(of: "LINKS_LOST") > lost ? true : nil
            }
            // In the long run also when the pauses between attempts have grown.
            let longest: UInt32 = Self.number("HOWALARMING_ALL_DOWN") == nil ? 4_000_000 : 15_000_000
            usleep(UInt32.random(in: 0...longest, using: &generator))
            let alarms = try house.count(of: "625")
            try house.house.house("key panic")
            try eventually("the alarm is stored") { try house.count(of: "625") > alarms ? true : nil }
            let houseLink: TwoProviders.HouseLink = round % 2 == 1 ? .second : .first
            let start = ContinuousClock.now
            try house.network.mend(houseLink)
            try anna.waitForLine("alarm 625")
            times.append(ContinuousClock.now - start)
            // The alarm may have left a connection that was given up; a new one must stand all the same.
            try eventually("round \(round): a connection; \(house.report)") {
                () throws -> Bool? in
                let all = try house.network.connections(to: house.phones.push.port)
                return all.contains { $0.hasPrefix("10.\(houseLink.rawValue).") } ? true : nil
            }
            for houseLink in TwoProviders.HouseLink.allCases { try house.network.mend(houseLink) }
            // The metered one may take its time, now that it is not needed.
            try house.waitForState(.first, ["up"])
        }
        let sorted = times.sorted()
        print(
            "all down, one up: \(times.count) of \(rounds), alarm at the phone after a median of \(sorted[rounds / 2]),",
            "at the latest \(sorted[rounds - 1])")
    }
}
