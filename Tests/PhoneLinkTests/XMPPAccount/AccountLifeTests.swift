import AlarmModel
import Foundation
import PhoneLink
import PhoneProtocol
import Testing

@Suite("Life of an XMPP account")
struct AccountLifeTests {
    @Test("a connection that says nothing is noticed within 75 s and made anew, with its messages kept for it")
    func aConnectionThatSaysNothingIsNoticedWithin75SAndMadeAnew() {
        for isManaged in [true, false] {
            var bench = AccountBench.ready(isManaged: isManaged)
            bench.wait(.seconds(6))
            bench.say(isManaged ? Account.a(2) : " ")
            bench.wait(.seconds(74))
            #expect(bench.channel.health.phase == .ready)
            bench.wait(.seconds(2))
            #expect(bench.take().problemWords == ["the XMPP server stopped answering; we connect again"])
            bench.waitForDial()
            #expect(bench.actions.targets.count == 1)
        }
    }

    @Test("any word of the server is a sign of life, our questions are answered in kind")
    func anyWordOfTheServerIsASignOfLife() {
        var bench = AccountBench.ready()
        // The presence and the question for the roster.
        bench.wait(.seconds(6))
        bench.say(Account.a(2))
        _ = bench.take()
        for _ in 0..<20 {
            bench.wait(.seconds(61))
            #expect(bench.take().sent == "<r xmlns=\"urn:xmpp:sm:3\"/>")
            bench.say(Account.a(2))
        }
        bench.say(Account.chat("c1", "help") + "<r xmlns='urn:xmpp:sm:3'/>")
        #expect(bench.take().sent == "<a xmlns=\"urn:xmpp:sm:3\" h=\"1\"/>")
        bench.say("<iq type='get' id='7' from='example.com'><ping xmlns='urn:xmpp:ping'/></iq>")
        #expect(bench.take().sent.hasPrefix("<iq to=\"example.com\" id=\"7\" type=\"result\"/>"))
        bench.say("<r xmlns='urn:xmpp:sm:3'/>")
        #expect(bench.take().sent == "<a xmlns=\"urn:xmpp:sm:3\" h=\"2\"/>")
    }

    @Test("a server that lives but does not take a message is left after 20 s, and the message given back")
    func aServerThatLivesButDoesNotTakeAMessageIsLeftAfter20S() {
        var bench = AccountBench.ready()
        bench.deliver("b-1")
        bench.say(Account.a(1))
        bench.wait(.seconds(10))
        bench.say(Account.a(1))
        bench.wait(.milliseconds(9_999))
        #expect(bench.take().returnedIDs.isEmpty)
        bench.wait(.milliseconds(1))
        let actions = bench.take()
        #expect(actions.problemWords.first?.contains("did not take a message") == true)
        #expect(actions.returnedIDs == ["b-1"])
    }

    @Test("a login that stalls is given up after 15 s, an attempt without answer after 90 s")
    func aLoginThatStallsIsGivenUpAfter15S() {
        var bench = AccountBench()
        bench.start()
        bench.wait(.seconds(91))
        #expect(bench.actions.contains(.cancelConnect(DialSlot(0))))
        bench.waitForDial()
        bench.connect([Account.header])
        _ = bench.take()
        bench.wait(.seconds(16))
        #expect(bench.actions.problemWords.first?.contains("did not finish the login") == true)
        #expect(bench.take().closes == 1)
    }

    @Test("attempts go on for ever, at least once a minute, every five seconds while an alarm waits")
    func attemptsGoOnForEver() {
        var bench = AccountBench()
        bench.start()
        for isUrgent in [false, true] {
            bench.channel.setUrgent(isUrgent, at: bench.now)
            for _ in 0..<200 {
                _ = bench.take()
                let failure = ConnectFailure.dial(.unreachable(.refused))
                bench.channel.connectFailed(failure, slot: DialSlot(0), at: bench.now, into: &bench.actions)
                let before = bench.now.boot
                bench.waitForDial()
                #expect(bench.now.boot - before <= .seconds(isUrgent ? 5 : 60))
                #expect(bench.actions.targets.count == 1)
            }
        }
    }

