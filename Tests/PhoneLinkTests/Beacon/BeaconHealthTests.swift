import AlarmModel
import PhoneLink
import Testing

@Suite("How the sign of life is")
struct BeaconHealthTests {
    private func bench() throws -> WayBench<Beacon> {
        let url = try HTTPURL("https://hc.example/ping/k3y")
        return WayBench(Beacon(settings: BeaconSettings(url, every: .minutes(15)), seed: 3))
    }

    @Test("it is well until an attempt is in vain, and again with the next answer")
    func health() throws {
        let bench = try bench()
        #expect(bench.way.health == TransportHealth(phase: .stopped))
        bench.start()
        bench.wait(.seconds(5))
        #expect(bench.way.health.phase == .ready)
        bench.refuse()
        #expect(bench.way.health.phase == .waiting)
        #expect(bench.way.health.problem?.description == bench.way.problem && bench.way.problem != nil)
        _ = bench.take()
        while bench.actions.connects == 0 { _ = try #require(bench.waitForTimer()) }
        bench.connect()
        bench.say("HTTP/1.1 204 No Content\r\n\r\n")
        #expect(bench.way.health == TransportHealth(phase: .ready, lastAccepted: bench.now.wall))
    }

    @Test("an answer of 2xx is good, whatever becomes of the rest of it")
    func cutOff() throws {
        let bench = try bench()
        bench.start()
        bench.wait(.seconds(5))
        bench.connect()
        bench.say("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nhi")
        bench.lose(.reset)
        #expect(bench.way.misses == 0 && bench.way.lastAnswered == bench.now.wall)
    }

    @Test("another network is tried at once after a miss, and only then; an alarm changes nothing")
    func network() throws {
        let bench = try bench()
        bench.start()
        bench.wait(.seconds(5))
        bench.refuse()
        _ = bench.take()
        let due = bench.way.nextDeadline
        bench.way.setUrgent(true, at: bench.now)
        #expect(bench.way.nextDeadline == due)
        bench.way.networkChanged(at: bench.now, into: &bench.actions)
        #expect(bench.waitForTimer() == .zero && bench.take().connects == 1)
        bench.connect()
        bench.say("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        _ = bench.take()
        bench.way.networkChanged(at: bench.now, into: &bench.actions)
        // What stood idle is not trusted.
        #expect(bench.take() == [.close(ConnectionID(1))])
        #expect(try #require(bench.waitForTimer()) > .minutes(1))
        #expect(!bench.deliver(.mail("m1")))
    }
}
