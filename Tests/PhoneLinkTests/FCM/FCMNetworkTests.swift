import AlarmModel
import PhoneLink
import PhoneProtocol
import Testing

@Suite("FCM and the network")
struct FCMNetworkTests {
    @Test("another network opens the stream of the database anew, and removes at once what waited for that")
    func anotherNetworkOpensTheStreamOfTheDatabaseAnew() throws {
        var bench = try FCMDatabaseTests.open()
        bench.event("put", #"{"path":"/k1","data":\#(FCMDatabaseTests.hello)}"#)
        guard case .inbound(let message)? = bench.told1 else {
            Issue.record("a message")
            return
        }
        bench.transport.acknowledge(message, at: bench.now, into: &bench.actions)
        bench.refuse(FCMBench.removal)
        bench.forget()
        bench.transport.networkChanged(at: bench.now, into: &bench.actions)
        #expect(bench.dials(FCMBench.stream) == 1 && bench.dials(FCMBench.removal) == 1)
        bench.connect(FCMBench.stream)
        #expect(bench.requests(FCMBench.stream).last?.field("Authorization") == "Bearer TOKEN1")
        #expect(bench.transport.health.problem == nil)
    }

    @Test("a stream that waits for its time after its token was taken back is opened at once on another network")
    func aStreamThatWaitsForItsTimeAfterItsTokenWasTakenBack() throws {
        var bench = try FCMDatabaseTests.open()
        for number in 1...6 {
            bench.event("auth_revoked", "null")
            bench.signIn(token: "TOKEN\(number)")
            if number < 6 {
                bench.wait(.seconds(60))
                bench.connect(FCMBench.stream)
                bench.openStream()
            }
        }
        #expect(bench.connection(FCMBench.stream) == nil)
        bench.forget()
        bench.transport.networkChanged(at: bench.now, into: &bench.actions)
        #expect(bench.dials(FCMBench.stream) == 1)
    }

    @Test("a connection that nobody wants is closed", arguments: [true, false])
    func aConnectionThatNobodyWantsIsClosed(hasDatabase: Bool) throws {
        var bench = try FCMBench.ready(hasDatabase: hasDatabase)
        bench.transport.connected(ConnectionID(99), slot: DialSlot(7), at: bench.now, into: &bench.actions)
        #expect(bench.actions == [.close(ConnectionID(99))])
    }

    @Test("an answer that is no signature is a fault of the sign-in with words, and it is tried again")
    func anAnswerThatIsNoSignatureIsAFaultOfTheSignInWithWords() throws {
        var bench = try FCMBench()
        bench.start()
        bench.sign(.capabilities([]))
        #expect(
            bench.lastProblem?.description.contains("the signature is none; this is a fault of this program") == true)
        #expect(bench.transport.health.phase == .waiting)
        bench.forget()
        bench.wait(.minutes(5))
        #expect(bench.jobs.count == 1)
    }
}
