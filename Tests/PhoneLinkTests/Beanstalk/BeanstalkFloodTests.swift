import AlarmModel
import PhoneLink
import Testing

@Suite("beanstalkd that says more than it should")
struct BeanstalkFloodTests {
    @Test("a queue that answers what it was not asked is left, after one answer", arguments: [true, false])
    func aQueueThatAnswersWhatItWasNotAsked(isPut: Bool) {
        let bench = ChannelBench<BeanstalkTransport>.ready()
        _ = bench.take()
        if isPut {
            bench.deliver(.job("m1"))
            bench.say("USING alert_email\r\n", on: bench.putter)
            _ = bench.take()
        }
        let answers = String(repeating: isPut ? "INSERTED 1\r\n" : "TIMED_OUT\r\n", count: 1000)
        bench.hear(answers.utf8, on: isPut ? bench.putter : bench.taker)
        #expect(bench.actions.text == (isPut ? "" : "reserve-with-timeout 30\r\n"))
        #expect(bench.actions.lastProblem?.description.contains("more answers than it was asked for") == true)
    }

    @Test("of the jobs that are buried one a minute is logged, with the number of the others")
    func ofTheJobsThatAreBuriedOneAMinuteIsLogged() {
        let bench = ChannelBench<BeanstalkTransport>.ready()
        func logged() -> [LogEntry] {
            bench.actions.compactMap { if case .log(let entry) = $0 { entry } else { nil } }
        }
        func bury() {
            bench.job(5, "foo")
            bench.say("BURIED\r\n", on: bench.taker)
        }
        _ = bench.take()
        for _ in 0..<5 { bury() }
        #expect(logged().count == 1)
        bench.now.boot = bench.now.boot + .minutes(1)
        bury()
        #expect(logged().count == 2)
        #expect(logged().last?.fields.last == LogEntry.Field("before", "4 more"))
        #expect(bench.channel.buriedCount == 6)
    }
}
