import AlarmModel
import ApplianceCore
import Testing

@testable import SerialConsole

@Suite("orders from the console") struct ConsoleOrderTests {
    private static let armAway = ControlRequest.command(.arm(partition: 1, mode: .away, force: false), code: nil)

    @Test("to arm: the partition, the PIN without echo, the question, the outcome")
    func toArmThePartitionThePINWithoutEchoTheQuestionTheOutcome() {
        var bench = ConsoleBench.up()
        bench.type("a1")
        #expect(bench.text.contains("PIN of the console"))
        #expect(!bench.text.contains("(not shown)"))
        bench.type("1")
        let one = bench.text
        #expect(one.contains("> (not shown)"))
        bench.type("35790")
        // That keys arrive, and not how many.
        #expect(bench.text == one)
        bench.press(.enter)
        #expect(bench.orders == [.console(.unlock(pin: Secret("135790")))])
        bench.told(.unlocked, isUnlocked: true)
        #expect(bench.text.contains("Arm away partition 1 (House)?"))
        // A second Enter is no yes.
        bench.press(.enter)
        #expect(bench.orders.count == 1)
        bench.type("y")
        #expect(bench.orders.last == Self.armAway)
        bench.hear(.outcome(.done, stored: true))
        #expect(bench.text.contains("done: arm away partition 1"))
        bench.press(.enter)
        #expect(bench.session.dialog == nil)
        // Unlocked it stays for a while: only the question.
        bench.type("d2")
        #expect(bench.text.contains("Disarm partition 2"))
        bench.type("n")
        #expect(bench.orders.last == Self.armAway)
        #expect(bench.text.contains("Nothing was done"))
    }

    @Test("without a PIN one is set first, typed twice, and then the order goes on")
    func withoutAPINOneIsSetFirst() {
        var bench = ConsoleBench.up(isPINSet: false)
        bench.type("a1")
        #expect(bench.text.contains("There is no PIN yet"))
        bench.type("12345")
        bench.press(.enter)
        #expect(bench.text.contains("6 to 16 digits"))
        bench.type("135790")
        bench.press(.enter)
        bench.type("135791")
        bench.press(.enter)
        #expect(bench.text.contains("differ"))
        for _ in 0..<2 {
            bench.type("135790")
            bench.press(.enter)
        }
        #expect(bench.orders == [.console(.setPIN(old: nil, new: Secret("135790")))])
        bench.told(.pinSet, isUnlocked: true)
        #expect(bench.text.contains("Arm away partition 1"))
    }

    @Test("a wrong PIN leaves tries, and then a wait")
    func aWrongPINLeavesTries() {
        var bench = ConsoleBench.up()
        bench.type("a1000000")
        bench.press(.enter, .enter)
        #expect(bench.orders.count == 1)
        bench.told(.wrongPIN, triesLeft: 1)
        #expect(bench.text.contains("Wrong PIN. 1 try left."))
        bench.type("000000")
        bench.press(.enter)
        bench.told(.wrongPIN, triesLeft: 0, wait: .minutes(1))
        #expect(bench.text.contains("none is taken for 1 min"))
        bench.press(.enter)
        bench.type("a1")
        #expect(bench.orders.count == 2)
        #expect(bench.text.contains("reset-pin"))
        bench.press(.enter)
        bench.tick(after: .seconds(61))
        bench.type("a1")
        #expect(bench.text.contains("PIN of the console"))
    }

    @Test("Esc leaves every question, and nothing is asked of the daemon")
    func escLeavesEveryQuestion() {
        for keys in ["m", "a", "a1", "a1123", "d", "d1", "p", "pAnna", "c", "t", "r"] {
            var bench = ConsoleBench.up()
            bench.type(keys)
            for _ in 0..<3 { bench.press(.escape) }
            #expect(bench.session.dialog == nil, "\(keys)")
            #expect(bench.orders.isEmpty, "\(keys)")
        }
    }

