import AlarmModel
import Foundation
import PhoneLink
import PhoneProtocol
import Testing

@Suite("Messages of an XMPP account")
struct AccountMessageTests {
    @Test("an alarm is one chat message with its id; the server's count accepts it, the person's receipt arrives")
    func anAlarmIsOneChatMessageWithItsId() {
        var bench = AccountBench.ready()
        #expect(bench.deliver("b-1") == true)
        let sent = bench.actions.sent
        #expect(sent.contains("<message to=\"anna@example.com\" id=\"b-1\" type=\"chat\"><body>ALARM Hall\n"))
        #expect(sent.contains("&lt;Hall&gt; &amp; more</body><origin-id xmlns=\"urn:xmpp:sid:0\" id=\"b-1\"/>"))
        #expect(sent.contains("<request xmlns=\"urn:xmpp:receipts\"/>"))
        #expect(bench.take().accepted.isEmpty)
        bench.say(Account.a(1))
        #expect(bench.actions.accepted.isEmpty, "only the presence was counted")
        bench.say(Account.a(2))
        #expect(bench.take().accepted == ["b-1"])
        let receipt = "<received xmlns='urn:xmpp:receipts' id='b-1'/>"
        bench.say("<message from='eve@example.com/x' type='chat'>\(receipt)</message>")
        #expect(bench.take().receivedIDs.isEmpty)
        bench.say("<message from='anna@example.com/x' type='chat'>\(receipt)</message>")
        #expect(bench.take().receivedIDs == ["b-1"])
        bench.say("<message from='anna@example.com/x' type='chat'>\(receipt)</message>")
        #expect(bench.take().receivedIDs.isEmpty)
    }

    @Test("a receipt that overtakes the server's count accepts, too, and once")
    func aReceiptThatOvertakesTheServersCountAccepts() {
        var bench = AccountBench.ready()
        bench.deliver("b-1")
        bench.say("<message from='anna@example.com/x'><received xmlns='urn:xmpp:receipts' id='b-1'/></message>")
        #expect(bench.actions.accepted == ["b-1"] && bench.actions.receivedIDs == ["b-1"])
        bench.say(Account.a(2))
        #expect(bench.take().accepted == ["b-1"])
    }

    @Test("a lost session is resumed: only what the server has not counted is sent again, in order, with the same ids")
    func aLostSessionIsResumed() {
        var bench = AccountBench.ready()
        for number in 1...4 { bench.deliver("b-\(number)") }
        bench.say(Account.a(2) + Account.chat("c1", "status"))
        bench.lose()
        #expect(bench.take().returnedIDs.isEmpty)
        bench.waitForDial()
        bench.connect(Array(Account.login.prefix(2)) + [Account.header + Account.features])
        #expect(bench.take().sent.hasSuffix("<resume xmlns=\"urn:xmpp:sm:3\" h=\"1\" previd=\"session-1\"/>"))
        bench.say("<resumed xmlns='urn:xmpp:sm:3' h='3' previd='session-1'/>")
        let actions = bench.take()
        #expect(actions.accepted.isEmpty, "a refusal of b-2 may come yet")
        #expect(actions.sent.components(separatedBy: "id=\"b-3\" type").count == 2)
        #expect(!actions.sent.contains("id=\"b-2\" type") && actions.sent.contains("id=\"b-4\" type"))
        #expect(!actions.sent.contains("<presence"))
        bench.say(Account.a(5))
        #expect(bench.take().accepted == ["b-2", "b-3", "b-4"])
    }

    @Test("a refusal that was lost with the connection comes before the server's word that it took the message")
    func aRefusalThatWasLostWithTheConnectionComesBeforeTheServers() {
        var bench = AccountBench.ready()
        bench.deliver("b-1")
        bench.deliver("b-2")
        bench.lose()
        bench.waitForDial()
        bench.connect(Array(Account.login.prefix(2)) + [Account.header + Account.features])
        _ = bench.take()
        bench.say("<resumed xmlns='urn:xmpp:sm:3' h='3' previd='session-1'/>")
        #expect(bench.actions.accepted.isEmpty)
        #expect(bench.take().sent == "<r xmlns=\"urn:xmpp:sm:3\"/>")
        bench.say(Account.error("b-1", "resource-constraint", type: "wait") + Account.a(3))
        let actions = bench.take()
        #expect(actions.refusals.count == 1 && actions.accepted == ["b-2"])
    }

