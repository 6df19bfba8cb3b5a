import AlarmModel
import PhoneLink
import Testing

@Suite("Keeping the connection to the push server")
struct ConnectionTests {
    static let ping =
        "<iq to=\"gcm.googleapis.com\" id=\"p1\" type=\"get\"><ping xmlns=\"urn:xmpp:ping\"/></iq>"

    @Test("a half-open connection is noticed after exactly 75 seconds")
    func aHalfOpenConnectionIsNoticedAfterExactly75Seconds() {
        var bench = Bench.ready()
        bench.push("m1")
        bench.say(Server.ack("m1"))
        _ = bench.take()
        bench.wait(.milliseconds(59_999))
        #expect(bench.take().isEmpty)
        bench.wait(.milliseconds(1))
        #expect(bench.take().sent() == [Self.ping])
        bench.wait(.milliseconds(14_999))
        #expect(bench.take().isEmpty)
        bench.wait(.milliseconds(1))
        let actions = bench.take()
        #expect(
            actions.steps == [
                .send(ConnectionID(1), Array(Server.end.utf8)), .close(ConnectionID(1)), .notReady,
            ])
        #expect(actions.problems == [.silent])
    }

    @Test(
        "anything that comes proves life, an error in answer to a ping included",
        arguments: [
            " ", "<iq id='p1' type='result'/>", "<iq id='p1' type='error'><error type='cancel'/></iq>",
            "<iq type='result'/>", "<m",
        ])
    func anythingThatComesProvesLife(answer: String) {
        var bench = Bench.ready()
        bench.wait(.seconds(74))
        bench.say(answer)
        _ = bench.take()
        bench.wait(.milliseconds(59_999))
        #expect(bench.take().isEmpty)
        bench.wait(.milliseconds(1))
        #expect(bench.take().sent() == [Self.ping.replacing("p1", with: "p2")])
    }

    @Test("a ping is answered to whom it came from; what we do not know is refused; an answer is never answered")
    func aPingIsAnsweredToWhomItCameFrom() {
        var bench = Bench.ready()
        bench.say("<iq type='get' id='a&amp;1' from='x@y/z'><ping xmlns='urn:xmpp:ping'/></iq>")
        #expect(bench.take().sent() == ["<iq to=\"x@y/z\" id=\"a&amp;1\" type=\"result\"/>"])
        bench.say("<iq type='get' id='2'><query xmlns='jabber:iq:version'/></iq>")
        let refusal =
            "<iq id=\"2\" type=\"error\"><error type=\"cancel\">"
            + "<service-unavailable xmlns=\"urn:ietf:params:xml:ns:xmpp-stanzas\"/></error></iq>"
        #expect(bench.take().sent() == [refusal])
        bench.say("<iq type='error' id='b1'/><iq type='result' id='zz'/><iq type='get'/>")
        #expect(bench.take().isEmpty)
    }

    @Test("however a connection ends, everything under way comes back in order and a new one is made")
    func howeverAConnectionEnds() {
        let ends: [(String, (inout Bench) -> Void)] = [
            ("graceful", { $0.say(Server.end) }), ("FIN", { $0.lost(.finished) }), ("RST", { $0.lost(.reset) }),
            ("alert", { $0.lost(.tls(.protocolError("alert"))) }), ("timeout", { $0.lost(.timedOut) }),
            ("error", { $0.say(Server.streamError("system-shutdown")) }), ("garbage", { $0.say("\u{15}\u{3}") }),
            ("redirect", { $0.say(Server.streamError("see-other-host")) }),
            ("second stream", { $0.say("<a xmlns='jabber:client'></b>") }),
        ]
        for (name, end) in ends {
            var bench = Bench.ready()
            for number in 1...5 { bench.push("m\(number)") }
            bench.say(Server.ack("m2"))
            _ = bench.take()
            end(&bench)
            let actions = bench.take()
            #expect(actions.returned == ["m1", "m3", "m4", "m5"], "\(name)")
            #expect(actions.count { if case .notReady = $0 { true } else { false } } == 1, "\(name)")
            #expect(bench.push("m6") == false, "\(name)")
            bench.wait(.seconds(1))
            #expect(bench.take().connects == 1, "\(name)")
            let id = bench.logIn()
            let ready = bench.take().withoutLogs
            #expect(ready.suffix(2) == [.problem(nil), .ready], "\(name)")
            bench.push("m1")
            let sent = bench.take().sent(on: id)
            #expect(sent.count == 1 && sent[0].contains("\"message_id\":\"m1\""), "\(name)")
        }
    }

    @Test("a graceful end is answered in kind")
    func aGracefulEndIsAnsweredInKind() {
        var bench = Bench.ready()
        bench.say(Server.end)
        let actions = bench.take()
        #expect(
            actions.steps == [
                .send(ConnectionID(1), Array(Server.end.utf8)), .close(ConnectionID(1)), .notReady,
            ])
        #expect(actions.problems == [.ended(nil)])
        // What the shell still reports about it means nothing.
        bench.lost(.finished)
        bench.say(Server.ack("m1"))
        #expect(bench.take().isEmpty)
    }

    @Test("a second client with the same account does not make a storm", arguments: ["stream", "bind"])
    func aReplicaWithTheSameAccountDoesNotMakeAStorm(channel: String) {
        var bench = Bench()
        bench.start()
        var waits: [Duration] = []
        for _ in 0..<3 {
            if channel == "stream" {
                let id = bench.logIn()
                bench.say(Server.streamError("conflict"), on: id)
            } else {
                let id = bench.connect()
                for piece in Server.login.prefix(3) { bench.say(piece, on: id) }
                bench.say(
                    "<iq id='b1' type='error'><error type='cancel'>"
                        + "<conflict xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>", on: id)
            }
            #expect(bench.link.health.problem?.kind == .conflict)
            waits.append(bench.waitForTimer() ?? .zero)
        }
        #expect(waits == [.minutes(5), .minutes(10), .minutes(20)])
        #expect(bench.link.health.problem?.description.contains("sender_id") == true)
    }

    @Test("the back-off doubles from 1 second to 60 with full jitter, and never stops")
    func theBackOffDoublesFrom1SecondTo60WithFullJitter() {
        var bench = Bench()
        bench.start()
        _ = bench.take()
        var longest: [Duration] = []
        for attempt in 0..<2000 {
            bench.refuse()
            guard let wait = bench.waitForTimer() else {
                Issue.record("nothing is due after \(attempt) attempts")
                return
            }
            #expect(wait < .seconds(min(60, 1 << min(attempt, 10))))
            #expect(bench.take().connects == 1)
            if attempt >= 6 { longest.append(wait) }
        }
        let mean = longest.reduce(Duration.zero, +) / longest.count
        #expect(mean > .seconds(27) && mean < .seconds(33))
        #expect((longest.max() ?? .zero) > .seconds(59))
    }

    @Test("only a connection that lasted a minute makes the back-off start anew")
    func onlyAConnectionThatLastedAMinuteMakesTheBackOffStartAnew() {
        func waits(lasting span: Duration) -> Duration {
            var longest = Duration.zero
            for seed in 1...30 as ClosedRange<UInt64> {
                var bench = Bench(seed: seed)
                bench.start()
                for _ in 0..<8 {
                    bench.refuse()
                    _ = bench.waitForTimer()
                }
                let id = bench.logIn()
                bench.wait(span)
                bench.lost(.reset, id)
                longest = max(longest, bench.waitForTimer() ?? .zero)
            }
            return longest
        }
        #expect(waits(lasting: .seconds(59)) > .seconds(30))
        #expect(waits(lasting: .seconds(60)) < .seconds(1))
    }

    @Test("while an alarm waits no attempt is more than 5 seconds away; a refusal is tried once and then slowly")
    func whileAnAlarmWaitsNoAttemptIsMoreThan5SecondsAway() {
        var bench = Bench()
        bench.start()
        for _ in 0..<10 {
            bench.refuse()
            _ = bench.waitForTimer()
        }
        bench.link.setUrgent(true, at: bench.now)
        for _ in 0..<100 {
            bench.refuse()
            #expect((bench.waitForTimer() ?? .hours(1)) < .seconds(5))
        }
        bench.link.setUrgent(false, at: bench.now)
        let first = bench.connect()
        bench.say(Server.header + Server.mechanisms, on: first)
        bench.say(Server.failure("not-authorized"), on: first)
        bench.link.setUrgent(true, at: bench.now)
        #expect(bench.waitForTimer() == .seconds(5))
        let second = bench.connect()
        bench.say(Server.header + Server.mechanisms, on: second)
        bench.say(Server.failure("not-authorized"), on: second)
        #expect(bench.waitForTimer() == .minutes(5))
    }

    @Test("a changed network is tried at once and an existing connection tested, but a refusal waits")
    func aChangedNetworkIsTriedAtOnceAndAnExistingConnectionTested() {
        var bench = Bench()
        bench.start()
        for _ in 0..<10 {
            bench.refuse()
            _ = bench.waitForTimer()
        }
        bench.refuse()
        _ = bench.take()
        bench.link.networkChanged(at: bench.now, into: &bench.actions)
        #expect(bench.take() == [.connecting])
        let id = bench.logIn()
        _ = bench.take()
        bench.link.networkChanged(at: bench.now, into: &bench.actions)
        bench.link.networkChanged(at: bench.now, into: &bench.actions)
        #expect(bench.take().sent(on: id) == [Self.ping])
        bench.say(Server.streamError("conflict"), on: id)
        _ = bench.take()
        bench.link.networkChanged(at: bench.now, into: &bench.actions)
        #expect(bench.take().isEmpty)
    }

    @Test("another account begins anew at once; other patience does not disturb")
    func anotherAccountBeginsAnewAtOnce() {
        var bench = Bench.ready()
        bench.push("m1")
        _ = bench.take()
        var settings = bench.link.settings
        settings.idleBeforePing = .seconds(20)
        bench.link.reconfigure(settings, at: bench.now, into: &bench.actions)
        #expect(bench.take().isEmpty)
        settings.apiKey = Secret("other key")
        bench.link.reconfigure(settings, at: bench.now, into: &bench.actions)
        #expect(
            bench.take() == [
                .notReady, .send(ConnectionID(1), Array(Server.end.utf8)), .close(ConnectionID(1)),
                .returned([MessageID("m1")]), .connecting,
            ])
        bench.link.stop(at: bench.now, into: &bench.actions)
        #expect(bench.take() == [.cancelling])
        #expect(bench.link.nextDeadline == nil && bench.link.health.phase == .stopped)
    }

    @Test("stopping gives everything back")
    func stoppingGivesEverythingBack() {
        var bench = Bench.ready()
        bench.push("m1")
        _ = bench.take()
        bench.link.stop(at: bench.now, into: &bench.actions)
        #expect(
            bench.take() == [
                .notReady, .send(ConnectionID(1), Array(Server.end.utf8)), .close(ConnectionID(1)),
                .returned([MessageID("m1")]),
            ])
    }
}
