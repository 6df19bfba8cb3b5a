import AlarmModel
import ApplianceCore
import PhoneLink
import Simulators
import Testing

@Suite("The sign of life to a service outside")
struct DeadManPingPostTests {
    static func configuration(_ url: String = "https://192.0.2.30:9443/ping/k3y") throws -> Configuration {
        var configuration = Bench.configuration()
        configuration.deadManPing = DeadManPingSettings(try HTTPURL(url), every: .minutes(15))
        return configuration
    }

    @Test("it goes out at the start and within each interval, without any channel to phones")
    func itGoesOutAtTheStartAndWithinEachInterval() throws {
        var bench = Bench.up(try Self.configuration())
        bench.advance(.hours(1))
        #expect((5...6).contains(bench.web.requests.count), "\(bench.web.requests.count)")
        #expect(bench.web.requests.allSatisfy { $0.line == "GET /ping/k3y HTTP/1.1" })
        let gaps = zip(bench.web.requests, bench.web.requests.dropFirst()).map { $1.at.boot - $0.at.boot }
        #expect(gaps.allSatisfy { $0 <= .minutes(15) && $0 >= .seconds(800) })
        #expect(bench.look?.deadManPing?.misses == 0)
        #expect(bench.look?.deadManPing?.lastAnswered != nil)
        #expect(bench.events(.deadManPingFailed).isEmpty)
    }

    @Test("two misses are no event, the third is one fault without the URL's secret, and its end is told")
    func twoMissesAreNoEvent() throws {
        var bench = Bench.up(try Self.configuration())
        bench.advance(.minutes(1))
        bench.web.machine.status = 503
        while (bench.look?.deadManPing?.misses ?? 0) < 2 { bench.advance(.seconds(10)) }
        #expect(bench.events(.deadManPingFailed).isEmpty)
        bench.advance(.hours(5))
        let told = bench.events(.deadManPingFailed)
        #expect(told.map(\.type) == [.fault])
        #expect(told.first?.message.contains("https://192.0.2.30:9443") == true)
        #expect(told.first?.message.contains("503") == true)
        #expect(bench.stored.allSatisfy { !$0.event.message.contains("k3y") })
        #expect(bench.look?.deadManPing?.problem?.contains("k3y") == false)
        bench.web.machine.status = 204
        bench.advance(.minutes(15))
        #expect(bench.events(.deadManPingRestored).map(\.type) == [.recovery])
        #expect(bench.look?.deadManPing?.problem == nil)
    }

    @Test("a server that is away is tried again and again, and nothing is told of phones")
    func aServerThatIsAwayIsTriedAgainAndAgain() throws {
        var bench = Bench(try Self.configuration())
        bench.web.isDead = true
        bench.start(bench.configuration)
        bench.advance(.hours(3))
        #expect(bench.events(.deadManPingFailed).count == 1)
        #expect(bench.events(.pushOffline).isEmpty)
        #expect(bench.web.requests.isEmpty)
        bench.web.isDead = false
        bench.advance(.minutes(15))
        #expect(!bench.web.requests.isEmpty)
        #expect(bench.events(.deadManPingRestored).count == 1)
    }

    @Test("a change of the configuration begins and ends it, and an end of the daemon ends it quietly")
    func aChangeOfTheConfigurationBeginsAndEndsIt() throws {
        var bench = Bench.up()
        bench.advance(.minutes(1))
        #expect(bench.look?.deadManPing == nil)
        bench.feed(.reload(.configuration(try Self.configuration())))
        bench.advance(.minutes(1))
        #expect(bench.web.requests.count == 1)
        bench.feed(.reload(.configuration(Bench.configuration())))
        bench.advance(.hours(2))
        #expect(bench.web.requests.count == 1)
        #expect(bench.look?.deadManPing == nil)
        bench.feed(.reload(.configuration(try Self.configuration())))
        bench.feed(.signal(.terminate))
        bench.advance(.minutes(1))
        #expect(bench.events(.deadManPingFailed).isEmpty)
    }
}

extension Bench {
    var look: StatusReport? {
        var copy = self
        copy.ask(.status, as: 900)
        guard case .status(let report)? = copy.answers(900).last else { return nil }
        return report
    }
}