    @Test("random keys never give an order without the PIN and a yes")
    func randomKeysNeverGiveAnOrderWithoutThePINAndAYes() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<300 {
            var bench = ConsoleBench.up()
            for _ in 0..<60 {
                let byte = UInt8.random(in: 32...126, using: &generator)
                let keys: [ConsoleKey] = [
                    .enter, .up, .down, .left, .right, .escape, .pageUp, .backspace, .redraw, .home, .end,
                    .character(Character(Unicode.Scalar(byte))), .character("y"), .character("a"), .character("1"),
                ]
                bench.press(keys.randomElement(using: &generator) ?? .enter)
                #expect(bench.session.lines.count == 24)
            }
            for order in bench.orders {
                guard case .console = order else {
                    Issue.record("\(order) was ordered")
                    continue
                }
            }
        }
    }

    @Test("the daemon goes away under an order: what may have happened is said")
    func theDaemonGoesAwayUnderAnOrder() {
        var bench = ConsoleBench.up(isUnlocked: true)
        bench.type("a1y")
        #expect(bench.orders == [Self.armAway])
        bench.session.closed(.act, "it closed the connection", into: &bench.actions)
        #expect(bench.words.contains("command may have been"))
        bench.press(.enter)
        bench.type("a1")
        #expect(bench.text.contains("The daemon is away"))
    }

    @Test("a pairing shows its code, takes the digits, and ends with Esc")
    func aPairingShowsItsCode() {
        var bench = ConsoleBench.up(isUnlocked: true)
        bench.type("pAnna Banana")
        bench.press(.enter)
        #expect(bench.text.contains("pairing code for a phone of Anna Banana?"))
        bench.type("y")
        #expect(bench.orders == [.phones(.pair(person: "Anna Banana", roles: nil, noPresence: false))])
        bench.hear(.pairing(.ready(validFor: .minutes(10), roles: [.view, .bypass])), code: Secret("HA2:AAAABBBB"))
        #expect(bench.text.contains("It may view, bypass."))
        #expect(bench.actions.contains(.draw(Secret("HA2:AAAABBBB"))))
        #expect(bench.text.contains("HA2:A-AAABB-BB"))
        bench.hear(.pairing(.heard(phone: "Pixel")))
        #expect(!bench.text.contains("HA2:"))
        bench.type("12345")
        bench.press(.enter)
        #expect(bench.text.contains("not six digits"))
        bench.type("123456")
        bench.press(.enter)
        #expect(bench.orders.last == .phones(.confirm(Secret("123456"))))
        bench.hear(.pairing(.wrongCode(triesLeft: 2)))
        #expect(bench.text.contains("2 tries"))
        bench.press(.escape)
        #expect(bench.orders.last == .phones(.cancelPairing))
        bench.hear(.pairing(.ended(why: "cancelled at the box")))
        #expect(bench.text.contains("cancelled at the box"))
        bench.hear(.changed("the pairing was cancelled"))
        bench.press(.enter)
        #expect(bench.session.dialog == nil)
    }

    @Test("with an app the console draws a link to it, and shows a passkey's page before the digits are typed")
    func withAnAppTheConsoleDrawsALinkToIt() throws {
        var bench = ConsoleBench.up(isUnlocked: true)
        bench.type("pAnna")
        bench.press(.enter)
        bench.type("y")
        let app = "https://alarm.example.org/app/"
        bench.hear(.pairing(.ready(validFor: .minutes(10), app: app)), code: Secret("HA2:AAAABBBB"))
        #expect(bench.actions.contains(.draw(Secret("HA2:AAAABBBB"), link: Secret(app + "#HA2:AAAABBBB"))))
        let place = try #require(PasskeyPlace(relyingParty: "example.org", origin: "https://alarm.example.org"))
        bench.hear(.pairing(.heard(phone: "Firefox", passkey: place)))
        #expect(bench.text.contains("https://alarm.example.org") && bench.text.contains("RP ID example.org"))
    }

    @Test("whoever unplugs leaves no code, no question and no open lock behind")
    func whoeverUnplugsLeavesNoCode() {
        var bench = ConsoleBench(mayQuit: false)
        bench.told(.state, isUnlocked: true)
        for channel in [ConsoleSession.Channel.look, .feed, .act] { bench.open(channel) }
        bench.session.view.status = ConsoleBench.report()
        bench.type("pAnna")
        bench.press(.enter, .character("y"))
        bench.hear(.pairing(.ready(validFor: .minutes(10))), code: Secret("HA2:AAAABBBB"))
        bench.session.left(into: &bench.actions)
        #expect(bench.session.dialog == nil)
        #expect(bench.orders.last == .phones(.cancelPairing))
        #expect(bench.actions.last == .connect(.act))
    }

    @Test("after five minutes without a key the overview is shown and the console locked")
    func afterFiveMinutesWithoutAKeyTheOverviewIsShownAndTheConsole() {
        var bench = ConsoleBench.up(isUnlocked: true)
        bench.type("2a")
        bench.tick(after: .minutes(5))
        #expect(bench.session.dialog == nil && bench.session.screen == .overview)
        #expect(bench.orders.contains(.console(.lock)))
    }

    @Test("a daemon that stops answering is away after ten seconds, and asked anew")
    func aDaemonThatStopsAnsweringIsAwayAfterTenSeconds() {
        var bench = ConsoleBench.up()
        for _ in 0..<12 { bench.tick() }
        #expect(bench.text.contains("DAEMON AWAY"))
        #expect(bench.actions.contains(.connect(.look)))
    }

    @Test("a console that owns its line cannot be quit")
    func aConsoleThatOwnsItsLineCannotBeQuit() {
        var bench = ConsoleBench(mayQuit: false)
        bench.press(.interrupt, .character("q"))
        #expect(!bench.actions.contains(.quit))
        var other = ConsoleBench(mayQuit: true)
        other.type("q")
        #expect(other.actions.contains(.quit))
    }
}
