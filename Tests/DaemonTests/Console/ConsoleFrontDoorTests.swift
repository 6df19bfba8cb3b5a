import AlarmModel
import ApplianceCore
import PhoneLink
import Platform
import Testing

@testable import SerialConsole

/// What an owner reaches at the console, who has no shell.
@Suite("the console as the box's front door")
struct ConsoleFrontDoorTests {
    static func bench(channels: [String]) -> ConsoleBench {
        var bench = ConsoleBench.up(isUnlocked: true)
        bench.session.view.status?.phones?.channels = channels.map {
            .init(kind: $0, phase: .ready, problem: nil, lastAccepted: nil, waiting: 0)
        }
        return bench
    }

    @Test("a store app is paired: topic, six digits, and the end names a key, no command")
    func aStoreAppIsPaired() {
        var bench = Self.bench(channels: ["ntfy"])
        bench.type("pAnna")
        bench.press(.enter)
        #expect(bench.text.contains("Pair the app ntfy for Anna?"))
        bench.type("y")
        let request = ContactRequest(
            kind: .topic, person: "Anna", name: "Anna ntfy", value: "", allowed: [], tellsArming: false)
        #expect(bench.orders == [.phones(.pairContact(request))])
        bench.hear(.pairing(.subscribe(topic: "ntfy.sh/abcdefghijklmnop")))
        #expect(bench.actions.contains(.draw(Secret("ntfy://ntfy.sh/abcdefghijklmnop"))))
        #expect(bench.text.contains("abcdefghijklmnop") && bench.text.contains("Digits: ______"))
        bench.type("123456")
        bench.press(.enter)
        #expect(bench.orders.last == .phones(.confirm(Secret("123456"))))
        bench.hear(.pairing(.paired(phone: "ntfy.sh/abc", name: "Anna ntfy")))
        #expect(bench.words.contains("paired: 'Anna ntfy'") && bench.words.contains("try it with key T"))
        #expect(!bench.words.contains("howalarming phones"))
    }

    @Test("with several ways it is asked which app is on the phone, and an account is typed")
    func withSeveralWaysItIsAsked() {
        var bench = Self.bench(channels: ["ntfy", "xmpp", "fcm", "mqtt"])
        bench.type("p")
        #expect(bench.text.contains("1  ntfy, from the app store") && bench.text.contains("3  The HowAlarming app"))
        bench.type("2Ben")
        bench.press(.enter)
        bench.type("ben")
        bench.press(.enter)
        #expect(bench.words.contains("An account has the form name@server."))
        bench.type("ben@chat.example")
        bench.press(.enter)
        bench.type("y")
        let request = ContactRequest(
            kind: .xmpp, person: "Ben", name: "Ben chat", value: "ben@chat.example", allowed: [], tellsArming: false)
        #expect(bench.orders == [.phones(.pairContact(request))])
    }

    @Test("one-time codes are set up: the secret as a picture, six digits, and then they count")
    func oneTimeCodesAreSetUp() {
        var bench = Self.bench(channels: ["xmpp"])
        bench.type("e15")
        #expect(bench.words.contains("Set up one-time codes for Anna?"))
        bench.type("y")
        #expect(bench.orders == [.phones(.codes(person: "Anna"))])
        let secret = Secret("otpauth://totp/House:Anna?secret=JBSWY3DPEHPK3PXP&issuer=House")
        bench.hear(.pairing(.codesReady(validFor: .minutes(10))), code: secret)
        #expect(bench.actions.contains(.draw(secret)))
        #expect(bench.text.contains("Digits: ______"))
        bench.type("123456")
        bench.press(.enter)
        #expect(bench.orders.last == .phones(.confirm(Secret("123456"))))
        bench.hear(.pairing(.codesOn(person: "Anna")))
        #expect(!bench.text.contains("JBSWY3DPEHPK3PXP") && !bench.words.contains("howalarming phones"))
    }

    @Test("one-time codes that nobody waits for any more are called off")
    func oneTimeCodesThatNobodyWaitsForAreCalledOff() {
        var bench = Self.bench(channels: ["xmpp"])
        bench.type("e15y")
        bench.press(.escape)
        bench.hear(.pairing(.codesReady(validFor: .minutes(10))), code: Secret("otpauth://x"))
        #expect(bench.orders.last == .phones(.cancelPairing))
    }

