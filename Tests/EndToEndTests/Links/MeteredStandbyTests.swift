import AlarmModel
import Foundation
import PhoneProtocol
import Testing

/// HOWALARMING_METER: for how many seconds it is measured (8).
@Suite(
    "a metered standby", .enabled(if: NetworkNamespace.isPossible, "network namespaces are root's"),
    .serialized, .timeLimit(.minutes(120)))
struct MeteredStandbyTests {
    private static let wanted = ProcessInfo.processInfo.environment["HOWALARMING_METER"].flatMap(Int64.init)

    @Test("what a metered standby costs in a month stays within 20 MB")
    func whatAMeteredStandbyCostsInAMonthStaysWithin20MB() throws {
        // A pass every second instead of every 10 min, so that enough of them come to be counted.
        let house = try LinkHouse.running(timing: ["metered_every: 1s"])
        try house.waitForState(.second, ["up"])
        let span = Duration.seconds(Self.wanted ?? 8)
        let begin = try house.network.traffic(of: .second)
        let start = ContinuousClock.now
        usleep(UInt32(span.components.seconds) * 1_000_000)
        let spent = try house.network.traffic(of: .second) - begin
        let passes = (ContinuousClock.now - start) / Duration.seconds(1)
        let bytes = Double(spent) / passes
        let month = bytes * 6 * 24 * 30
        print(
            "metered standby: \(spent) bytes in \(Int(passes)) passes, \(Int(bytes)) each;",
            "\(Int(month / 1000)) kB in a month of passes every 10 min")
        #expect(bytes > 300, "passes went over it")
        #expect(month < 20_000_000)
        let shown = try #require(try house.link(.second)["standby_bytes_a_month"]?.integerValue)
        print("links shows \(shown) bytes a month for passes every second, that is \(shown / 600) for every 10 min")
    }
}
