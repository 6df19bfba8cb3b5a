import AlarmModel
import PhoneLink
import Testing

@Suite("A hostile server of an account")
struct AccountFloodTests {
    /// A login by SCRAM on a connection that is encrypted from the start.
    private static let scram =
        [Account.header + Account.mechanisms(["PLAIN", "SCRAM-SHA-1"])] + Array(AccountLoginTests.scram.dropFirst(3))

    private static func question(_ id: String) -> String {
        "<iq from='example.com' id='\(id)' type='get'><ping xmlns='urn:xmpp:ping'/></iq>"
    }

    private static func resume(_ bench: inout AccountBench, taken: Int) {
        bench.waitForDial()
        _ = bench.take()
        bench.connect(Array(Account.login.prefix(2)) + [Account.header + Account.features])
        bench.say("<resumed xmlns='urn:xmpp:sm:3' h='\(taken)' previd='session-1'/>")
    }

    @Test("an answer to a question of the server is sent once, and not again when the session goes on")
    func anAnswerToAQuestionOfTheServerIsSentOnce() {
        var bench = AccountBench.ready()
        bench.say(Self.question("q1"))
        #expect(bench.take().sent.contains("id=\"q1\" type=\"result\""))
        bench.deliver("b-1")
        bench.lose()
        Self.resume(&bench, taken: 1)
        let sent = bench.take().sent
        #expect(!sent.contains("q1") && sent.contains("id=\"b-1\""))
        // The status may have been lost with the answer, and is told anew.
        #expect(sent.contains("<presence>"))
        bench.say(Account.a(2))
        #expect(bench.take().accepted == ["b-1"], "the stanzas are counted as they were sent")
    }

    @Test("a server that asks on and on and never says what it took is left, and everything under way comes back")
    func aServerThatAsksOnAndOnIsLeft() {
        var bench = AccountBench.ready()
        bench.deliver("b-1")
        for number in 0..<2000 where bench.actions.closes == 0 { bench.say(Self.question("q\(number)")) }
        let actions = bench.take()
        #expect(actions.closes == 1 && actions.returnedIDs == ["b-1"])
        #expect(actions.problemWords.last?.contains("does not say what it has taken") == true)
        bench.waitForDial()
        bench.connect(Array(Account.login.prefix(2)) + [Account.header + Account.features])
        #expect(!bench.take().sent.contains("<resume"), "the session is given up with it")
    }

    @Test("a stranger's message that is nested too deep is counted and passed over; the connection goes on")
    func aMessageThatIsNestedTooDeepIsPassedOver() {
        var bench = AccountBench.ready()
        let deep = String(repeating: "<b xmlns='u'>", count: 40) + String(repeating: "</b>", count: 40)
        bench.say("<message from='stranger@example.net/x' type='chat'><body>status</body>\(deep)</message>")
        let actions = bench.take()
        #expect(actions.closes == 0 && !actions.sent.contains("<message"))
        bench.say("<r xmlns='urn:xmpp:sm:3'/>")
        #expect(bench.take().sent.contains("h=\"1\""))
    }

    @Test("a question with an id or an address that is longer than any real one is not answered")
    func aQuestionWithAnIDOrAnAddressThatIsLongerThanAnyRealOneIsNotAnswered() {
        func isAnswered(id: Int, from: Int) -> Bool {
            var bench = AccountBench.ready()
            let (id, from) = (String(repeating: "i", count: id), String(repeating: "f", count: from))
            bench.say("<iq from='\(from)' id='\(id)' type='get'><ping xmlns='urn:xmpp:ping'/></iq>")
            return bench.take().sent.contains("type=\"result\"")
        }
        #expect(isAnswered(id: 1024, from: 3071))
        #expect(!isAnswered(id: 1025, from: 11) && !isAnswered(id: 2, from: 3072))
    }

