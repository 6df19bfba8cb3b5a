import AlarmModel
import Foundation
import PhoneLink
import PhoneProtocol
import Testing

@Suite("Any channel as a value")
struct AnyTransportTests {
    /// One of each.
    private func settings() throws -> [ChannelSettings] {
        let account = try ServiceAccount(parsing: Array(FCMBench.file.utf8))
        let url = try URLTarget("https://hook.test/k", method: .post)
        return [
            .ntfy(NtfySettings(host: "topics.test")),
            .fcm(FCMSettings(account: account, databaseURL: try HTTPURL(FCMBench.databaseText))),
            .ccs(CCSSettings(senderID: "123456789012", apiKey: Secret("key"))),
            .xmpp(XMPPSettings(account: try #require(XMPPAddress("box@xmpp.test")), password: Secret("pencil"))),
            .mqtt(MQTTBench.settings), .mail(.plain()), .url(URLSettings(targets: [url])), .program(ProgramSettings()),
            .beanstalk(BeanstalkSettings()), .webPush(WebPushBench.settings),
            .receiver(ReceiverTransportTests.settings()),
        ]
    }

    @Test("what is made of a channel's settings is that channel, and it acts where it is kept")
    func whatIsMadeOfAChannelsSettingsIsThatWay() throws {
        let all = try settings()
        #expect(all.map(\.kind) == ChannelKind.allCases)
        let now = ChannelBench(ProgramTransport(settings: ProgramSettings(), seed: 1)).now
        for settings in all {
            var carrier = AnyTransport(settings, seed: 1)
            let unborn = carrier
            #expect(carrier.transport.health.phase == .stopped)
            var actions: [TransportAction] = []
            carrier.transport.start(at: now, into: &actions)
            // Alone that started, with what it then wants to do, is the same as the transport by itself.
            var alone = unborn.transport
            var wanted: [TransportAction] = []
            alone.start(at: now, into: &wanted)
            #expect(actions == wanted && carrier != unborn, "\(settings.kind)")
            #expect(carrier.transport.health.phase != .stopped, "\(settings.kind)")
            let copy = try JSONDecoder().decode(AnyTransport.self, from: JSONEncoder().encode(carrier))
            #expect(copy.transport.health == carrier.transport.health && copy.kind == settings.kind)
            carrier.transport.stop(at: now, into: &actions)
            #expect(carrier.transport.health.phase == .stopped && carrier.transport.nextDeadline == nil)
        }
    }

    @Test("a phone and the box can meet where the service lets both write; only a topic server has topics")
    func aPhoneAndTheBoxCanMeetWhereTheServiceLetsBothWrite() throws {
        for settings in try settings() {
            let place: RendezvousPlace? =
                switch settings.kind {
                case .fcm: RendezvousPlace(kind: .database, place: "house-1.firebaseio.com/up/box1")
                case .ccs: RendezvousPlace(kind: .ccsSender, place: "123456789012")
                case .ntfy: RendezvousPlace(kind: .topicServer, place: "topics.test")
                default: nil
                }
            #expect(settings.rendezvous == place, "\(settings.kind)")
            #expect(settings.topicPlace == (settings.kind == .ntfy ? "topics.test" : nil), "\(settings.kind)")
        }
        let account = try ServiceAccount(parsing: Array(FCMBench.file.utf8))
        #expect(ChannelSettings.fcm(FCMSettings(account: account)).rendezvous == nil)
        // A phone has no account there, and what is not encrypted is read by everybody on the way.
        let closed = NtfySettings(host: "topics.test", access: .token(Secret("tk_box")))
        #expect(ChannelSettings.ntfy(closed).rendezvous == nil)
        #expect(ChannelSettings.ntfy(NtfySettings(host: "topics.test", isEncrypted: false)).rendezvous == nil)
    }

    @Test("only an account's server says afterwards that a message did not arrive")
    func onlyAnAccountsServerSaysAfterwardsThatAMessageDidNotArrive() {
        #expect(ChannelKind.allCases.filter(\.mayBounce) == [.xmpp])
        #expect(ChannelKind.allCases.sorted() == ChannelKind.allCases)
    }

    @Test("trouble with a certificate does not pass by itself; a name, a network or a clock may")
    func troubleWithACertificateDoesNotPassByItself() throws {
        let account = try #require(XMPPAddress("box@xmpp.test"))
        func isPassing(_ failure: ConnectFailure) -> Bool? {
            var settings = XMPPSettings(account: account, password: Secret("pencil"))
            (settings.host, settings.isDirectTLS) = ("xmpp.test", true)
            let bench = ChannelBench(XMPPTransport(settings: settings, seed: 1))
            bench.start()
            bench.refuse(failure)
            return bench.actions.lastProblem?.isPassing
        }
        let lasting: [TLSFailure] = [
            .certificateExpired, .certificateNotYetValid, .wrongHost, .selfSigned, .unknownAuthority, .tooWeak("x"),
            .certificateRejected("x"), .protocolError("x"), .noAuthorities("x"),
        ]
        for failure in lasting {
            #expect(isPassing(.tls(failure)) == false, "\(failure)")
            #expect(isPassing(.dial(.unreachable(.tls(failure)))) == false, "\(failure)")
        }
        for failure in [TLSFailure.stalled, .cutOff, .clockDoubtful(WallTime(milliseconds: 0))] {
            #expect(isPassing(.tls(failure)) == true, "\(failure)")
        }
        #expect(isPassing(.dial(.unresolved(.timedOut))) == true)
        #expect(isPassing(.dial(.unreachable(.reset))) == true)
    }
}
