import AlarmModel
import PhoneLink
import Testing

@Suite("The sign of life to an address of the web")
struct DeadManPingTests {
    private static let good = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nOK"

    private func bench(every interval: Duration = .minutes(15)) throws -> ChannelBench<DeadManPing> {
        let url = try HTTPURL("https://hc.example/ping/k3y?a=b")
        let bench = ChannelBench(DeadManPing(settings: DeadManPingSettings(url, every: interval), seed: 3))
        bench.start()
        bench.wait(.seconds(5))
        return bench
    }

    @Test("one GET over TLS to the host of the address, path and query as written")
    func oneGETOverTLSToTheHostOfTheAddress() throws {
        let bench = try bench()
        let target = DialTarget(host: "hc.example", port: 443, security: .tls(authorityFile: nil))
        #expect(bench.take() == [.connect(DialSlot(0), target)])
        bench.connect()
        #expect(bench.take().text.hasPrefix("GET /ping/k3y?a=b HTTP/1.1\r\nHost: hc.example\r\n"))
        bench.say(Self.good)
        #expect(bench.channel.lastAnswered == bench.now.wall)
        #expect(bench.channel.misses == 0)
    }

    @Test(
        "what is no 2xx is a miss whose words hold no secret, and redirects are not followed",
        arguments: ["301", "404", "403", "429", "500", "150"])
    func whatIsNo2xxIsAMissWhoseWordsHoldNoSecret(status: String) throws {
        let bench = try bench()
        bench.connect()
        bench.say("HTTP/1.1 \(status) x\r\nLocation: https://elsewhere.example/\r\nContent-Length: 0\r\n\r\n")
        if status == "150" { bench.lose() }
        #expect(bench.channel.misses == 1)
        let problem = try #require(bench.channel.problem)
        #expect(problem.hasPrefix("https://hc.example: ") && !problem.contains("k3y"), "\(problem)")
        #expect(bench.take().connects == 1)
    }

    @Test("after misses it is tried again after 1, 2, 4, 8 and then 15 minutes, for ever")
    func afterMissesItIsTriedAgainAfter1() throws {
        let bench = try bench()
        var waits: [Duration] = []
        for number in 1...7 {
            _ = bench.take()
            bench.refuse()
            #expect(bench.channel.misses == number)
            let before = bench.now.boot
            while bench.actions.connects == 0 { _ = try #require(bench.waitForTimer()) }
            waits.append(bench.now.boot - before)
        }
        #expect(waits.prefix(4) == [.minutes(1), .minutes(2), .minutes(4), .minutes(8)])
        #expect(waits.dropFirst(4).allSatisfy { $0 > .minutes(13) && $0 <= .minutes(15) })
    }

    @Test("a server that never answers is left at its deadline, and meanwhile not asked twice")
    func aServerThatNeverAnswersIsLeftAtItsDeadline() throws {
        let bench = try bench(every: .seconds(1))
        bench.connect()
        _ = bench.take()
        bench.wait(.seconds(10))
        #expect(bench.take().text.isEmpty)
        bench.wait(.seconds(6))
        #expect(bench.channel.misses == 1)
    }

    @Test("it takes no message and ends without a word")
    func itTakesNoMessageAndEndsWithoutAWord() throws {
        let bench = try bench()
        bench.connect()
        bench.stop()
        #expect(bench.channel.misses == 0)
        #expect(bench.channel.nextDeadline == nil)
        #expect(bench.channel.room == .none)
    }

    @Test("the date of an answer is told once where the server has proved who it is, and not from a store on the way")
    func theDateOfAnAnswerIsToldOnceWhereTheServerHasProvedWhoItIs() throws {
        func told(_ url: String, _ fields: String) throws -> [TransportAction] {
            let settings = DeadManPingSettings(try HTTPURL(url), every: .minutes(1))
            let bench = ChannelBench(DeadManPing(settings: settings, seed: 3))
            bench.start()
            bench.wait(.seconds(5))
            bench.connect()
            // Cut anywhere.
            for piece in ["HTTP/1.1 200 OK\r\n\(fields)Content-Le", "ngth: 2\r\n\r", "\nO", "K"] { bench.say(piece) }
            #expect(bench.channel.misses == 0)
            return bench.take().filter { if case .serverTime = $0 { true } else { false } }
        }
        let date = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
        let time = WallTime(milliseconds: 784_111_777_000)
        #expect(try told("https://a.example/", date) == [.serverTime(time, server: "a.example")])
        #expect(try told("https://a.example/", date + "Age: 0\r\n") == [.serverTime(time, server: "a.example")])
        #expect(try told("https://a.example/", date + "Age: 77\r\n") == [])
        #expect(try told("https://a.example/", "Date: today\r\n") == [])
        #expect(try told("https://a.example/", "") == [])
        #expect(try told("http://a.example/", date) == [])
    }
}