    @Test("what is kept until the server has it has a bound, in stanzas and in bytes, and leaves room for no more")
    func whatIsKeptUntilTheServerHasItHasABound() {
        func stanza(_ id: Int, _ size: Int) -> XMLElement {
            XMLElement(
                "message", namespace: XMPPNamespace.client, attributes: [XMLAttribute("id", "m\(id)")],
                text: String(repeating: "x", count: size))
        }
        func kept(of size: Int) -> Int {
            var session = XMPPSession()
            for number in 0..<10_000 where !session.count(stanza(number, size)) { return number }
            return 10_000
        }
        #expect(kept(of: 10) == XMPPSession.keptLimit)
        #expect(kept(of: 30_000) == XMPPSession.keptBytesLimit / 30_100)
        var session = XMPPSession()
        for number in 0..<XMPPSession.keptLimit { _ = session.count(stanza(number, 10)) }
        let isOnlyCounted = session.count(nil)
        let isKeptBefore = session.count(stanza(1000, 10))
        _ = session.acknowledge(1)
        let isKeptAfter = session.count(stanza(1001, 10))
        #expect(isOnlyCounted && !isKeptBefore && isKeptAfter, "what was taken makes room")
        for _ in 0..<XMPPSession.countLimit { _ = session.count(nil) }
        #expect(session.unacknowledged.count == XMPPSession.countLimit)
    }

    @Test("messages as long as they may be wait for their turn: what is kept never grows beyond its bound")
    func messagesAsLongAsTheyMayBeWaitForTheirTurn() {
        var bench = AccountBench.ready()
        let content = DeliveryContent.sealed([UInt8](repeating: 7, count: 16_384))
        var count = 0
        while count < 60 {
            guard bench.deliver("b-\(count)", content: content) else { break }
            count += 1
        }
        #expect((8...15).contains(count) && bench.actions.closes == 0)
        bench.say(Account.a(3))
        #expect(bench.channel.room.alarm > 0)
    }

    @Test("a server that does not say within 15 s what it has taken is left; each answer gives it its time again")
    func aServerThatDoesNotSayWithin15SWhatItHasTakenIsLeft() {
        var bench = AccountBench.ready()
        bench.deliver("b-1")
        bench.wait(.seconds(14))
        bench.say(Account.a(2))
        #expect(bench.take().accepted == ["b-1"])
        bench.deliver("b-2")
        _ = bench.take()
        // It lives, and says anything but that.
        for _ in 0..<14 {
            bench.wait(.seconds(1))
            bench.say("<presence from='user@example.com/r1'/>")
        }
        #expect(bench.take().closes == 0)
        bench.wait(.seconds(1))
        #expect(bench.actions.closes == 1)
        #expect(bench.take().problemWords.last?.contains("does not say what it has taken") == true)
        // Its session may go on elsewhere; what cannot is given back 20 s after it was sent.
        bench.wait(.seconds(5))
        #expect(bench.take().returnedIDs == ["b-2"])
    }

    @Test("a server that has offered to prove itself gets the password itself no more")
    func aServerThatHasOfferedToProveItselfGetsThePasswordItselfNoMore() {
        var bench = AccountBench { $0.usesChannelBinding = false }
        bench.start()
        bench.connect(Self.scram)
        #expect(bench.channel.health.phase == .ready)
        _ = bench.take()
        bench.lose()
        bench.waitForDial()
        bench.connect([Account.header + Account.mechanisms(["PLAIN"])])
        #expect(!bench.actions.sent.contains("<auth"))
        #expect(bench.channel.health.problem?.isRefusal == true)
        #expect(bench.take().problemWords.last?.contains("wants the password itself") == true)
        bench.waitForDial()
        bench.connect(
            Self.scram.dropLast(2) + ["<resumed xmlns='urn:xmpp:sm:3' h='0' previd='session-1'/>"])
        #expect(bench.channel.health.phase == .ready, "it is no grudge")
    }
}
