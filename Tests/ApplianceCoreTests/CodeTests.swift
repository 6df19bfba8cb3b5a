import AlarmModel
import ApplianceCore
import PhoneProtocol
import Testing

/// One-time codes of accounts (docs/pairing.md 10).
@Suite("One-time codes by chat")
struct CodeTests {
    private func changed(_ bench: Bench, _ client: UInt64) -> String {
        for reply in bench.answers(client) {
            switch reply {
            case .changed(let words), .error(let words): return words
            default: continue
            }
        }
        return ""
    }

    @Test("without codes neither disarming nor bypassing can be allowed or done")
    func withoutCodesNeitherDisarmingNorBypassingCanBeAllowedOrDone() {
        var bench = Bench.withChat()
        #expect(bench.push.book?.contacts.count == 1)
        bench.ask(.phones(.allow(contact: "Chat", [.arm, .disarm], tellsArming: false)), as: 82)
        #expect(changed(bench, 82).contains("needs one-time codes"))
        bench.say("disarm 123456")
        #expect(bench.chat.heard.last?.contains("They are set up with key E of the box") == true)
        #expect(bench.disarmLines == 0)
    }

    @Test("codes count once the first one is typed at the box; then a code disarms, in the sender's name")
    func codesCountOnceTheFirstOneIsTypedAtTheBox() throws {
        var bench = Bench.withChat()
        bench.ask(.phones(.codes(person: "anna")), as: 80)
        let secret = bench.shownSecret
        #expect(secret.count == 20)
        #expect(bench.push.vault.codesText?.revealed.hasPrefix("otpauth://totp/Mill:Anna?secret=") == true)
        #expect(bench.answers(80) == [.pairing(.codesReady(validFor: .minutes(10)))])
        // Nothing counts before one code was typed.
        bench.ask(.phones(.allow(contact: "Chat", [.disarm], tellsArming: false)), as: 83)
        #expect(changed(bench, 83).contains("needs one-time codes"))
        let right = bench.code(secret)
        bench.ask(.phones(.confirm(Secret(right == "000000" ? "000001" : "000000"))), as: 84)
        #expect(changed(bench, 84) == "the code is wrong; 4 tries left")
        bench.ask(.phones(.confirm(Secret(right))), as: 85)
        #expect(bench.answers(80).last == .pairing(.codesOn(person: "Anna")))
        #expect(bench.push.vault.codesText == nil)
        bench.ask(.phones(.allow(contact: "Chat", [.disarm, .bypass], tellsArming: false)), as: 86)
        #expect(changed(bench, 86).contains("may now disarm, bypass"))
        // The code of the box's prompt is used up.
        bench.say("disarm \(right)")
        #expect(bench.disarmLines == 0)
        bench.advance(.seconds(30))
        bench.say("disarm \(bench.code(secret))")
        #expect(bench.disarmLines == 1)
        let event = try #require(bench.events(.command).last { $0.type == .command })
        #expect(event.message.contains("Anna (Chat)") && event.userName == "Anna")
        bench.advance(.seconds(30))
        bench.panel("6543", "6552")
        bench.say("bypass \(bench.code(secret)) 3")
        #expect(bench.events(.command).contains { $0.message.contains("bypass zone 3") })
    }

    @Test("a code of the step before or after is taken, a step further not; each once, and none before the last")
    func aCodeOfTheStepBeforeOrAfterIsTaken() {
        var bench = Bench.withChat()
        let secret = bench.setUpCodes()
        for steps: Int64 in [-2, 2, -1, 0, 1] {
            let before = bench.disarmLines
            bench.say("disarm \(bench.code(secret, steps: steps))")
            #expect(bench.disarmLines == before + (abs(steps) == 2 ? 0 : 1), "\(steps)")
            bench.advance(.seconds(1))
        }
        let count = bench.disarmLines
        #expect(count == 3)
        bench.say("disarm \(bench.code(secret))")
        bench.say("disarm \(bench.code(secret, steps: 1))")
        #expect(bench.disarmLines == count)
        #expect(bench.chat.heard.last?.contains("was used before") == true)
    }

    @Test("the same code in two messages disarms once, also while the keeper of the keys is slow")
    func theSameCodeInTwoMessagesDisarmsOnce() {
        var bench = Bench.withChat()
        let secret = bench.setUpCodes()
        bench.push.isVaultSlow = true
        let code = bench.code(secret)
        bench.say("disarm \(code)")
        bench.say("disarm \(code)")
        #expect(bench.disarmLines == 0 && bench.push.waitingJobs.count == 2)
        for input in bench.push.takeAnswers() { bench.feed(input) }
        bench.settle()
        #expect(bench.disarmLines == 1)
    }

