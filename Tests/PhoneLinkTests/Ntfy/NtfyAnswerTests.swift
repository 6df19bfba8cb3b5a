import AlarmModel
import PhoneLink
import Testing

/// What a topic server answers, word for word.
@Suite("Answers of a topic server")
struct NtfyAnswerTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var status: Int
        var body = ""
        var fields: [String] = []
        /// What the problem, or the refusal, says.
        var words: String
        var isRefusal = false
        var isPassing = false
        /// Of a message that was answered so; nil: it is given back.
        var reaction: PushReaction?
        var testDescription: String { "\(status) \(body)" }
    }

    @Test(
        "a server that does not answer a look as topic servers do gets no message, and is looked at again",
        arguments: [
            Case(status: 200, body: "<html>", words: "is not a topic server"),
            Case(status: 200, body: "[true]", words: "whether this network wants a login"),
            Case(status: 200, body: "{\"healthy\":false}", words: "says that it is not well; we try again"),
            Case(
                status: 302, fields: ["Location: https://other.test/?k=tk_secret"],
                words: "sends us to https://other.test/?k=****", isRefusal: true),
            Case(status: 301, words: "sends us to another address", isRefusal: true),
            Case(status: 401, words: "make a new token there and enter it", isRefusal: true),
            Case(status: 407, words: "is not a topic server"), Case(status: 511, words: "is not a topic server"),
            Case(status: 503, words: "has a fault (503); we try again"),
        ])
    func aServerThatDoesNotAnswerALookAsTopicServersDoGetsNoMessage(_ answer: Case) throws {
        let bench = ChannelBench(.testing)
        bench.start()
        bench.connect()
        #expect(bench.take().text.hasPrefix("GET /v1/health HTTP/1.1\r\nHost: t.test\r\nAuthorization: Bearer tk_s"))
        bench.answer(answer.status, answer.body, fields: answer.fields)
        let problem = try #require(bench.take().lastProblem)
        #expect(problem.description.contains(answer.words), "\(problem)")
        #expect(problem.isRefusal == answer.isRefusal)
        #expect(!bench.deliver(.topic("m")) && bench.channel.health.phase == .waiting)
        let wait = bench.now.boot
        while bench.channel.health.phase == .waiting { _ = try #require(bench.waitForTimer()) }
        #expect(bench.channel.health.phase == .connecting)
        #expect((bench.now.boot - wait >= .minutes(5)) == answer.isRefusal)
        // The kept connection has ended meanwhile, or it carries the next look.
        if bench.take().connects > 0 { bench.connect() }
        bench.answer(200, "{\"healthy\":true}")
        #expect(bench.take().orders == [.ready, .problem(nil)])
    }

    @Test(
        "while an alarm waits, no answer to a look keeps it back: the message's own answer decides",
        arguments: [200, 401, 503])
    func whileAnAlarmWaitsNoAnswerToALookKeepsItBack(status: Int) throws {
        let bench = ChannelBench(.testing)
        bench.start()
        bench.channel.setUrgent(true, at: bench.now)
        bench.connect()
        bench.answer(status, "<html>")
        #expect(bench.take().orders.contains(.ready) && bench.channel.health.problem != nil)
        #expect(bench.deliver(.topic("m")))
        #expect(bench.take().text.contains("POST / HTTP/1.1"))
        bench.answer(200, "{\"id\":\"x1\"}")
        #expect(bench.take().orders.contains(.accepted(MessageID("m"), canonical: nil)))
        #expect(bench.channel.health.problem == nil && bench.channel.health.phase == .ready)
        // The page is read again first while no alarm waits.
        bench.channel.setUrgent(false, at: bench.now)
        bench.stop()
        bench.start()
        bench.connect()
        bench.answer(503)
        #expect(!bench.deliver(.topic("n")))
    }

    @Test("a server without the page that is looked at may take messages all the same", arguments: [403, 404, 429])
    func aServerWithoutThePageThatIsLookedAtMayTakeMessagesAll(status: Int) {
        let bench = ChannelBench(.testing)
        bench.start()
        bench.connect()
        _ = bench.take()
        bench.answer(status)
        #expect(bench.take().orders == [.ready])
    }

    @Test(
        "a refusal says what becomes of the message, and whether something is wrong with the way",
        arguments: [
            Case(status: 400, body: "{\"error\":\"no tk_secret\"}", words: "(it says: no ****)", reaction: .giveUp),
            Case(status: 403, words: "give the box's account write access", reaction: .hold(.minutes(5))),
            Case(status: 413, words: "too long for t.test", reaction: .giveUp),
            Case(
                status: 429, body: "{\"code\":42901}", words: "too many requests", isPassing: true,
                reaction: .hold(.seconds(10))),
            Case(
                status: 429, body: "{\"code\":42904}", words: "number of its topics", isRefusal: true,
                reaction: .hold(.minutes(5))),
            Case(
                status: 429, body: "{\"code\":42905}", words: "data of a day", isRefusal: true,
                reaction: .hold(.minutes(5))),
            Case(
                status: 429, body: "{\"code\":42908}", fields: ["Retry-After: 7200"], words: "messages of a day",
                isRefusal: true, reaction: .hold(.hours(1))),
            Case(
                status: 429, body: "{\"code\":42909}", fields: ["Retry-After: 0"], words: "failed logins",
                isRefusal: true, reaction: .hold(.seconds(1))),
            Case(status: 429, words: "(a quota)", isRefusal: true, reaction: .hold(.minutes(1))),
            Case(status: 507, words: "free space there", isRefusal: true, reaction: .hold(.minutes(5))),
            Case(
                status: 507, fields: ["Retry-After: 90"], words: "no room", isRefusal: true,
                reaction: .hold(.seconds(90))),
            Case(
                status: 425, words: "did not take the message now (425); we try", isPassing: true,
                reaction: .retry(first: .seconds(1), attempts: nil)),
            Case(
                status: 502, words: "has a fault (502); we try again", isPassing: true,
                reaction: .retry(first: .seconds(1), attempts: nil)),
        ])
    func aRefusalSaysWhatBecomesOfTheMessage(_ answer: Case) throws {
        let bench = ChannelBench<NtfyTransport>.ready()
        bench.deliver(.topic("m"))
        bench.answer(answer.status, answer.body, fields: answer.fields)
        let actions = bench.take()
        let refusal = try #require(actions.lastRefusal)
        #expect(refusal.reaction == answer.reaction)
        #expect(refusal.why.contains(answer.words), "\(refusal.why)")
        #expect(refusal.needsPerson == (answer.status == 403))
        if answer.isRefusal || answer.isPassing {
            let problem = try #require(actions.lastProblem)
            #expect(problem.description == refusal.why)
            #expect(problem.isRefusal == answer.isRefusal && problem.isPassing == answer.isPassing)
        } else {
            #expect(actions.orders.count == 1)
        }
        // Other topics may be open, and the next message tells.
        #expect(bench.channel.health.phase == .ready && bench.deliver(.topic("n")))
        bench.answer(200, "{\"id\":\"x\"}")
        #expect(bench.take().orders.contains(.accepted(MessageID("n"), canonical: nil)))
        #expect(bench.channel.health.problem == nil && bench.channel.health.lastAccepted == bench.now.wall)
    }

    @Test(
        "an answer that is about no message gives it back, and only a message that is taken shows that it is over",
        arguments: [
            Case(status: 200, body: "{\"id\":\"\"}", words: "is not a topic server"),
            Case(status: 204, words: "is not a topic server"), Case(status: 407, words: "is not a topic server"),
            Case(status: 307, words: "sends us to another address", isRefusal: true),
            Case(status: 401, words: "make a new token", isRefusal: true),
            Case(status: 405, words: "has nothing to publish to; check"),
        ])
    func anAnswerThatIsAboutNoMessageGivesItBack(_ answer: Case) throws {
        let bench = ChannelBench<NtfyTransport>.ready()
        bench.deliver(.topic("m"))
        bench.answer(answer.status, answer.body)
        let actions = bench.take()
        let problem = try #require(actions.lastProblem)
        #expect(actions.orders == [.returned([MessageID("m")]), .notReady, .problem(problem)])
        #expect(problem.description.contains(answer.words) && problem.isRefusal == answer.isRefusal)
        while bench.channel.health.phase == .waiting { _ = try #require(bench.waitForTimer()) }
        if bench.take().connects > 0 { bench.connect() }
        bench.answer(200, "{\"healthy\":true}")
        #expect(bench.take().orders == [.ready])
        #expect(bench.channel.health.problem == problem)
        bench.deliver(.topic("m"))
        bench.answer(200, "{\"id\":\"x\"}")
        #expect(bench.take().orders == [.accepted(MessageID("m"), canonical: nil), .problem(nil)])
    }
}
