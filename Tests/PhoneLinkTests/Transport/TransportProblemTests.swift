import AlarmModel
import PhoneLink
import Testing

@Suite("What is wrong with a channel")
struct TransportProblemTests {
    @Test("a problem is the same in other words, and another one at another place or of another kind")
    func aProblemIsTheSameInOtherWords() {
        let problem = TransportProblem(.loginRefused, "it says: no", isRefusal: true)
        #expect(problem.isSame(as: TransportProblem(.loginRefused, "it says: never")))
        #expect(problem.isSame(as: problem.inward))
        #expect(!problem.isSame(as: TransportProblem(.wantsLogin, "it says: no", isRefusal: true)))
        let here = TransportProblem(.answered(500), of: "https://a.test", "x")
        #expect(!here.isSame(as: TransportProblem(.answered(500), of: "https://b.test", "x")))
        #expect(!here.isSame(as: TransportProblem(.answered(503), of: "https://a.test", "x")))
        #expect(here.description == "x" && "\(here)" == "x")
    }

    @Test("what comes in alone is told at once only if a person can change it")
    func whatComesInAloneIsToldAtOnceOnlyIfAPersonCanChangeIt() {
        for isPassing in [false, true] {
            #expect(TransportProblem(.silent, "x", isPassing: isPassing).inward.isPassing)
            #expect(!TransportProblem(.forbidden, "x", isRefusal: true, isPassing: isPassing).inward.isPassing)
        }
        #expect(TransportProblem(.silent, "x").inward.isInward && !TransportProblem(.silent, "x").isInward)
    }

    @Test("why no connection came about is of one kind, whatever the network says about it")
    func whyNoConnectionCameAboutIsOfOneKind() throws {
        func kind(_ failure: ConnectFailure) -> TransportProblem.Kind? {
            let bench = ChannelBench(MailTransport(settings: .plain(), seed: 1))
            bench.start()
            bench.refuse(failure)
            return bench.actions.lastProblem?.kind
        }
        #expect(kind(.dial(.unreachable(.refused))) == .unreachable)
        #expect(kind(.dial(.unreachable(.timedOut))) == .unreachable)
        #expect(kind(.dial(.unresolved(.timedOut))) == .unresolved)
        #expect(kind(.tls(.wrongHost)) == .tls(.wrongHost))
        #expect(kind(.dial(.unreachable(.tls(.wrongHost)))) == .tls(.wrongHost))
    }
}
