import AlarmModel
import PhoneLink
import Testing

@Suite("How the sign of life is")
struct DeadManPingHealthTests {
    private func bench() throws -> ChannelBench<DeadManPing> {
        let url = try HTTPURL("https://hc.example/ping/k3y")
        return ChannelBench(DeadManPing(settings: DeadManPingSettings(url, every: .minutes(15)), seed: 3))
    }

    @Test("it is well until an attempt is in vain, and again with the next answer")
    func itIsWellUntilAnAttemptIsInVain() throws {
        let bench = try bench()
        #expect(bench.channel.health == TransportHealth(phase: .stopped))
        bench.start()
        bench.wait(.seconds(5))
        #expect(bench.channel.health.phase == .ready)
        bench.refuse()
        #expect(bench.channel.health.phase == .waiting)
        #expect(bench.channel.health.problem?.description == bench.channel.problem && bench.channel.problem != nil)
        _ = bench.take()
        while bench.actions.connects == 0 { _ = try #require(bench.waitForTimer()) }
        bench.connect()
        bench.say("HTTP/1.1 204 No Content\r\n\r\n")
        #expect(bench.channel.health == TransportHealth(phase: .ready, lastAccepted: bench.now.wall))
    }

    @Test("an answer of 2xx is good, whatever becomes of the rest of it")
    func anAnswerOf2xxIsGood() throws {
        let bench = try bench()
        bench.start()
        bench.wait(.seconds(5))
        bench.connect()
        bench.say("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nhi")
        bench.lose(.reset)
        #expect(bench.channel.misses == 0 && bench.channel.lastAnswered == bench.now.wall)
    }

    @Test("another network is tried at once after a miss, and only then; an alarm changes nothing")
    func anotherNetworkIsTriedAtOnceAfterAMiss() throws {
        let bench = try bench()
        bench.start()
        bench.wait(.seconds(5))
        bench.refuse()
        _ = bench.take()
        let due = bench.channel.nextDeadline
        bench.channel.setUrgent(true, at: bench.now)
        #expect(bench.channel.nextDeadline == due)
        bench.channel.networkChanged(at: bench.now, into: &bench.actions)
        #expect(bench.waitForTimer() == .zero && bench.take().connects == 1)
        bench.connect()
        bench.say("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        _ = bench.take()
        bench.channel.networkChanged(at: bench.now, into: &bench.actions)
        // What stood idle is not trusted.
        #expect(bench.take() == [.close(ConnectionID(1))])
        #expect(try #require(bench.waitForTimer()) > .minutes(1))
        #expect(!bench.deliver(.mail("m1")))
    }
}
