import AlarmModel
import PhoneLink
import Testing

@Suite("A provider of telephone calls")
struct CallProviderTests {
    private struct Bench {
        var provider: CallProvider
        var now = Moment(boot: .zero, wall: WallTime(milliseconds: 1_795_000_000_000), isWallTrusted: true)
        var actions: [CallAction] = []

        init(hasKeys: Bool = true) {
            let origin = HTTPOrigin(host: "calls.example", port: 443, security: .tls(authorityFile: nil))
            let status = CallSettings.Status(callPath: "id", target: Secret("/c/{call}"), keyPath: "key")
            provider = CallProvider(
                settings: CallSettings(
                    origin, target: Secret("/c"), headers: [CallSettings.basic(user: "u", password: Secret("p"))],
                    body: .json(Secret(#"{"to":"{digits}","say":"{words}"}"#)), status: hasKeys ? status : nil))
        }

        mutating func call(_ number: UInt64 = 1) {
            provider.call(CallID(number), "+431234567", "Alarm.", in: .english, at: now, into: &actions)
        }

        mutating func connect(_ id: UInt64 = 1) {
            provider.connected(ConnectionID(id), slot: DialSlot(0), at: now, into: &actions)
        }

        mutating func say(_ status: Int, _ body: String, on id: UInt64 = 1) {
            let head = "HTTP/1.1 \(status) X\r\nContent-Length: \(body.utf8.count)\r\n\r\n"
            provider.received(ConnectionID(id), Array((head + body).utf8), at: now, into: &actions)
        }

        mutating func wait(_ span: Duration) {
            let end = now.boot + span
            while let due = provider.nextDeadline, due <= end {
                now.boot = max(due, now.boot)
                provider.timerFired(at: now, into: &actions)
            }
            now.boot = end
        }

        mutating func take() -> [CallAction] {
            defer { actions = [] }
            return actions
        }

        mutating func ends() -> [CallEnd] { take().compactMap { if case .ended(_, let end) = $0 { end } else { nil } } }

        mutating func sent() -> String {
            take().compactMap {
                if case .transport(.send(_, let bytes)) = $0 { String(decoding: bytes, as: UTF8.self) } else { nil }
            }.joined()
        }
    }

    @Test("the language of the words is filled in where the request names it, and only there it counts as named")
    func theLanguageOfTheWordsIsFilledIn() {
        let origin = HTTPOrigin(host: "calls.example", port: 443, security: .tls(authorityFile: nil))
        func asked(_ target: String, _ body: CallSettings.Body) -> (names: Bool, sent: String) {
            let settings = CallSettings(
                origin, target: Secret(target), headers: [.init("X-Voice", Secret("{language}"))], body: body)
            var bench = Bench()
            bench.provider = CallProvider(settings: settings)
            bench.provider.call(CallID(1), "+431234567", "Alarm", in: .german, at: bench.now, into: &bench.actions)
            bench.connect()
            return (settings.namesLanguage, bench.sent())
        }
        let form = asked("/c", .form([.init("to", Secret("{number}")), .init("lang", Secret("{language}"))]))
        #expect(form.names && form.sent.hasSuffix("lang=de"))
        let json = asked("/c", .json(Secret(#"{"lang":"{language}"}"#)))
        #expect(json.names && json.sent.hasSuffix(#"{"lang":"de"}"#))
        let target = asked("/c?to={number}&lang={language}", .none)
        #expect(target.names && target.sent.contains("&lang=de "))
        // A header is as it is written.
        let none = asked("/c", .form([.init("to", Secret("{number}"))]))
        #expect(!none.names && none.sent.contains("X-Voice: {language}"))
    }

    @Test("one POST with the number, the words and the login; then questions for this call every five seconds")
    func onePOSTWithTheNumberTheWordsAndTheLogin() {
        var bench = Bench()
        bench.call()
        bench.connect()
        let request = bench.sent()
        #expect(request.hasPrefix("POST /c HTTP/1.1\r\n"))
        #expect(request.contains("\r\nAuthorization: Basic dTpw\r\n"))
        #expect(request.hasSuffix(#"{"to":"431234567","say":"Alarm."}"#))
        bench.say(201, #"{"id":"C/7"}"#)
        bench.wait(.seconds(4))
        #expect(bench.sent().isEmpty)
        bench.wait(.seconds(1))
        #expect(bench.sent().hasPrefix("GET /c/C%2F7 HTTP/1.1\r\n"))
        bench.say(200, #"{"key":""}"#)
        bench.wait(.seconds(5))
        bench.say(200, #"{"key":5}"#)
        #expect(bench.ends() == [.pressed])
        bench.wait(.hours(1))
        #expect(bench.sent().isEmpty && bench.ends().isEmpty)
    }

    @Test("a call whose request was sent is never asked for twice, whatever the connection does")
    func aCallIsNeverAskedForTwice() {
        var bench = Bench()
        bench.call(1)
        bench.connect()
        bench.say(200, #"{"id":"a"}"#)
        _ = bench.take()
        // The server ends the connection just then, which it kept since the first call.
        bench.call(2)
        #expect(bench.sent().hasPrefix("POST"))
        bench.provider.closed(ConnectionID(1), .finished, at: bench.now, into: &bench.actions)
        let actions = bench.take()
        #expect(actions.count { if case .ended(_, .refused) = $0 { true } else { false } } == 1)
        #expect(!actions.contains { if case .transport(.connect) = $0 { true } else { false } })
    }

    @Test("nobody who presses a key is no answer after two and a half minutes; questions that fail change nothing")
    func nobodyWhoPressesAKeyIsNoAnswer() {
        var bench = Bench()
        bench.call()
        bench.connect()
        bench.say(200, #"{"id":"a"}"#)
        for answer in [500, 404, 302, 200] {
            bench.wait(.seconds(5))
            _ = bench.take()
            bench.say(answer, answer == 302 ? #"{"key":"1"}"# : "no JSON")
        }
        bench.wait(.seconds(129))
        #expect(bench.ends().isEmpty)
        bench.wait(.seconds(2))
        #expect(bench.ends() == [.unanswered])
    }

    @Test(
        "an answer that names no call is told with where it was looked for; the call may have rung",
        arguments: [
            "{}", "[]", #"{"id":null}"#, #"{"id":{"x":1}}"#, "nonsense",
            #"{"id":"\#(String(repeating: "x", count: 201))"}"#,
        ])
    func anAnswerThatNamesNoCall(body: String) {
        var bench = Bench()
        bench.call()
        bench.connect()
        bench.say(200, body)
        let ends = bench.ends()
        guard case .nameless(let words)? = ends.first else { return #expect(Bool(false), "\(ends)") }
        #expect(words.contains("names none at 'id'") && ends.count == 1)
    }

    @Test("a stop while a key is awaited ends the call as one that nobody answered, once")
    func aStopWhileAKeyIsAwaited() {
        var bench = Bench()
        bench.call()
        bench.connect()
        bench.say(200, #"{"id":"a"}"#)
        bench.provider.stop(at: bench.now, into: &bench.actions)
        #expect(bench.ends() == [.unanswered])
        bench.wait(.hours(1))
        #expect(bench.ends().isEmpty && bench.provider.nextDeadline == nil)
    }

    @Test("without keys the provider's yes is the end")
    func withoutKeysTheProvidersYesIsTheEnd() {
        var bench = Bench(hasKeys: false)
        bench.call()
        bench.connect()
        bench.say(202, "")
        #expect(bench.ends() == [.taken])
    }

    @Test("a provider that cannot be reached is told, without path and query")
    func aProviderThatCannotBeReachedIsTold() {
        var bench = Bench()
        bench.call()
        bench.provider.connectFailed(
            .dial(.unreachable(.refused)), slot: DialSlot(0), at: bench.now, into: &bench.actions)
        let ends = bench.ends()
        guard case .refused(let words)? = ends.first else { return #expect(Bool(false), "\(ends)") }
        #expect(words.hasPrefix("https://calls.example: ") && !words.contains("example/c"))
    }

    @Test("a list counts by the entry that names the call, and by no other one")
    func aListCountsByTheEntryThatNamesTheCall() {
        var bench = Bench()
        bench.call()
        bench.connect()
        bench.say(200, #"[{"id":"a"}]"#)
        bench.wait(.seconds(5))
        bench.say(200, #"[{"of":"b","key":"1"},{"key":"2"},"a"]"#)
        #expect(bench.ends().isEmpty)
        bench.wait(.seconds(5))
        bench.say(200, #"[{"of":"b","key":"1"},{"of":"a","key":"2"}]"#)
        #expect(bench.ends() == [.pressed])
    }

    @Test("whatever a provider answers, cut anywhere, nothing but its own words ends a call")
    func whateverAProviderAnswers() {
        var chance = Jitter(seed: 11)
        for _ in 0..<300 {
            var bench = Bench()
            bench.call()
            bench.connect()
            bench.say(200, #"{"id":"a"}"#)
            bench.wait(.seconds(5))
            _ = bench.take()
            let bytes = (0..<Int(chance.next() % 400)).map { _ in UInt8(truncatingIfNeeded: chance.next()) }
            bench.provider.received(ConnectionID(1), bytes, at: bench.now, into: &bench.actions)
            #expect(!bench.ends().contains(.pressed))
        }
    }
}