    @Test("what a resumption's count has taken stays taken when the session is lost before the next count")
    func whatAResumptionsCountHasTakenStaysTakenWhenTheSession() {
        var bench = AccountBench.ready()
        bench.deliver("b-1")
        bench.lose()
        bench.waitForDial()
        bench.connect(Array(Account.login.prefix(2)) + [Account.header + Account.features])
        bench.say("<resumed xmlns='urn:xmpp:sm:3' h='2' previd='session-1'/>")
        bench.lose()
        #expect(bench.take().accepted.isEmpty)
        bench.waitForDial()
        bench.connect(Array(Account.login.prefix(2)) + [Account.header + Account.features])
        bench.say("<failed xmlns='urn:xmpp:sm:3'><item-not-found xmlns='urn:x'/></failed>")
        #expect(bench.take().accepted == ["b-1"])
        bench.say(Account.bound)
        bench.say(Account.enabled)
        #expect(!bench.take().sent.contains("b-1"))
    }

    @Test("when it cannot be resumed, a new session gets the messages with the same ids, and counts anew")
    func whenItCannotBeResumed() {
        var bench = AccountBench.ready()
        for number in 1...3 { bench.deliver("b-\(number)") }
        bench.lose()
        bench.waitForDial()
        bench.connect(Array(Account.login.prefix(2)) + [Account.header + Account.features])
        bench.say("<failed xmlns='urn:xmpp:sm:3' h='2'><item-not-found xmlns='urn:x'/></failed>")
        #expect(bench.take().accepted == ["b-1"])
        bench.say(Account.bound)
        bench.say(Account.enabled)
        let sent = bench.take().sent
        let presence = sent.components(separatedBy: "<presence").count - 1
        #expect(presence == 1 && sent.contains("id=\"b-2\" type") && sent.contains("id=\"b-3\" type"))
        bench.say(Account.a(3))
        let actions = bench.take()
        #expect(Set(actions.accepted) == ["b-2", "b-3"] && actions.returnedIDs.isEmpty)
    }

    @Test("a session that is not back within the time of an answer gives its messages back")
    func aSessionThatIsNotBackWithinTheTimeOfAnAnswerGives() {
        var bench = AccountBench.ready()
        bench.deliver("b-1")
        bench.wait(.seconds(10))
        bench.lose()
        bench.wait(.seconds(9))
        #expect(bench.take().returnedIDs.isEmpty)
        bench.wait(.seconds(2))
        #expect(bench.take().returnedIDs == ["b-1"])
    }

    @Test("without stream management a ping behind the message tells that the server has it")
    func withoutStreamManagementAPingBehindTheMessageTells() {
        var bench = AccountBench.ready(isManaged: false)
        bench.deliver("b-1")
        #expect(bench.take().sent.contains("id=\"p1\" type=\"get\"><ping"))
        bench.deliver("b-2")
        #expect(!bench.take().sent.contains("<ping"))
        bench.say("<iq id='p1' type='result' from='eve@example.com/x'/>")
        #expect(bench.actions.accepted.isEmpty)
        bench.say("<iq id='p1' type='result' from='example.com'/>")
        #expect(bench.actions.accepted == ["b-1"])
        #expect(bench.take().sent.contains("id=\"p2\""))
        // Any answer is one.
        bench.say("<iq id='p2' type='error'><error type='cancel'><service-unavailable/></error></iq>")
        #expect(bench.take().accepted == ["b-2"])
        bench.deliver("b-3")
        bench.lose()
        #expect(bench.take().returnedIDs == ["b-3"])
    }

    @Test("a server that counts more than was sent, or backwards, is not believed; counts run round at 2^32")
    func aServerThatCountsMoreThanWasSent() {
        for count in [UInt32(9), .max] {
            var bench = AccountBench.ready()
            bench.deliver("b-1")
            bench.say(Account.a(count))
            #expect(bench.actions.problemWords.last?.contains("more than was sent") == true)
        }
        var session = XMPPSession(acknowledged: .max - 1)
        for name in ["a", "b", "c", "d"] {
            _ = session.count(XMLElement(name, namespace: XMPPNamespace.client))
        }
        let first = session.acknowledge(1)?.map(\.name)
        #expect(first == ["a", "b", "c"])
        let back = session.acknowledge(.max)
        #expect(back == nil)
        let last = session.acknowledge(2)?.map(\.name)
        #expect(last == ["d"])
    }

