import AlarmModel
import ApplianceCore
import PhoneLink
import Simulators
import Testing

/// Orders without a signature: what becomes of them, and who hears of it.
@Suite("The fate of contacts' orders")
struct ContactOutcomeTests {
    /// Anna's account may arm.
    private static func withChat() -> Bench {
        var bench = Bench.withChat()
        bench.ask(.phones(.allow(contact: "Chat", [.arm], tellsArming: false)), as: 82)
        bench.advance(.minutes(1))
        bench.forget()
        return bench
    }

    private static func armLines(_ bench: Bench) -> Int { bench.sent.count { $0.hasPrefix("030") } }

    @Test("whoever pressed a button is told how it ended")
    func whoeverPressedAButtonIsToldHowItEnded() throws {
        var bench = Bench.withTopics { $0.isTopicServerTrusted = true }
        let paired = bench.pairStoreApp(allow: [.disarm])
        let contact = try #require(paired)
        bench.panel("6521", "6011003")
        bench.advance(.seconds(1))
        let button = try #require(bench.topics.published.last?.buttons.first { $0.label == "Disarm" })
        bench.post(button.body, to: contact)
        bench.settle()
        func told() -> [String] {
            bench.topics.published.filter { $0.title.hasSuffix(": outcome") }.map(\.message)
        }
        #expect(told().isEmpty)
        bench.panel("6551")
        bench.advance(.seconds(1))
        #expect(told() == ["disarm partition 1: done"])
    }

    @Test("whoever wrote is told how it ended: done, refused with the reason, or not confirmed")
    func whoeverWroteIsToldHowItEnded() {
        var bench = Self.withChat()
        bench.say("arm")
        bench.panel("6561")
        bench.advance(.seconds(1))
        #expect(bench.chat.heard.last?.contains("arm away partition 1: done") == true)
        bench.panel("6551", "609003", "6511")
        bench.say("arm")
        bench.advance(.seconds(1))
        let refusal = "arm away partition 1: refused: not ready: open zones 3 (Kitchen window)"
        #expect(bench.chat.heard.last?.contains(refusal) == true)
        bench.panel("610003", "6501")
        bench.say("arm")
        bench.advance(.seconds(6))
        #expect(bench.chat.heard.last?.contains("arm away partition 1: not confirmed by the panel") == true)
        #expect(Self.armLines(bench) == 2)
    }

    @Test("cut off between order and outcome: it is not done again, and whoever wrote hears that nobody knows")
    func cutOffBetweenOrderAndOutcome() {
        var bench = Self.withChat()
        bench.say("arm")
        #expect(Self.armLines(bench) == 1)
        var next = bench.restarted()
        next.logIn()
        next.advance(.seconds(10))
        let words = "arm away partition 1: not confirmed, because the daemon was restarted meanwhile"
        #expect(next.chat.heard.count { $0.contains(words) } == 1)
        #expect(Self.armLines(next) == 0)
        // It is told once only.
        var last = next.restarted()
        last.logIn()
        last.advance(.seconds(10))
        #expect(!last.chat.heard.contains { $0.contains("not confirmed") })
    }

    @Test("the same message again after a power cut is no second command, and whoever wrote hears that once")
    func theSameMessageAgainAfterAPowerCutIsNoSecondCommand() {
        var bench = Self.withChat()
        bench.say("status")
        bench.say("arm")
        #expect(Self.armLines(bench) == 1)
        var next = bench.restarted()
        next.logIn()
        next.advance(.seconds(10))
        // The server's numbers begin anew: the first two are those that the box has seen.
        let heard = next.chat.heard.count
        next.say("status")
        #expect(next.chat.heard.count == heard + 1)
        for _ in 1...2 {
            next.say("arm", again: 2)
            next.advance(.seconds(6))
        }
        #expect(Self.armLines(next) == 0)
        #expect(next.chat.heard.count { $0.contains("it is not done twice") } == 1)
        next.say("status")
        next.say("arm")
        #expect(Self.armLines(next) == 1)
    }

    @Test(
        "an order whose row does not reach the disk is not carried out, also not later, and whoever wrote hears why",
        arguments: [false, true])
    func anOrderWhoseRowDoesNotReachTheDiskIsNotCarriedOut(isSilent: Bool) {
        var bench = Self.withChat()
        bench.disk = isSilent ? .silent : .fails(Bench.broken)
        bench.say("arm")
        bench.advance(.seconds(3))
        #expect(Self.armLines(bench) == 0)
        #expect(bench.chat.heard.last?.contains("arm away partition 1: failed") == true)
        bench.disk = .answers
        bench.answerDisk()
        bench.feed(.timer(.clock))
        bench.advance(.minutes(2))
        #expect(Self.armLines(bench) == 0)
        // With a disk that works nothing else is wrong with it.
        bench.say("arm")
        #expect(Self.armLines(bench) == 1)
    }
}
