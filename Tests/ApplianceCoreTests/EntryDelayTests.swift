import AlarmModel
import ApplianceCore
import PhoneLink
import PhoneProtocol
import Simulators
import Testing

@Suite("The entry delay, and what else of the panel's news people hear as it happens")
struct EntryDelayTests {
    @Test("a paired phone hears within a second that somebody has come in, though it sleeps")
    func aPairedPhoneHearsThatSomebodyHasComeIn() throws {
        var (bench, phone) = try Bench.paired()
        bench.panel("65210")
        bench.advance(.seconds(5))
        let mark = bench.push.server.pushes.count
        bench.panel("6571")
        bench.advance(.seconds(1))
        let news = try #require(bench.eventsHeard(phone, since: mark).last)
        #expect(news["code"]?.stringValue == "657")
        let push = try #require(bench.push.server.pushes.last)
        #expect(push.json["priority"]?.stringValue == "high")
    }

    @Test("a store app hears of it where arming was chosen for it, with a button to disarm, and else nothing")
    func aStoreAppHearsOfItWhereArmingWasChosen() throws {
        for tellsArming in [false, true] {
            var bench = Bench.withTopics { $0.isTopicServerTrusted = true }
            let paired = bench.pairStoreApp(allow: [.disarm], tellsArming: tellsArming)
            try #require(paired != nil)
            bench.panel("65210")
            bench.advance(.seconds(5))
            let told = bench.topics.published.count
            bench.panel("6571")
            bench.advance(.seconds(1))
            #expect(bench.topics.published.count == told + (tellsArming ? 1 : 0))
            guard tellsArming else { continue }
            let notice = try #require(bench.topics.published.last)
            #expect(notice.title.contains(": Entry delay, "))
            #expect(
                notice.message.hasPrefix("Somebody has come in at ")
                    && notice.message.hasSuffix(". If the partition is not disarmed now, the alarm follows."))
            #expect(notice.buttons.map(\.label) == ["Status", "Disarm"])
            #expect(bench.topics.machine.truth.messages.last?.priority == 4)
        }
    }

    @Test(
        "arming with bypassed zones, automatic arming and the installer's mode are told like arming",
        arguments: [
            ("7021", "Armed with bypassed zones, ", "Armed with bypassed zones"),
            ("6741", "About to arm, ", "about to arm by itself"),
            ("680", "Installer mode", "The panel is in installer mode"),
        ])
    func newsThatIsToldLikeArming(line: String, title: String, text: String) throws {
        var bench = Bench.withTopics()
        let paired = bench.pairStoreApp(tellsArming: true)
        try #require(paired != nil)
        bench.panel(line)
        bench.advance(.seconds(1))
        let notice = try #require(bench.topics.published.last)
        #expect(notice.title.contains(": \(title)"))
        #expect(notice.message.contains(text))
    }

    @Test("it is not sent any more when the delay is over, by 60 s exactly")
    func itIsNotSentWhenTheDelayIsOver() {
        for late in [59, 60] {
            var bench = OutboxBench()
            bench.open(OutboxBench.house(phones: 1))
            bench.post([OutboxBench.event(.info, code: "657")])
            bench.commit()
            bench.pass(late)
            #expect(bench.sendAll().count == (late < 60 ? 1 : 0))
        }
    }
}
