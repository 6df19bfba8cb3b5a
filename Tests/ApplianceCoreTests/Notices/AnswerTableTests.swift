import AlarmModel
import Foundation
import PanelLink
import PhoneLink
import PhoneProtocol
import Testing

@testable import ApplianceCore

/// Every answer to a chat account and to a button in every language, as people read it: `docs/answers.txt`. To write it
/// anew: `HOWALARMING_KEEP_TOLD=1 swift test --filter AnswerTableTests`.
@Suite("What accounts and buttons are answered, in words")
struct AnswerTableTests {
    private static let names = SiteNames(
        partitions: [.init(number: 1, name: "Ground floor")],
        zones: [.init(number: 3, name: "Kitchen window", partition: 1)], users: [])

    private static let house = HouseStatus(
        partitions: [
            .init(number: 1, name: "Ground floor", status: .armed(.away)),
            .init(number: 2, name: nil, status: .alarm(nil)),
            .init(number: 3, name: nil, status: nil),
        ], open: [.init(number: 3, name: "Kitchen window"), .init(number: 4, name: nil)],
        bypassed: [.init(number: 5, name: nil)], troubles: [.ac, .zoneBattery])

    private static let statuses: [PartitionStatus] = [
        .notEnabled, .disarmed, .ready, .readyForce, .notReady, .exitDelay(nil), .armed(nil), .armed(.stay),
        .armed(.zeroEntryAway), .armed(.zeroEntryStay), .entryDelay(nil), .alarm(nil),
    ]

    private static let samples: [(name: String, answer: ContactAnswer)] = [
        ("the box's digits", .code(Secret("123456"))), ("paired", .paired),
        ("no word", .notUnderstood(.empty)), ("too long", .notUnderstood(.tooLong)),
        ("no command", .notUnderstood(.unknown("open"))),
        ("something is missing", .notUnderstood(.missing(word: "bypass", what: "a zone"))),
        ("a number of events", .notUnderstood(.number(word: "log", what: "how many events", range: 1...50))),
        ("a number of a partition", .notUnderstood(.number(word: "arm", what: "a partition", range: 1...8))),
        ("no code", .notUnderstood(.code(word: "disarm"))), ("too much", .notUnderstood(.tooMuch(word: "status"))),
        ("not allowed", .notAllowed(.arm)), ("neither allowed nor codes", .noCodes(.disarm, isAllowed: false)),
        ("allowed, without codes", .noCodes(.disarm, isAllowed: true)), ("help", .help(ContactVerb.allCases)),
        ("help for little", .help([.seen])), ("seen", .seen), ("the house", .status(house)),
        (
            "all that a partition does",
            .status(
                HouseStatus(partitions: statuses.enumerated().map { .init(number: $0 + 1, name: nil, status: $1) }))
        ),
        ("all troubles", .status(HouseStatus(troubles: Trouble.allCases))),
        ("the house, not known", .status(nil)), ("the journal", .log(["2026-11-24 16:40:21 Zone 3 open"])),
        ("an empty journal", .log([])), ("the storage fails", .storageFails), ("too many", .tooManyCommands),
        ("again after a restart", .notRepeated), ("the clock", .clockInDoubt), ("locked", .codesLocked),
        ("a wrong code", .wrongCode(lockedFor: nil)), ("the fifth one", .wrongCode(lockedFor: .minutes(15))),
        ("the tenth one", .wrongCode(lockedFor: .hours(24))),
    ]

    private static let reasons: [Reason] = [
        .notReady(openZones: [3, 4]), .notReady(openZones: []), .alreadyArmed, .wrongCode, .noCode, .lockedOut,
        .installerMode, .partitionBusy, .keybusDown, .panelStale, .panelRefused(error: 24), .notSupported("this"),
        .badRequest("there is no output 5"), .unknownZone(65), .unknownPartition(9), .bypassWhileArmed,
        .bypassNeedsCode, .storageFailed, .queueFull, .stopping, .staleChallenge, .notAllowed, .unknownVerb("fly"),
        .tooManyCommands, .conditionChanged, .codeWithheld,
    ]

    private static let orders: [(PanelCommand, Outcome)] =
        [
            (.arm(partition: 1, mode: .away, force: false), .done), (.disarm(partition: 2), .done),
            (.bypass(zone: 3, bypassed: true), .done), (.bypass(zone: 4, bypassed: true), .notConfirmed),
            (.disarm(partition: 1), .expired), (.disarm(partition: 1), .failed(.wrongCode)),
        ] + reasons.map { (.arm(partition: 1, mode: .stay, force: false), .refused($0)) }

    @Test("each answer in each language is as docs/answers.txt has it")
    func eachAnswerInEachLanguage() throws {
        var out = """
            What accounts are answered in a chat, and store apps to their buttons: title and text in each language. This
            file is written by AnswerTableTests. How an order ended is in the words of the journal in English.


            """
        func add(_ name: String, _ words: (NoticeText) -> ContactAnswer) {
            out += "== \(name)\n"
            for language in NoticeLanguage.allCases {
                let text = NoticeText(siteName: "Mill Lane 4", names: Self.names, timeZone: .utc, language: language)
                let notice = text.notice(words(text), at: WallTime(milliseconds: 0))
                #expect(notice.subject == .news)
                out += "\(language.rawValue)  \(notice.title)\n"
                for line in notice.text.split(separator: "\n") { out += "    \(line)\n" }
            }
            out += "\n"
        }
        for sample in Self.samples { add(sample.name) { _ in sample.answer } }
        for (command, outcome) in Self.orders {
            add("\(command.summary): \(outcome.name)") {
                .outcome($0.outcome(outcome, of: command.summary, sentence: "(the journal's sentence)"))
            }
        }
        add("before a restart") {
            .outcome($0.unfinished("arm away partition 1", sentence: "(the journal's sentence)"))
        }
        let file = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../docs/answers.txt").standardized
        if ProcessInfo.processInfo.environment["HOWALARMING_KEEP_TOLD"] == "1" { try Data(out.utf8).write(to: file) }
        let kept = try String(contentsOf: file, encoding: .utf8)
        for (line, (is_, was)) in zip(out.split(separator: "\n"), kept.split(separator: "\n")).enumerated() {
            #expect(is_ == was, "line \(line + 1) without blank ones")
        }
        #expect(out == kept)
    }
}