    @Test("the network coming back is used at once")
    func theNetworkComingBackIsUsedAtOnce() {
        var bench = AccountBench.ready()
        bench.lose()
        _ = bench.take()
        bench.channel.networkChanged(at: bench.now, into: &bench.actions)
        bench.answer()
        #expect(bench.take().targets.count == 1)
        var standing = AccountBench.ready()
        standing.channel.networkChanged(at: standing.now, into: &standing.actions)
        #expect(standing.take().sent.contains("<r "))
    }

    @Test("stopping says goodbye and gives everything back")
    func stoppingSaysGoodbyeAndGivesEverythingBack() {
        var bench = AccountBench.ready()
        bench.deliver("b-1")
        _ = bench.take()
        bench.channel.stop(at: bench.now, into: &bench.actions)
        #expect(bench.actions.sent.hasPrefix("<presence type=\"unavailable\"/>"))
        #expect(bench.actions.sent.hasSuffix("</stream:stream>"))
        #expect(bench.actions.returnedIDs == ["b-1"] && bench.actions.contains(.notReady) && bench.actions.closes == 1)
        #expect(bench.channel.nextDeadline == nil && bench.channel.health.phase == .stopped)
    }

    private static let poison = "<message from='eve@example.com'><!-- x -->"

    /// Loses the connection and has its session resumed.
    private func resume(_ bench: inout AccountBench) {
        bench.waitForDial()
        bench.connect(Array(Account.login.prefix(2)) + [Account.header + Account.features])
        bench.say("<resumed xmlns='urn:xmpp:sm:3' h='1' previd='session-1'/>")
        _ = bench.take()
    }

    @Test("what cannot be read ends the connection and is asked for once more; the second time it is taken")
    func whatCannotBeReadEndsTheConnectionAndIsAskedForOnceMore() {
        var bench = AccountBench.ready()
        bench.say(Self.poison)
        let actions = bench.take()
        #expect(actions.sent == "</stream:stream>")
        #expect(actions.problemWords.first?.contains("a comment, which XMPP forbids") == true)
        resume(&bench)
        bench.say(Self.poison)
        #expect(bench.take().sent == "<a xmlns=\"urn:xmpp:sm:3\" h=\"1\"/></stream:stream>")
        resume(&bench)
        bench.say(Self.poison)
        #expect(bench.take().sent == "</stream:stream>", "that is another one")
    }

    @Test("a stanza in whose place there was garbage is not lost; garbage much later is not taken for it")
    func aStanzaInWhosePlaceThereWasGarbageIsNotLost() {
        var bench = AccountBench.ready()
        bench.admit("anna@example.com")
        for place in 0..<3 {
            bench.say("\u{1}?? <nothing> of the kind")
            #expect(bench.take().sent == "</stream:stream>", "connection \(place)")
            resume(&bench)
            bench.say(Account.chat("c\(place)", "status"))
            #expect(bench.take().inbound.map(\.id) == ["c\(place)"])
        }
    }

    @Test("of a session that cannot be resumed what cannot be read is taken at once, of a lost one in the next")
    func ofASessionThatCannotBeResumedWhatCannotBeReadIsTakenAtOnce() {
        var single = AccountBench(seed: 1)
        single.start()
        single.connect(Array(Account.login.dropLast()) + ["<enabled xmlns='urn:xmpp:sm:3'/>"])
        _ = single.take()
        single.say(Self.poison)
        #expect(single.take().sent == "<a xmlns=\"urn:xmpp:sm:3\" h=\"1\"/></stream:stream>")
        var lost = AccountBench.ready()
        lost.say(Self.poison)
        lost.waitForDial()
        let failed = "<failed xmlns='urn:xmpp:sm:3'><item-not-found xmlns='urn:x'/></failed>"
        lost.connect(Array(Account.login.prefix(2)))
        for step in [Account.header + Account.features, failed, Account.bound, Account.enabled] { lost.say(step) }
        lost.say("<presence from='user@example.com/r1'/>")
        _ = lost.take()
        lost.say(Self.poison)
        #expect(lost.take().sent == "<a xmlns=\"urn:xmpp:sm:3\" h=\"2\"/></stream:stream>")
    }

