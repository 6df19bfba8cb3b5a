import AlarmModel
import ApplianceCore
import PhoneLink
import Simulators
import Testing
import Uplinks

/// A chat server takes a message before the server of its reader has said anything.
@Suite("Messages that chat servers send back")
struct ChatBounceTests {
    private static func alarm(_ bench: inout Bench) -> OutboxState? {
        bench.push.messages.last { $0.event.code == "601" }?.state
    }

    @Test("an alarm that comes back within a minute is sent again one later; when it stays there, that is the end")
    func anAlarmThatComesBackWithinAMinuteIsSentAgainOneLater() {
        var bench = Bench.withChat()
        bench.panel("6011003")
        bench.advance(.seconds(1))
        let count = bench.chat.heard.count
        #expect(Self.alarm(&bench) == .waiting)
        bench.advance(.seconds(58))
        bench.bounce("remote-server-not-found")
        bench.advance(.seconds(59))
        #expect(bench.chat.heard.count == count)
        bench.advance(.seconds(2))
        #expect(bench.chat.heard.count == count + 1)
        #expect(bench.chat.heard.last == bench.chat.heard[count - 1])
        bench.advance(.seconds(50))
        #expect(Self.alarm(&bench) == .waiting)
        bench.advance(.seconds(15))
        #expect(Self.alarm(&bench) == .accepted)
        bench.bounce("remote-server-not-found")
        bench.advance(.minutes(2))
        #expect(bench.chat.heard.count == count + 1)
    }

    @Test("an alarm that comes back before the server has said that it took it has the same minute")
    func anAlarmThatComesBackBeforeTheServerHasSaidThatItTook() {
        var bench = Bench.withChat()
        // No notice that the alarm is accepted by nobody.
        bench.ask(.people(.set(name: "Anna", PersonChange(receives: [.alarm]))), as: 62)
        let count = bench.chat.heard.count
        bench.chat.machine.refusal = "remote-server-timeout"
        bench.panel("6011003")
        bench.advance(.seconds(59))
        #expect(bench.chat.heard.count == count + 1)
        bench.advance(.minutes(6))
        let tries = bench.chat.heard.count - count
        #expect((3...7).contains(tries))
        bench.chat.machine.refusal = nil
        bench.advance(.minutes(3))
        #expect(bench.chat.heard.count == count + tries + 1)
        #expect(Self.alarm(&bench) == .accepted)
    }

    @Test("an alarm that always comes back is sent as long as it may arrive, and ends as what it is")
    func anAlarmThatAlwaysComesBackIsSentAsLongAsItMayArrive() {
        var bench = Bench.withChat()
        // No notice that the alarm is accepted by nobody.
        bench.ask(.people(.set(name: "Anna", PersonChange(receives: [.alarm]))), as: 62)
        bench.panel("6011003")
        bench.advance(.seconds(1))
        let count = bench.chat.heard.count
        for _ in 0..<20 {
            bench.bounce("remote-server-timeout")
            bench.advance(.seconds(61))
        }
        #expect(bench.chat.heard.count == count + 20)
        bench.bounce("not-acceptable")
        bench.advance(.seconds(2))
        #expect(Self.alarm(&bench) == .dead)
        #expect(bench.events(.phoneLost).isEmpty)
    }

    @Test(
        "an alarm that comes back each time goes out as a text message, too; one that stays does not",
        arguments: [true, false])
    func anAlarmThatComesBackEachTimeGoesOutAsATextMessage(comesBack: Bool) {
        var bench = Bench.withChat {
            $0.modem = ModemSettings(subscription: ModemSubscription(apn: "internet"))
            $0.texts = TextAlarmSettings(numbers: ["+431234567"], unless: .taken)
        }
        var status = ModemStatus(name: "Test", phase: .registered, lock: .none)
        status.registration = .home
        bench.feed(.modem(.service(isThere: true)))
        bench.feed(.modem(.modem(status)))
        bench.advance(.seconds(30))
        bench.panel("6011003")
        bench.advance(.seconds(1))
        for _ in 0..<6 {
            if comesBack { bench.bounce("remote-server-timeout") }
            bench.advance(.seconds(61))
        }
        #expect(bench.net.texts.count == (comesBack ? 1 : 0))
    }

    @Test("an account that does not exist is told once, and gets nothing more")
    func anAccountThatDoesNotExistIsToldOnce() {
        var bench = Bench.withChat()
        bench.panel("6011003")
        bench.advance(.seconds(1))
        bench.bounce("item-not-found")
        bench.advance(.seconds(1))
        #expect(Self.alarm(&bench) == .dead)
        #expect(bench.events(.phoneLost).count == 1)
        let count = bench.chat.heard.count
        bench.panel("6011004")
        bench.advance(.minutes(1))
        #expect(bench.chat.heard.count == count)
    }

    @Test("who has seen the alarm by then is not told again; a fault is not kept for coming back")
    func whoHasSeenTheAlarmByThenIsNotToldAgain() {
        var bench = Bench.withChat()
        bench.ask(.phones(.allow(contact: "Chat", [.seen], tellsArming: false)), as: 72)
        bench.panel("6011003")
        bench.advance(.seconds(1))
        bench.say("seen")
        bench.advance(.seconds(2))
        var count = bench.chat.heard.count
        #expect(Self.alarm(&bench) == .seen)
        bench.panel("800")
        bench.advance(.seconds(2))
        #expect(bench.chat.heard.count == count + 1)
        count = bench.chat.heard.count
        bench.bounce("remote-server-not-found")
        bench.advance(.seconds(30))
        #expect(bench.chat.heard.count == count)
    }
}