    @Test(
        "a server's refusal says what is to become of the message and its address",
        arguments: [
            ("item-not-found", PushReaction.dropAddress), ("gone", .dropAddress),
            ("service-unavailable", .retry(first: .minutes(1), attempts: 5)),
            ("remote-server-timeout", .retry(first: .minutes(1), attempts: 5)), ("forbidden", .giveUp),
        ])
    func aServersRefusalSaysWhatIsToBecomeOfTheMessageAndItsAddress(_ condition: String, _ reaction: PushReaction) {
        var bench = AccountBench.ready()
        bench.deliver("b-1")
        bench.say(Account.error("b-1", condition) + Account.a(2))
        let actions = bench.take()
        #expect(actions.refusals.map(\.reaction) == [reaction] && actions.accepted.isEmpty)
        #expect(actions.refusals.first?.why.contains(condition) == true)
    }

    @Test("a word that a taken message did not reach its address is a refusal of it, once, and only from there")
    func aWordThatATakenMessageDidNotReachItsAddressIsARefusalOfIt() {
        var bench = AccountBench.ready()
        bench.deliver("b-1", wantsReceipt: false)
        bench.say(Account.a(2))
        #expect(bench.take().accepted == ["b-1"])
        let receipt = "<received xmlns='urn:xmpp:receipts' id='b-1'/>"
        bench.say("<message from='anna@example.com/x' type='chat'>\(receipt)</message>")
        #expect(bench.take().receivedIDs.isEmpty, "nobody asked for it")
        let error = Account.error("b-1", "remote-server-not-found")
        bench.say(error.replacingOccurrences(of: "anna@", with: "eve@"))
        #expect(bench.take().refusals.isEmpty)
        bench.say(error + error)
        #expect(bench.take().refusals.map(\.reaction) == [.retry(first: .minutes(1), attempts: 5)])
    }

    @Test("what the channel does not carry is refused at once; sealed messages go as text")
    func whatTheChannelDoesNotCarryIsRefusedAtOnce() {
        var bench = AccountBench.ready()
        #expect(bench.deliver("b-1", content: .event(.null, type: "x")) == true)
        #expect(bench.deliver("b-2", to: "no address") == true)
        #expect(bench.deliver("b-3", content: .sealed([UInt8](repeating: 1, count: 20_000))) == true)
        #expect(bench.actions.refusals.map(\.reaction) == [.giveUp, .dropAddress, .giveUp])
        bench.deliver("b-4", content: .sealed([0xFB, 0xFF]))
        #expect(bench.actions.sent.contains("<body>-_8</body>"))
    }

