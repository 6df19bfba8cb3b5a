import AlarmModel
import ApplianceCore
import Platform
import Testing

@testable import CommandKit
@testable import Reports
@testable import Subcommands

@Suite struct PhonesParsingTests {
    private static let state = "/var/lib/howalarming"

    private func parse(_ line: String) throws(UsageError) -> any Command {
        try HowAlarmingCommand.parse(line.split(separator: " ").map(String.init))
    }

    private func people(_ line: String) throws -> PeopleRequest? {
        (try parse("people \(line)") as? PeopleCommand)?.request
    }

    private func phones(_ line: String) throws -> PhonesRequest? {
        let command = try parse("phones \(line)")
        return (command as? PhonesCommand)?.request ?? (command as? PairCommand)?.request
    }

    private func refusal(_ line: String) -> String? {
        do {
            _ = try parse(line)
            return nil
        } catch { return error.description }
    }

    @Test("every form of 'people' becomes the request it means")
    func everyFormOfPeopleBecomesTheRequestItMeans() throws {
        #expect(try parse("people") as? PeopleCommand == PeopleCommand(request: .list, stateDirectory: Self.state))
        #expect(
            try parse("people list --all --json --state d") as? PeopleCommand
                == PeopleCommand(request: .list, showsAll: true, stateDirectory: "d", json: true))
        #expect(
            try parse("--state d people --json") as? PeopleCommand
                == PeopleCommand(request: .list, stateDirectory: "d", json: true))
        #expect(try people("add Anna") == .add(name: "Anna", PersonChange()))
        #expect(
            try people("add Anna --duress yes --receives fault,info --language de")
                == .add(
                    name: "Anna",
                    PersonChange(language: "de", isDuressContact: true, receives: [.alarm, .fault, .info])))
        #expect(try people("set Anna --duress no") == .set(name: "Anna", PersonChange(isDuressContact: false)))
        #expect(try people("rename Ana Anna") == .rename(from: "Ana", to: "Anna"))
        #expect(try people("remove Ben") == .remove(name: "Ben"))
    }

    @Test("every form of 'phones' becomes the request it means")
    func everyFormOfPhonesBecomesTheRequestItMeans() throws {
        #expect(
            try parse("phones list --json") as? PhonesCommand
                == PhonesCommand(request: .list, stateDirectory: Self.state, json: true))
        #expect(try phones("") == .list)
        #expect(
            try phones("pair --person Anna") == .pair(person: "Anna", roles: nil, noPresence: false))
        #expect(
            try phones("pair --role arm,bypass --person Ben --no-presence")
                == .pair(person: "Ben", roles: [.view, .arm, .bypass], noPresence: true))
        #expect(try phones("confirm 123-456") == .confirm(Secret("123456")))
        #expect(try parse("phones confirm --state d") as? ConfirmCommand == ConfirmCommand(stateDirectory: "d"))
        #expect(try phones("cancel") == .cancelPairing)
        #expect(try phones("rename 01ab Kitchen") == .rename(phone: "01ab", name: "Kitchen"))
        #expect(try phones("role 01ab view") == .role(phone: "01ab", .view))
        #expect(try phones("role 01ab admin,panic") == .role(phone: "01ab", [.view, .panic, .admin]))
        #expect(try phones("revoke 01ab") == .revoke(phone: "01ab"))
        #expect(try phones("lift 01ab") == .lift(phone: "01ab"))
        #expect(try phones("codes Anna") == .codes(person: "Anna"))
        #expect(try phones("codes anna@example.net --off") == .codesOff(person: "anna@example.net"))
        #expect(try phones("test") == .test(phone: nil))
        #expect(try phones("test 01ab") == .test(phone: "01ab"))
        #expect(try phones("approve fV1x:APA91bF") == .approve(token: "fV1x:APA91bF", [.ping, .status, .arm]))
        #expect(
            try phones("approve fV1x:APA91bF --allow disarm,ping")
                == .approve(token: "fV1x:APA91bF", [.ping, .disarm]))
        #expect(try phones("disapprove fV1x:APA91bF") == .disapprove(token: "fV1x:APA91bF"))
        #expect(try phones("dead") == .dead(limit: 20))
        #expect(try phones("dead --limit 5") == .dead(limit: 5))
        #expect(try phones("seen") == .seen)
    }

    @Test(
        "what cannot be understood says what was meant or what is missing",
        arguments: [
            (
                "people ad Anna",
                "the part of 'people' is one of list, add, set, rename, remove; did you mean 'add'? See 'howalarming help "
                    + "people'."
            ),
            ("people add", "NAME is missing; see 'howalarming help people add'"),
            ("people rename A", "NEW is missing; see 'howalarming help people rename'"),
            ("people add A B", "too many arguments: 'people add' takes only NAME; see 'howalarming help people add'"),
            (
                "people set Anna",
                "nothing is to be changed: give --receives, --language or --duress; see 'howalarming help people set'"
            ),
            ("people add A --duress maybe", "option '--duress' takes yes or no; see 'howalarming help people add'"),
            (
                "people add A --language DE",
                "option '--language' takes en or de; see 'howalarming help people add'"
            ),
            (
                "people add A --receives alarm,falt",
                "option '--receives' takes alarm, fault, state, info, joined by commas; did you mean 'fault'? See "
                    + "'howalarming help people add'."
            ),
            ("people list --duress yes", "unknown option '--duress'; see 'howalarming help people list'"),
            ("phones pair", "option '--person NAME' is missing; see 'howalarming help phones pair'"),
            (
                "phones pair --persn A",
                "unknown option '--persn'; did you mean '--person'? See 'howalarming help phones pair'."
            ),
            (
                "phones pair --person A --role dizarm",
                "option '--role' takes view, arm, disarm, bypass, panic, admin, joined by commas; did you mean 'disarm'? "
                    + "See 'howalarming help phones pair'."
            ),
            (
                "phones confirm 12345",
                "CODE is the six digits that the phone shows; see 'howalarming help phones confirm'"
            ),
            ("phones role 01ab", "ROLES is missing; see 'howalarming help phones role'"),
            (
                "phones dead --limit 0",
                "option '--limit' takes a number from 1 to 1000; see 'howalarming help phones dead'"
            ),
            (
                "phones approve short",
                "TOKEN is a whole token, as 'howalarming phones list' shows it; see 'howalarming help phones approve'"
            ),
            (
                "phones approve fV1x:APA91bF --allow arm,poke",
                "option '--allow' takes ping, status, arm, disarm, fire, medical, police, joined by commas; see "
                    + "'howalarming help phones approve'"
            ),
            (
                "help phones par",
                "'phones' has no such part; did you mean 'pair'? See 'howalarming help phones'."
            ),
        ])
    func whatCannotBeUnderstoodSaysWhatWasMeantOrWhatIsMissing(_ line: String, _ expected: String) {
        #expect(refusal(line) == expected)
    }

    @Test("a name with blanks at an end, with control characters or too long is no name")
    func aNameWithBlanksAtAnEnd() {
        for name in ["", " A", "A ", "A\u{1B}[2J", String(repeating: "ä", count: 17)] {
            #expect(throws: UsageError.self) { try HowAlarmingCommand.parse(["people", "add", name]) }
        }
        #expect(throws: Never.self) { try HowAlarmingCommand.parse(["people", "add", "Anna Maria"]) }
    }

    @Test("digits of a pairing are not repeated in an error")
    func digitsOfAPairingAreNotRepeatedInAnError() {
        for line in ["phones confirm 9876543", "phones confirm 987654 987654", "phones cancel 987654"] {
            #expect(refusal(line)?.contains("98765") == false)
        }
    }

    @Test("help is there for both commands and each of their parts")
    func helpIsThereForBothCommandsAndEachOfTheirParts() throws {
        for line in ["help phones", "phones --help"] {
            #expect(try parse(line) as? HelpCommand == HelpCommand(topic: "phones"), "\(line)")
        }
        for line in ["help phones pair", "phones pair --help"] {
            #expect(try parse(line) as? HelpCommand == HelpCommand(topic: "phones pair"), "\(line)")
        }
        let overview = HelpText.of(try #require(CommandTable.entry("phones")).syntax)
        for part in ["list", "pair --person NAME", "confirm [CODE]", "rename PHONE NAME", "approve TOKEN", "seen"] {
            #expect(overview.contains { $0.hasPrefix("  phones \(part)  ") }, "\(part)")
        }
        let pair = HelpText.of(try #require(CommandTable.entry("phones pair")).syntax)
        #expect(pair.first == "usage: howalarming phones pair --person NAME [options]")
    }

    @Test("what only looks or changes the phone book needs no daemon")
    func whatOnlyLooksOrChangesThePhoneBookNeedsNoDaemon() throws {
        let stopped = [
            "list", "rename 1 A", "role 1 arm", "revoke 1", "lift 1", "approve 12345678", "disapprove 12345678",
        ]
        for line in stopped {
            let request = try #require(try phones(line))
            #expect(!CoreQuestion.needsDaemon(.phones(request)), "\(line)")
        }
        let none = DaemonLinkError.noDaemon(directory: "/var/lib/howalarming")
        for line in ["pair --person A", "confirm 123456", "cancel", "test", "dead", "seen"] {
            let request = try #require(try phones(line))
            #expect(CoreQuestion.needsDaemon(.phones(request)), "\(line)")
            #expect(PhonesCommand.text(none, for: request).hasPrefix("this needs the daemon, and no daemon runs on "))
        }
    }
}
