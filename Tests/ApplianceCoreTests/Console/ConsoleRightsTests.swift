import AlarmModel
import ApplianceCore
import PhoneProtocol
import Testing

@Suite("what a console may do") struct ConsoleRightsTests {
    private static let locked = ControlReply.error("the console is locked: give its PIN first")
    private static let changes: [ControlRequest] = [
        .command(.arm(partition: 1, mode: .away, force: false), code: nil),
        .command(.disarm(partition: 1), code: Secret("1234")), .command(.refresh, code: nil),
        .maintenance(on: true), .people(.add(name: "Eve", PersonChange())), .people(.remove(name: "Anna")),
        .phones(.pair(person: "Eve", roles: [], noPresence: false)), .phones(.confirm(Secret("123456"))),
        .phones(.cancelPairing), .phones(.role(phone: "x", [])), .phones(.revoke(phone: "x")),
        .phones(.test(phone: nil)), .phones(.seen), .reboot,
        .phones(.approve(token: "12345678", [])),
    ]

    @Test("a locked console changes nothing", arguments: changes)
    func aLockedConsoleChangesNothing(request: ControlRequest) {
        var bench = Bench.withConsole()
        bench.ask(request)
        #expect(bench.answers() == [Self.locked])
        #expect(bench.batches.isEmpty || bench.batches.allSatisfy { $0.ledger.isEmpty && $0.phoneBook == nil })
    }

    @Test("it may look")
    func itMayLook() {
        let looking: [ControlRequest] = [
            .status, .panel, .maintenance(on: nil), .people(.list), .phones(.list), .console(.state),
            .events(EventQuery(), follow: false), .phones(.dead(limit: 5)),
        ]
        for request in looking {
            var bench = Bench.withConsole()
            bench.ask(request)
            #expect(!bench.answers().contains(Self.locked), "\(request)")
            #expect(!bench.answers().isEmpty || !bench.history.isEmpty)
        }
    }

    @Test("unlocked it acts, on this connection only, until it says lock or five minutes pass without a change")
    func unlockedItActsOnThisConnectionOnlyUntilItSaysLockOrFive() {
        let arm = ControlRequest.command(.refresh, code: nil)
        var bench = Bench.withConsole()
        bench.ask(.console(.begin), as: 2)
        #expect(bench.unlock() == .unlocked)
        bench.ask(arm, as: 2)
        #expect(bench.answers(2).last == Self.locked)
        bench.advance(.minutes(4))
        bench.ask(.maintenance(on: true))
        #expect(bench.answers().last == .maintenance(true))
        bench.advance(.minutes(4))
        bench.ask(.maintenance(on: false))
        #expect(bench.answers().last == .maintenance(false))
        bench.advance(.minutes(4))
        // Looking keeps nothing open.
        bench.ask(.status)
        bench.advance(.minutes(1))
        bench.ask(.maintenance(on: true))
        #expect(bench.answers().last == Self.locked)
        #expect(bench.unlock() == .unlocked)
        #expect(bench.console(.lock)?.isUnlocked == false)
        bench.ask(.maintenance(on: true))
        #expect(bench.answers().last == Self.locked)
    }

    @Test("a pairing may take longer than the console stays open: it is steered without the PIN, by that console alone")
    func aPairingMayTakeLongerThanTheConsoleStaysOpen() {
        var bench = Bench.withConsole(Bench.phoneConfiguration())
        bench.advance(.seconds(10))
        bench.ask(.console(.begin), as: 2)
        #expect(bench.unlock() == .unlocked)
        bench.ask(.phones(.pair(person: "Anna", roles: .view, noPresence: false)))
        bench.advance(.minutes(6))
        for request in [PhonesRequest.confirm(Secret("000000")), .cancelPairing] {
            bench.ask(.phones(request), as: 2)
            #expect(bench.answers(2).last == Self.locked)
        }
        bench.ask(.phones(.cancelPairing))
        #expect(bench.answers().last != Self.locked)
        bench.ask(.phones(.list), as: 3)
        guard case .phones(let report)? = bench.answers(3).last else {
            Issue.record("no list")
            return
        }
        #expect(report.pairing == nil)
        bench.ask(.maintenance(on: true))
        #expect(bench.answers().last == Self.locked)
    }

    @Test("whoever is no console acts as ever")
    func whoeverIsNoConsoleActsAsEver() {
        var bench = Bench.withConsole()
        bench.ask(.maintenance(on: true), as: 3)
        #expect(bench.answers(3) == [.maintenance(true)])
    }

    @Test("a console is shown nobody's duress mark")
    func aConsoleIsShownNobodysDuressMark() {
        var bench = Bench.withConsole()
        bench.ask(.people(.add(name: "Anna", PersonChange(isDuressContact: true))), as: 3)
        bench.ask(.people(.list), as: 3)
        bench.ask(.people(.list))
        func marks(_ number: UInt64) -> [Bool] {
            guard case .people(let people)? = bench.answers(number).last else { return [] }
            return people.map(\.person.isDuressContact)
        }
        #expect(marks(3) == [true])
        #expect(marks(1) == [false])
    }

    @Test("what a console asks is the same after writing and reading; no PIN stands in an error or a record")
    func whatAConsoleAsksIsTheSameAfterWritingAndReading() throws {
        let requests: [ConsoleRequest] = [
            .begin, .state, .lock, .unlock(pin: Bench.pin), .setPIN(old: nil, new: Bench.pin),
            .setPIN(old: Bench.otherPIN, new: Bench.pin),
        ]
        for request in requests {
            let control = ControlRequest.console(request)
            #expect(try ControlRequest(line: Array(control.json.text.utf8)) == control)
            #expect(!"\(control)".contains(Bench.pin.revealed))
        }
        let bad = [
            #"{"request":"console"}"#, #"{"request":"console","do":"unlock"}"#,
            #"{"request":"console","do":"begin","pin":"135790"}"#, #"{"request":"console","do":"set_pin","old":"1"}"#,
            #"{"request":"console","do":"unlock","pin":135790}"#,
            #"{"request":"console","do":"unlock","code":"135790"}"#,
        ]
        for line in bad {
            do {
                _ = try ControlRequest(line: Array(line.utf8))
                Issue.record("\(line) is taken")
            } catch {
                #expect(!error.reason.contains("135790"))
            }
        }
    }
}