    @Test("an original app that asks is let in with F, and shut out again")
    func anOriginalAppThatAsksIsLetIn() {
        var bench = Self.bench(channels: ["ccs"])
        let token = "fV1x-token-of-an-original-app"
        bench.session.view.status?.phones?.pendingTokens = [token]
        bench.type("f")
        #expect(bench.text.contains("original app fV1x-token-o… asks: let it in"))
        bench.type("1")
        #expect(bench.words.contains("All of it is in clear"))
        bench.type("y")
        #expect(bench.orders == [.phones(.approve(token: token, [.ping, .status, .arm]))])
        bench.hear(.changed("An original app may now ping, status, arm."))
        #expect(bench.words.contains("may now ping"))
        bench.press(.enter)
        bench.session.view.status?.phones?.pendingTokens = []
        bench.session.view.status?.phones?.entries = [
            .init(
                id: "fV1x-token-o", name: "original app", person: nil, level: .legacy, roles: ["arm"])
        ]
        bench.type("f1y")
        #expect(bench.orders.last == .phones(.disapprove(token: "fV1x-token-o")))
    }

    @Test("where no channel is configured it says what to write where")
    func whereNoWayIsConfigured() {
        var bench = Self.bench(channels: ["mqtt", "mail"])
        bench.type("p")
        #expect(bench.words.contains("Write 'ntfy:' into howalarming.yaml on the card"))
        #expect(bench.orders.isEmpty)
    }

