import AlarmModel
import PhoneLink
import Testing

@Suite("The session of an account")
struct AccountSessionTests {
    @Test("a server that offers to manage the stream and then cannot is used without that")
    func aServerThatOffersToManageTheStreamAndThenCannotIsUsed() {
        var bench = AccountBench()
        bench.start()
        bench.connect(Array(Account.login.dropLast()) + ["<failed xmlns='urn:xmpp:sm:3'/>"])
        #expect(bench.take().contains(.ready))
        bench.deliver("b-1")
        #expect(!bench.take().sent.contains("urn:xmpp:sm:3"))
        // Nothing is left of it, so nothing can be resumed.
        bench.lose()
        #expect(bench.take().returnedIDs == ["b-1"])
    }

    @Test(
        "an answer of the management that makes no sense ends the connection, and its words tell which",
        arguments: ["<a xmlns='urn:xmpp:sm:3'/>", "<a xmlns='urn:xmpp:sm:3' h='-1'/>"])
    func anAnswerOfTheManagementThatMakesNoSenseEndsTheConnection(_ answer: String) {
        var bench = AccountBench.ready()
        bench.say(answer)
        #expect(bench.actions.problemWords.last?.contains("unexpected (a without h); we connect again") == true)
        #expect(bench.take().closes == 1)
    }

    @Test("what is no answer to a resumption ends the attempt, and the messages are kept for the next")
    func whatIsNoAnswerToAResumptionEndsTheAttempt() {
        var bench = AccountBench.ready()
        bench.deliver("b-1")
        bench.lose()
        bench.waitForDial()
        bench.connect(Array(Account.login.prefix(2)) + [Account.header + Account.features])
        #expect(bench.take().sent.contains("<resume "))
        bench.say("<enabled xmlns='urn:xmpp:sm:3'/>")
        #expect(bench.actions.problemWords.last?.contains("unexpected (enabled)") == true)
        #expect(bench.take().returnedIDs.isEmpty && bench.channel.health.underWay == 1)
    }

    @Test("why a server ends the stream is told with its condition and its words, without our secrets")
    func whyAServerEndsTheStreamIsToldWithItsConditionAndItsWords() {
        var bench = AccountBench.ready()
        bench.say(
            "<stream:error><system-shutdown xmlns='urn:ietf:params:xml:ns:xmpp-streams'/>"
                + "<text xmlns='urn:ietf:params:xml:ns:xmpp-streams'>pencil out</text></stream:error>")
        let words = "the XMPP server ended the connection (system-shutdown) (it says: **** out); we connect again"
        #expect(bench.actions.problemWords == [words])
    }

    @Test("an alarm cuts the wait for the next attempt to 5 s, one after a refusal, too")
    func anAlarmCutsTheWaitForTheNextAttemptTo5S() {
        var bench = AccountBench()
        bench.start()
        bench.connect([Account.header + Account.mechanisms(["PLAIN"])])
        bench.say(
            "<failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><not-authorized/></failure>")
        #expect(bench.channel.nextDeadline == bench.now.boot + .minutes(5))
        bench.channel.setUrgent(true, at: bench.now)
        #expect(bench.channel.nextDeadline == bench.now.boot + .seconds(5))
    }

    @Test("a server of messages that refuses the session says why")
    func aServerOfMessagesThatRefusesTheSessionSaysWhy() {
        var bench = Bench()
        bench.start()
        let id = bench.connect()
        for piece in Server.login.prefix(4) { bench.say(piece, on: id) }
        bench.say(
            "<iq id='s1' type='error'><error type='wait'>"
                + "<resource-constraint xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>", on: id)
        #expect(bench.link.health.problem?.kind == .loginFailed)
        #expect(bench.link.health.phase == .waiting)
    }
}