    @Test("fifty messages wait for the server, five of these places are kept for alarms")
    func fiftyMessagesWaitForTheServer() {
        var bench = AccountBench.ready()
        #expect(bench.channel.room == TransportRoom(alarm: 50, other: 45))
        for number in 1...45 { #expect(bench.deliver("b-\(number)", isAlarm: false) == true) }
        #expect(bench.deliver("x", isAlarm: false) == false)
        for number in 46...50 { #expect(bench.deliver("b-\(number)") == true) }
        #expect(bench.deliver("y") == false)
        bench.say(Account.a(51))
        #expect(bench.take().accepted.count == 50 && bench.channel.room.alarm == 50)
    }

    @Test("what people write comes in with their address; a receipt goes out when it was dealt with")
    func whatPeopleWriteComesInWithTheirAddress() throws {
        var bench = AccountBench.ready()
        bench.admit("Anna@example.com")
        bench.say(Account.chat("c1", "disarm &lt;1&gt;", extra: Account.request))
        let message = try #require(bench.actions.inbound.first)
        #expect(message.from == "anna@example.com" && message.id == "c1" && message.body == .text("disarm <1>"))
        #expect(message.age == nil && message.channel == .xmpp)
        #expect(!bench.take().sent.contains("<received"))
        bench.channel.acknowledge(message, at: bench.now, into: &bench.actions)
        #expect(bench.actions.sent.contains("<message to=\"anna@example.com/phone\""))
        #expect(bench.take().sent.contains("<received xmlns=\"urn:xmpp:receipts\" id=\"c1\"/>"))
        bench.channel.acknowledge(message, at: bench.now, into: &bench.actions)
        #expect(bench.take() == [])
    }

    @Test("messages without an id of their own are told apart from none by it, and owed no receipt")
    func messagesWithoutAnIdOfTheirOwnAreToldApartFromNoneByIt() {
        var bench = AccountBench.ready()
        bench.admit("anna@example.com")
        for _ in 0..<2 {
            bench.say("<message from='anna@example.com/x' type='chat'><body>status</body>\(Account.request)</message>")
        }
        let inbound = bench.take().inbound
        #expect(inbound.map(\.id) == ["", ""])
        for message in inbound { bench.channel.acknowledge(message, at: bench.now, into: &bench.actions) }
        let owed = bench.take()
        #expect(owed == [])
    }

    @Test("kept messages come with their age; of unknown age when our clock is not trusted")
    func keptMessagesComeWithTheirAge() {
        var bench = AccountBench.ready()
        func delayed(_ stamp: String) -> String {
            Account.chat("c1", "arm", extra: "<delay xmlns='urn:xmpp:delay' from='example.com' stamp='\(stamp)'/>")
        }
        // 1_700_000_000 is 22:13:20Z.
        bench.say(delayed("2023-11-14T22:12:20Z") + delayed("2023-11-14T23:12:20.25+01:00"))
        #expect(bench.take().inbound.map(\.age) == [.seconds(60), .seconds(60)])
        bench.say(delayed("2023-11-14T22:20:00Z") + delayed("yesterday") + delayed("2023-13-14T22:12:20Z"))
        #expect(bench.take().inbound.map(\.age) == [.zero, XMPPTransport.unknownAge, XMPPTransport.unknownAge])
        bench.now.isWallTrusted = false
        bench.say(delayed("2023-11-14T22:12:20Z"))
        #expect(bench.take().inbound.map(\.age) == [XMPPTransport.unknownAge])
    }

    @Test("what a resumed session brings at first may be as old as the silence before")
    func whatAResumedSessionBringsAtFirstMayBeAsOldAsTheSilence() {
        var bench = AccountBench.ready()
        bench.wait(.seconds(6))
        bench.say(Account.a(2))
        bench.wait(.seconds(50))
        bench.lose()
        bench.waitForDial()
        bench.connect(Array(Account.login.prefix(2)) + [Account.header + Account.features])
        bench.say("<resumed xmlns='urn:xmpp:sm:3' h='2' previd='session-1'/>" + Account.chat("c1", "arm"))
        #expect((bench.take().inbound.first?.age ?? .zero) >= .seconds(50))
        bench.wait(.seconds(11))
        bench.say(Account.chat("c2", "arm"))
        #expect(bench.take().inbound.map(\.age) == [nil])
    }

    @Test("rooms, copies, our own words, headlines, strangers and empty messages are nobody's commands")
    func roomsCopiesOurOwnWordsHeadlinesStrangersAndEmptyMessages() {
        var bench = AccountBench.ready()
        bench.admit("anna@example.com")
        let text = Account.chat("c1", "disarm 1")
        let carbon = "<sent xmlns='urn:xmpp:carbons:2'><forwarded xmlns='urn:xmpp:forward:0'>\(text)</forwarded></sent>"
        for stanza in [
            text.replacing("type='chat'", with: "type='groupchat'"),
            text.replacing("type='chat'", with: "type='headline'"),
            Account.chat("c2", "arm", from: "user@example.com/other"),
            Account.chat("c3", "arm", from: "eve@example.com"),
            "<message from='anna@example.com/phone' type='chat'>\(carbon)</message>",
            Account.chat("c4", "x", extra: carbon),
            "<message from='anna@example.com/phone' type='chat'><body/></message>",
            "<message type='chat'><body>arm</body></message>", Account.chat("c5", String(repeating: "x", count: 5000)),
            "<message from='anna@example.com' type='chat'><subject>arm</subject></message>",
        ] {
            bench.say(stanza)
            #expect(bench.take().inbound == [], "\(stanza)")
        }
        bench.say(text)
        #expect(bench.take().inbound.count == 1)
    }
}
