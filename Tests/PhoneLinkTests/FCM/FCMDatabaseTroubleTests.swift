import AlarmModel
import PhoneLink
import PhoneProtocol
import Testing

@Suite("FCM: trouble with the database")
struct FCMDatabaseTroubleTests {
    /// A message was dealt with, and its removal is answered like this.
    private func answerRemoval(_ bench: inout FCMBench, _ status: Int, _ body: String = "") {
        bench.connect(FCMBench.removal)
        bench.answer(FCMBench.removal, status, body)
    }

    @Test(
        "of a change that is cut off, the first key is read, and nothing else is taken for one",
        arguments: [
            (#"{"path":"/","data":{"k1":{"a":"x"#, DatabaseChange.CutChange.first("k1")),
            (#"{"path":"/k1","data":{"a":"x"#, .child("k1")), (#"{"path":"/k1/a","data":"x"#, .child("k1")),
            (#"{ "path" : "/" , "data" : { "-0 a\u00e9\"" : 1"#, .first("-0 a\u{E9}\"")),
            (#"{"path":"/","data":{"k1"#, nil), (#"{"path":"/","data":{"a/b":"#, nil),
            (#"{"path":"/","data":"k1":"#, nil), (#"{"data":{"k1":{},"path":"/"#, nil), ("", nil),
        ])
    func ofAChangeThatIsCutOffTheFirstKeyIsRead(beginning: String, change: DatabaseChange.CutChange?) {
        #expect(DatabaseChange.cut(beginning) == change)
        for count in 0..<beginning.utf8.count {
            let cut = DatabaseChange.cut(String(decoding: Array(beginning.utf8).prefix(count), as: UTF8.self))
            #expect(cut == nil || cut == change)
        }
    }

    @Test("a box that may read and not remove is a matter for a person, until a removal goes well")
    func aBoxThatMayReadAndNotRemoveIsAMatterForAPerson() throws {
        var bench = try FCMDatabaseTests.open()
        bench.event("put", #"{"path":"/k1","data":\#(FCMDatabaseTests.hello)}"#)
        guard case .inbound(let message)? = bench.told1 else { return }
        bench.transport.acknowledge(message, at: bench.now, into: &bench.actions)
        answerRemoval(&bench, 403, #"{"error":"Permission denied"}"#)
        let problem = try #require(bench.lastProblem)
        #expect(problem.isRefusal && problem.isInward && problem.description.contains("not remove it (status 403"))
        #expect(bench.jobs.isEmpty && bench.transport.health.isHealthy)
        // A new stream says nothing about removing.
        bench.lost(FCMBench.stream)
        bench.wait(.seconds(2))
        bench.connect(FCMBench.stream)
        bench.openStream()
        #expect(bench.lastProblem == problem)
        answerRemoval(&bench, 204)
        #expect(bench.told.last == .problem(nil))
    }

    @Test("a removal that the token is not good for gets another one, once; then it is a matter of rights")
    func aRemovalThatTheTokenIsNotGoodForGetsAnotherOne() throws {
        var bench = try FCMDatabaseTests.open()
        bench.event("put", #"{"path":"/","data":{"k1":\#(FCMDatabaseTests.hello),"k2":\#(FCMDatabaseTests.hello)}}"#)
        for case .inbound(let message) in bench.told {
            bench.transport.acknowledge(message, at: bench.now, into: &bench.actions)
        }
        // Both were asked for with the first token.
        answerRemoval(&bench, 401)
        answerRemoval(&bench, 401)
        #expect(bench.jobs.count == 1 && bench.lastProblem == nil)
        bench.signIn(token: "TOKEN2")
        bench.wait(.seconds(3))
        bench.connect(FCMBench.removal)
        #expect(bench.requests(FCMBench.removal).last?.field("Authorization") == "Bearer TOKEN2")
        answerRemoval(&bench, 401)
        #expect(bench.lastProblem?.description.contains("not remove it (status 401") == true)
        #expect(bench.jobs.count == 1)
    }

    @Test("what the database says against the token takes it from no message while there is no other to be had")
    func whatTheDatabaseSaysAgainstTheTokenTakesItFromNoMessage() throws {
        var bench = try FCMDatabaseTests.open()
        // Until the token is to be renewed.
        for _ in 0..<96 {
            bench.wait(.seconds(30))
            bench.event("keep-alive", "null")
        }
        bench.sign(.failed("the private key cannot be read"))
        bench.event("put", #"{"path":"/k1","data":\#(FCMDatabaseTests.hello)}"#)
        guard case .inbound(let message)? = bench.told.last else { return }
        bench.transport.acknowledge(message, at: bench.now, into: &bench.actions)
        answerRemoval(&bench, 401)
        #expect(bench.transport.health.phase == .ready)
        bench.deliver("m1")
        bench.expectTaken(true)
    }

    @Test("while an alarm waits, the next look at the database comes within 5 s")
    func whileAnAlarmWaits() throws {
        var bench = try FCMBench.ready(hasDatabase: true)
        bench.answer(FCMBench.stream, 404)
        bench.forget()
        bench.transport.setUrgent(true, at: bench.now)
        bench.wait(.seconds(5))
        #expect(bench.dials(FCMBench.stream) == 1)
    }

    @Test("a change of a message's parts is the whole of it only where nothing was before")
    func aChangeOfAMessagesPartsIsTheWholeOfItOnlyWhereNothing() throws {
        var bench = try FCMDatabaseTests.open()
        bench.event("patch", #"{"path":"/k1","data":\#(FCMDatabaseTests.hello)}"#)
        bench.event("patch", #"{"path":"/k1","data":{"e":"BBBB"}}"#)
        #expect(bench.inboundIDs == ["k1"])
        bench.event("put", FCMDatabaseTests.flood(400))
        bench.wait(.seconds(12))
        let inbound = bench.actions.compactMap { if case .inbound(let message) = $0 { message } else { nil } }
        for message in inbound.prefix(5) {
            bench.transport.acknowledge(message, at: bench.now, into: &bench.actions)
        }
        bench.connect(FCMBench.removal)
        for _ in 0..<5 { bench.answer(FCMBench.removal, 204) }
        // It is among those for which there was no room.
        bench.event("patch", #"{"path":"/k399","data":{"e":"BBBB"}}"#)
        bench.wait(.seconds(2))
        #expect(!bench.inboundIDs.contains("k399"))
    }
}