    @Test("a used code stays used after a restart, and its step is on the disk before the panel hears of it")
    func aUsedCodeStaysUsedAfterARestart() throws {
        var bench = Bench.withChat()
        let secret = bench.setUpCodes()
        let code = bench.code(secret)
        bench.disk = .silent
        bench.say("disarm \(code)")
        #expect(bench.disarmLines == 0)
        bench.disk = .answers
        bench.answerDisk()
        bench.feed(.timer(.clock))
        bench.advance(.milliseconds(100))
        #expect(bench.disarmLines == 1)
        #expect(bench.push.book?.codes.first?.lastStep == OneTimeCode.step(at: bench.now.wall))
        var next = bench.restarted()
        next.logIn()
        next.advance(.seconds(2))
        next.say("disarm \(code)")
        #expect(next.disarmLines == 0)
        #expect(next.chat.heard.last?.contains("was used before") == true)
        next.advance(.seconds(30))
        next.say("disarm \(next.code(secret))")
        #expect(next.disarmLines == 1)
    }

    @Test("five wrong codes lock the person's codes for 15 minutes, which is told; lifted at the box")
    func fiveWrongCodesLockThePersonsCodesFor15Minutes() {
        var bench = Bench.withChat()
        let secret = bench.setUpCodes()
        func wrong(_ bench: Bench) -> String {
            let near = (-1...1).map { bench.code(secret, steps: Int64($0)) }
            return near.contains("000000") ? "999999" : "000000"
        }
        for number in 1...5 {
            #expect(bench.events(.phoneLocked).isEmpty, "\(number)")
            bench.say("disarm \(wrong(bench))")
            bench.advance(.seconds(5))
        }
        #expect(bench.events(.phoneLocked).count == 1)
        #expect(bench.events(.phoneDenied).count == 5)
        bench.say("disarm \(bench.code(secret))")
        #expect(bench.disarmLines == 0)
        #expect(bench.chat.heard.last?.contains("locked for a while") == true)
        var lifted = bench
        lifted.ask(.phones(.lift(phone: "Chat")), as: 90)
        lifted.say("disarm \(lifted.code(secret))")
        #expect(lifted.disarmLines == 1)
        bench.advance(.minutes(15))
        bench.say("disarm \(bench.code(secret))")
        #expect(bench.disarmLines == 1)
    }

    @Test("without a trusted clock no code is checked, and none can be set up")
    func withoutATrustedClockNoCodeIsChecked() {
        var bench = Bench.withChat()
        let secret = bench.setUpCodes()
        bench.now.isWallTrusted = false
        bench.say("disarm \(bench.code(secret))")
        #expect(bench.disarmLines == 0)
        #expect(bench.chat.heard.last?.contains("clock of the box is not set") == true)
        bench.ask(.phones(.codes(person: "Anna")), as: 91)
        #expect(changed(bench, 91).contains("clock is not set"))
    }

    @Test("codes that are removed take what needs them along, and nothing comes back with new ones")
    func codesThatAreRemovedTakeWhatNeedsThemAlong() {
        var bench = Bench.withChat()
        let secret = bench.setUpCodes()
        #expect(bench.push.codes.count == 1)
        bench.ask(.phones(.codesOff(person: "Chat")), as: 92)
        #expect(changed(bench, 92).contains("were removed"))
        #expect(bench.push.book?.contacts.first?.allowed == [.seen, .status, .log, .arm])
        #expect(bench.push.codes.isEmpty && bench.push.book?.codes == [])
        bench.say("disarm \(bench.code(secret))")
        let fresh = bench.setUpCodes(allow: [.status])
        #expect(fresh != secret)
        bench.say("disarm \(bench.code(fresh))")
        #expect(bench.disarmLines == 0)
        #expect(bench.chat.heard.last?.contains("not allowed") == true)
    }

    @Test("what was shown and not confirmed counts nothing: the old codes stay until then")
    func whatWasShownAndNotConfirmedCountsNothing() {
        var bench = Bench.withChat()
        let secret = bench.setUpCodes()
        bench.ask(.phones(.codes(person: "Anna")), as: 93)
        let other = bench.shownSecret
        bench.advance(.minutes(11))
        #expect(
            bench.answers(93).last
                == .pairing(.ended(why: "the time is over; begin again with 'howalarming phones codes'")))
        bench.say("disarm \(bench.code(other))")
        #expect(bench.disarmLines == 0)
        bench.say("disarm \(bench.code(secret))")
        #expect(bench.disarmLines == 1)
    }

    @Test("secret and codes are in no effect, input, event, state or phone book as they are written down")
    func secretAndCodesAreInNoEffect() throws {
        var bench = Bench.withChat()
        let secret = bench.setUpCodes()
        let code = bench.code(secret)
        bench.say("disarm \(code)")
        #expect(bench.disarmLines == 1)
        var texts = [try JSON.encoding(bench.core).text, "\(bench.core)", "\(bench.push.vault)"]
        texts += try bench.history.map { try JSON.encoding($0).text }
        texts += bench.history.map { "\($0)" }
        texts += try bench.stored.map { try JSON.encoding($0).text }
        let all = texts.joined(separator: "\n")
        for marker in [
            Base32.encode(secret), Base64URL.encode(secret), Hex.encode(secret),
            secret.map(String.init).joined(separator: ","), secret.map(String.init).joined(separator: ", "),
        ] {
            #expect(!all.contains(marker))
        }
        // What Anna typed stands in the bytes that came, and nowhere else.
        #expect(!all.contains("disarm \(code)") && !all.contains("\"\(code)\""))
        #expect(all.contains("Anna"))
    }
}