    @Test("a moment's trouble is passing, a cut handshake, too; a server that does not prove who it is is told at once")
    func aMomentsTroubleIsPassing() {
        func problem(_ happens: (inout AccountBench) -> Void) -> TransportProblem? {
            var bench = AccountBench.ready()
            happens(&bench)
            return bench.channel.health.problem
        }
        func unable(_ failure: ConnectFailure) -> TransportProblem? {
            problem { bench in
                bench.lose()
                bench.waitForDial()
                bench.channel.connectFailed(failure, slot: DialSlot(0), at: bench.now, into: &bench.actions)
            }
        }
        let passing = [
            problem { $0.lose() }, problem { $0.say("\u{1}<x>") }, problem { $0.wait(.seconds(76)) },
            problem { $0.lose(.tls(.cutOff)) }, unable(.dial(.unreachable(.refused))), unable(.tls(.stalled)),
        ]
        for problem in passing { #expect(problem?.isPassing == true && problem?.isRefusal == false, "\(passing)") }
        let lasting = [
            problem { $0.lose(.tls(.selfSigned)) }, unable(.tls(.wrongHost)),
            unable(.dial(.unreachable(.tls(.certificateExpired)))),
        ]
        for problem in lasting { #expect(problem?.isPassing == false, "\(lasting)") }
    }

    @Test("the server's goodbye is passing, another client in our place is for a person to settle")
    func theServersGoodbyeIsPassing() {
        var bench = AccountBench.ready()
        bench.say("</stream:stream>")
        #expect(bench.channel.health.problem?.isPassing == true)
        var other = AccountBench.ready()
        other.say("<stream:error><conflict xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error>")
        #expect(other.channel.health.problem?.isRefusal == true)
        let before = other.now.boot
        other.waitForDial()
        #expect(other.now.boot - before >= .minutes(5))
    }

    @Test("only listed people may see the box; who is taken from the list does so no more")
    func onlyListedPeopleMaySeeTheBox() {
        var bench = AccountBench.ready()
        bench.admit("anna@example.com", "bob@example.com", "not an address")
        bench.say("<presence type='subscribe' from='Anna@example.com'/>")
        #expect(bench.take().sent.contains("<presence to=\"anna@example.com\" type=\"subscribed\"/>"))
        bench.say("<presence type='subscribe' from='eve@example.com'/>")
        #expect(bench.take().sent.contains("<presence to=\"eve@example.com\" type=\"unsubscribed\"/>"))
        bench.admit("bob@example.com")
        #expect(bench.take().sent.contains("<presence to=\"anna@example.com\" type=\"unsubscribed\"/>"))
        bench.say("<presence from='bob@example.com/x'/>")
        #expect(bench.take() == [])
    }

    @Test("the status shows an alarm and a lost panel, and who is away only where that is wanted")
    func theStatusShowsAnAlarmAndALostPanel() {
        func shown(_ status: PartitionStatus, link: PanelLinkState = .up, showsArming: Bool) -> String {
            var bench = AccountBench.ready { $0.showsArming = showsArming }
            var state = PanelState(link: link)
            state.withPartition(1) { $0.status = .known(status) }
            let names = SiteNames(partitions: [SiteNames.Named(number: 1, name: "House <1>")])
            let house = HousePicture(state: state, names: names, partitions: [1])
            bench.channel.houseChanged(house, at: bench.now, into: &bench.actions)
            let sent = bench.take().sent
            bench.channel.houseChanged(house, at: bench.now, into: &bench.actions)
            #expect(bench.take() == [])
            return sent.components(separatedBy: "</status>").first?.components(separatedBy: "<status>").last ?? ""
        }
        #expect(shown(.armed(.away), showsArming: false) == "watching")
        #expect(shown(.armed(.away), showsArming: true) == "House &lt;1&gt;: armed")
        #expect(shown(.armed(.stay), showsArming: true) == "House &lt;1&gt;: armed stay")
        #expect(shown(.alarm(.away), showsArming: false) == "ALARM: House &lt;1&gt;")
        #expect(shown(.ready, link: .down, showsArming: true) == "no connection to the alarm panel")
    }

    @Test("addresses are read as RFC 7622 has them", arguments: ["", "@b", "a@", "a b@c", "a@b/", "a@b@c", "a\u{0}@b"])
    func addressesAreReadAsRFC7622HasThem(_ text: String) { #expect(XMPPAddress(text) == nil) }

    @Test("name and domain in lower case, the resource as it is")
    func nameAndDomainInLowerCase() {
        let address = XMPPAddress("Anna@Example.COM/My Phone@home/2")
        #expect(address?.bare == "anna@example.com" && address?.resource == "My Phone@home/2")
        #expect(XMPPAddress("example.com")?.local == "")
    }
}
