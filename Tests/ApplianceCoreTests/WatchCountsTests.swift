import AlarmModel
import Companion
import PanelLink
import PhoneLink
import PhoneProtocol
import Simulators
import Testing

@testable import ApplianceCore

@Suite("Who watched the box, and how often")
struct WatchCountsTests {
    private static func moment(_ seconds: Int64, isTrusted: Bool = true) -> Moment {
        // 2026-11-30 23:00 UTC and so many seconds.
        Moment(
            boot: BootTime.zero + .seconds(seconds), wall: WallTime(milliseconds: (1_796_079_600 + seconds) * 1000),
            isWallTrusted: isTrusted)
    }

    @Test("the disk gets the counts once an hour; each month has its own, and the longest pause goes over its end")
    func theDiskGetsTheCountsOnceAnHour() {
        var counts = WatchCounts()
        counts.start([], at: .zero)
        func took(_ watcher: Watcher, _ second: Int64) -> Bool { counts.took(watcher, at: Self.moment(second)) }
        for second in stride(from: Int64(60), to: 3600, by: 60) {
            #expect(!took(.service, second))
        }
        #expect(counts.stored(isLast: false) == nil)
        #expect(took(.service, 3661))
        let november = WatchRecord(
            watcher: "service", month: 2026 * 12 + 10, count: 59, longestGap: 60, last: Self.moment(3540).wall)
        let december = WatchRecord(
            watcher: "service", month: 2026 * 12 + 11, count: 1, longestGap: 121, last: Self.moment(3661).wall)
        #expect(counts.stored(isLast: false) == [november, december])
        #expect(!took(.phone(PhoneID(7)), 3700))
        #expect(!took(.service, 3720))
        #expect(counts.stored(isLast: false) == [november, december])
        let all = counts.stored(isLast: true)
        #expect(all?.map(\.watcher) == ["service", "service", "phone 0000000000000007"])
        #expect(all?.map(\.count) == [59, 2, 1])
        // In January November is of no interest any more.
        _ = took(.receiver, 32 * 86_400)
        #expect(
            counts.stored(isLast: true)?.map(\.watcher) == ["service", "phone 0000000000000007", "receiver"])
    }

    @Test("a time that is not trusted counts for no month, a clock put back makes no pause, and 128 is the end")
    func aTimeThatIsNotTrustedCountsForNoMonth() {
        var counts = WatchCounts()
        let wasTaken = counts.took(.service, at: Self.moment(7200, isTrusted: false))
        #expect(!wasTaken)
        for phone in 0..<200 { _ = counts.took(.phone(PhoneID(UInt64(phone))), at: Self.moment(300)) }
        _ = counts.took(.phone(PhoneID(1)), at: Self.moment(200))
        let all = counts.stored(isLast: true) ?? []
        #expect(all.count == WatchCounts.limit)
        #expect(all.dropFirst().first.map { $0.count == 2 && $0.longestGap == 0 } == true)
    }

    @Test("of a damaged file what no box has counted is left out, and more than 128 are")
    func ofADamagedFileWhatNoBoxHasCountedIsLeftOut() {
        func record(_ watcher: String, count: Int = 5, last: Int64 = 1_796_079_600_000) -> WatchRecord {
            WatchRecord(watcher: watcher, month: 24_322, count: count, last: WallTime(milliseconds: last))
        }
        var counts = WatchCounts()
        counts.start(
            [
                record("service", count: .max), record("service", count: -1), record("service", last: .min),
                record("service", last: .max), record("receiver"),
            ], at: .zero)
        _ = counts.took(.service, at: Self.moment(60))
        _ = counts.took(.receiver, at: Self.moment(60))
        #expect(counts.stored(isLast: true)?.map(\.count) == [6, 1])
        counts.start(Array(repeating: record("satellite"), count: 200), at: .zero)
        #expect(counts.stored(isLast: true)?.count == WatchCounts.limit)
    }

    @Test("heartbeats that the service took are counted for their phone, and over a restart")
    func heartbeatsAreCountedForTheirPhone() throws {
        var (bench, phone) = try Bench.paired()
        bench.advance(.hours(3))
        let kept = try #require(bench.snapshot?.watch)
        #expect(kept.map(\.watcher) == [Watcher.phone(phone.id).text])
        #expect((8...13).contains(kept[0].count), "\(kept[0].count)")
        #expect((800...900).contains(kept[0].longestGap), "\(kept[0].longestGap)")
        var next = bench.restarted()
        next.logIn()
        next.advance(.hours(2))
        let later = try #require(next.snapshot?.watch)
        #expect(later.count == 1 && (kept[0].count + 4...kept[0].count + 9).contains(later[0].count))
    }

    @Test("the service and the receiver are counted by what they answer, to the last one at a stop")
    func theServiceAndTheReceiverAreCounted() throws {
        var bench = Bench.up(try DeadManPingPostTests.configuration())
        bench.advance(.hours(1))
        bench.web.machine.status = 503
        bench.advance(.hours(1))
        bench.web.machine.status = 200
        bench.advance(.hours(1))
        let answered = bench.web.requests.count { request in
            !(.hours(1)..<(.hours(2))).contains(request.at.boot - bench.web.requests[0].at.boot)
        }
        bench.feed(.signal(.terminate))
        bench.advance(.seconds(1))
        let service = try #require(bench.snapshot?.watch?.first)
        #expect(service.watcher == "service")
        #expect(abs(service.count - answered) <= 1, "\(service.count) of \(answered)")
        #expect((3600...5400).contains(service.longestGap), "\(service.longestGap)")

        var configuration = Bench.configuration()
        configuration.phones = PhoneSettings()
        configuration.phones.channels = [
            .receiver(ReceiverSettings(host: "192.0.2.12", port: ReceiverServer.port, account: "1234"))
        ]
        var house = Bench.up(configuration)
        house.advance(.minutes(30))
        house.feed(.signal(.terminate))
        house.advance(.seconds(1))
        let receiver = try #require(house.snapshot?.watch?.first)
        #expect(receiver.watcher == "receiver" && receiver.count == house.receiver.polls)
        #expect((29...31).contains(receiver.longestGap))
    }
}