    @Test(
        "each thing that an owner does is reached by keys, after the PIN and a question",
        arguments: [
            ("f1v", ControlRequest.phones(.revoke(phone: "0000000000000001")), "REVOKE"),
            ("f1r2", .phones(.role(phone: "0000000000000001", [.view, .arm])), "may"),
            ("f1t", .phones(.test(phone: "0000000000000001")), "Test notice"),
            ("f1l", .phones(.lift(phone: "0000000000000001")), "lock"),
            ("e12", .people(.set(name: "Anna", PersonChange(language: "de"))), "Deutsch"),
            ("e13", .people(.set(name: "Anna", PersonChange(isDuressContact: true))), "duress"),
            ("o", .maintenance(on: false), ""), ("n", .phones(.seen), ""), ("x", .phones(.testAlarm(phone: nil)), ""),
            ("t", .phones(.test(phone: nil)), ""),
            // Every third window of this house is open, and comes first.
            ("z1", .command(.bypass(zone: 3, bypassed: true), code: nil), "Zones: bypass"),
        ])
    func eachThingIsReachedByKeys(keys: String, request: ControlRequest, seen: String) {
        var bench = Self.bench(channels: ["ntfy"])
        bench.type(String(keys.dropLast()))
        if !seen.isEmpty { #expect(bench.text.contains(seen)) }
        bench.type(String(keys.suffix(1)))
        #expect(bench.orders.isEmpty && bench.text.contains("y  yes"))
        bench.type("y")
        #expect(bench.orders == [request])
        var locked = ConsoleBench.up()
        locked.type(keys + "y")
        #expect(locked.orders.isEmpty)
    }

    @Test("a zone that has no key in the list is typed, and a wrong number is asked for again")
    func aZoneThatHasNoKeyIsTyped() {
        var bench = Self.bench(channels: ["ntfy"])
        bench.type("zz65")
        bench.press(.enter)
        #expect(bench.text.contains("A zone has a number from 1 to 64."))
        bench.type("64")
        bench.press(.enter)
        bench.type("y")
        #expect(bench.orders == [.command(.bypass(zone: 64, bypassed: true), code: nil)])
    }

    @Test("of a list that is longer than the screen, what is chosen stays in sight")
    func whatIsChosenStaysInSight() {
        var bench = Self.bench(channels: ["ntfy"])
        bench.session.size = Terminal.Size(columns: 40, rows: 12)
        bench.type("m")
        let last = bench.session.menu.items.count - 1
        for _ in 0..<last { bench.press(.down) }
        let shown = bench.session.lines.filter { $0.pieces.first?.style == .bar }.map(\.text)
        #expect(shown.contains { $0.contains(bench.session.menu.items[last].label.prefix(20)) }, "\(shown)")
        #expect(bench.session.lines.count == 12)
    }

    @Test("an alarm stands in a line of its own on every screen, and the bell sounds once")
    func anAlarmStandsOnEveryScreen() {
        var bench = Self.bench(channels: ["ntfy"])
        bench.session.view.status?.panel.withPartition(1) {
            $0.name = "Ground floor"
            $0.status = .known(.alarm(.away))
            $0.incident = Incident(
                since: WallTime(milliseconds: 0), isSinceTrusted: false, wasArmed: true, zones: [3])
        }
        for screen in ConsoleScreen.allCases {
            bench.session.open(screen, into: &bench.actions)
            let lines = bench.session.lines
            #expect(lines.count == 24 && lines[1].text.hasPrefix("ALARM Ground floor: 3 Window 3"), "\(screen)")
        }
        #expect(!bench.actions.contains(.bell))
        var event = ConsoleBench.events(1, from: 5000)[0]
        event.event.type = .alarm
        bench.session.heard(.events([event]), code: nil, on: .feed, into: &bench.actions)
        #expect(bench.actions.filter { $0 == .bell }.count == 1)
    }

    @Test("that nobody has been told stands on every screen: since when, who, why, what happens next")
    func thatNobodyHasBeenToldStandsOnEveryScreen() {
        var bench = Self.bench(channels: ["ntfy"])
        bench.session.view.status?.phones?.untold = PhonesReport.Untold(
            since: bench.session.view.now.wall, alarms: 2, names: ["Anna ntfy"], isNobodyTold: true,
            nextTry: .seconds(5), why: "ntfy: the server refuses the connection")
        let words = bench.session.banner.map(\.text).joined(separator: " ")
        #expect(words.contains("NOBODY HAS BEEN TOLD. ntfy: the server refuses the connection."))
        #expect(words.contains("2 alarms wait; next try in 5 s"))
        bench.session.view.status?.phones?.untold?.isNobodyTold = false
        #expect(bench.session.banner.contains { $0.text.contains("NOT TOLD: Anna ntfy") })
    }

    @Test("how an order ended, and what every page tells, names a key or a screen and no command")
    func howAnOrderEndedNamesAScreen() {
        var bench = Self.bench(channels: ["ntfy"])
        func order(_ outcome: Outcome) -> String {
            bench.type("a1y")
            bench.hear(.outcome(outcome, stored: true))
            defer { bench.press(.enter) }
            return bench.words
        }
        #expect(order(.notConfirmed).contains("look with screen 1"))
        #expect(order(.refused(.notReady(openZones: [3]))).contains("close them, or bypass them with key Z"))
        var updates = UpdatesReport(place: "updates.example.org", isAtNight: false)
        updates.offered = "1.1.0"
        bench.session.view.status?.updates = updates
        let software = SoftwareScreen(view: bench.session.view, width: 80).lines.map(\.text).joined(separator: " ")
        #expect(software.contains("version 1.1.0 can be installed: key U"))
        bench.session.view.selfTest = ["FAILED  phones  nobody is paired; 'howalarming phones pair' pairs one"]
        let selfTest = SelfTestScreen(view: bench.session.view, width: 80).lines.map(\.text)
        #expect(selfTest == ["FAILED  phones  nobody is paired; key P pairs one"])
    }

    @Test("every hint of the daemon that names a command names a key or a screen at the console")
    func everyHintNamesAKey() {
        let cases = [
            ("begin again with 'howalarming phones pair'", "begin again with key P"),
            ("the storage failed. See 'howalarming status'", "the storage failed. See screen 1"),
            (
                "For the app ntfy from a store: 'howalarming phones pair --ntfy'",
                "For the app ntfy from a store: key P"
            ),
            ("revoke it first with 'howalarming phones revoke'", "revoke it first with key F"),
            ("nothing of the kind", "nothing of the kind"),
            ("'howalarming unheard of' it says", "'howalarming unheard of' it says"),
        ]
        for (text, wanted) in cases { #expect(ConsoleHint.translated(text) == wanted) }
        for hint in Hint.allCases {
            #expect(ConsoleHint.translated("a; \(hint), b, \(hint.with("X 1")).") == "a; \(hint.key), b, \(hint.key).")
        }
    }
}
