import AlarmModel
import ApplianceCore
import PanelLink
import PhoneLink
import PhoneProtocol
import Testing

@testable import Reports
@testable import Subcommands

@Suite struct PhonesTextTests {
    private static let now = WallTime(milliseconds: 1_795_240_801_250)

    private static func ago(_ seconds: Int64) -> WallTime {
        WallTime(milliseconds: now.milliseconds - seconds * 1000)
    }

    private func lines(_ report: PhonesReport) -> [String] {
        PhonesText(report: report, now: Self.now, rules: .utc).lines
    }

    private func status(_ report: PhonesReport?) -> [String] {
        let whole = StatusReport(
            siteName: "Lake house", version: "1", uptime: .zero, time: Self.now, isTimeTrusted: true,
            panel: PanelState(link: .up), panelPhase: .up, panelProblem: nil, panelHost: "h",
            store: StoreReport(lastSequence: .zero), isMaintenance: false, clients: 0, phones: report)
        let all = StatusText(view: StatusView(whole), rules: .utc).lines
        return Array(all.dropFirst(6).dropLast())
    }

    private var report: PhonesReport {
        var report = PhonesReport(connection: .channel(.ready), server: "push.example.net:5235", problem: nil)
        var pixel = PhonesReport.Entry(
            id: "0123456789abcdef", name: "Pixel 8", person: "Anna", level: .app, roles: ["view", "arm", "disarm"])
        pixel.lastAccepted = Self.ago(30)
        pixel.lastReceived = Self.ago(10)
        pixel.lastHeard = Self.ago(108_000)
        pixel.passkey = PasskeyPlace(relyingParty: "example.org", origin: "https://alarm.example.org")
        var tablet = PhonesReport.Entry(
            id: "fedcba9876543210", name: "Tablet", person: "Ben", level: .app, roles: ["view"])
        tablet.note = "paired, not heard yet"
        tablet.waiting = 3
        tablet.overdue = 1
        tablet.lastAccepted = Self.ago(60)
        tablet.lastError = "DEVICE_UNREGISTERED"
        let old = PhonesReport.Entry(
            id: "fV1x:APA", name: "fV1x:APA", person: nil, level: .legacy, roles: ["ping", "disarm"])
        report.entries = [pixel, tablet, old]
        report.pendingTokens = ["token:" + String(repeating: "x", count: 150)]
        (report.waiting, report.overdue, report.dead, report.expired) = (3, 1, 2, 4)
        report.pairing = "waiting for the phone"
        report.rejected = [.init(kind: "unknown sender", count: 7)]
        return report
    }

    @Test("the list of phones")
    func theListOfPhones() {
        #expect(
            lines(report) == [
                "Push service ready, push.example.net:5235",
                "Warning      1 original app may disarm without a signature: pair the phone, then",
                "             'howalarming phones disapprove'",
                "Pairing      waiting for the phone",
                "",
                "Phone              Of           May                   Last message",
                "Pixel 8            Anna         view,arm,disarm       received 05:59:51",
                "  0123456789abcdef heard 2026-11-20; passkey of https://alarm.example.org (RP ID",
                "                   example.org)",
                "Tablet             Ben          view                  sent 05:59:01, no receipt",
                "  fedcba9876543210 3 waiting; 1 OVERDUE; paired, not heard yet; last error:",
                "                   DEVICE_UNREGISTERED",
                "fV1x:APA           original app ping,disarm           nothing since the start",
                "  fV1x:APA",
                "",
                "Original apps that ask to be let in ('howalarming phones approve TOKEN'):",
                "  token:" + String(repeating: "x", count: 150),
                "",
                "Messages: 3 waiting, 1 overdue, 2 given up, 4 expired; see 'howalarming phones dead'",
                "Dropped input: unknown sender 7",
            ])
    }

    @Test("without phones and account one line says what to do")
    func withoutPhonesAndAccountOneLineSaysWhatToDo() {
        let empty = PhonesReport(connection: .off, server: nil, problem: nil)
        #expect(
            status(empty) == [
                "Phones      none; put 'ntfy' into the configuration, then 'howalarming phones",
                "            pair'",
            ])
        #expect(status(nil) == [])
        #expect(
            lines(empty) == [
                "Push service off: no channel to phones is configured; ntfy needs no account", "",
                "no phone yet; pair one with 'howalarming phones pair --person NAME'",
            ])
    }

    @Test("mail, tubes and brokers are no phones, neither where there are some nor where there are none")
    func mailTubesAndBrokersAreNoPhones() {
        func house(_ kinds: [String], _ report: PhonesReport) -> PhonesReport {
            var report = report
            report.entries += kinds.map { .init(id: $0, name: "x", person: nil, level: .house, roles: ["alarm"]) }
            return report
        }
        let alone = house(["mail", "mail", "tube"], PhonesReport(connection: .off, server: nil, problem: nil))
        #expect(
            status(alone).prefix(2) == [
                "Phones      none; put 'ntfy' into the configuration, then 'howalarming phones",
                "            pair'; also told: mail, tube",
            ])
        #expect(lines(alone).first == "Push service off: no channel to phones is configured; ntfy needs no account")
        #expect(lines(alone).last == "no phone yet; pair one with 'howalarming phones pair --person NAME'")
        #expect(status(house(["broker"], report)).first?.hasPrefix("Phones      3 phones; ready") == true)
        #expect(status(house(["broker"], report)).prefix(3).joined().contains("also told: broker"))
    }

    @Test("where store apps can be paired it says how, and why no digits will arrive")
    func whereStoreAppsCanBePairedItSaysHow() {
        var report = PhonesReport(connection: .off, server: nil, problem: nil)
        #expect(PairingText.unreachable(report) == nil)
        report.channels = [.init(kind: "ntfy", phase: .ready, problem: nil, lastAccepted: nil, waiting: 0)]
        #expect(PairingText.unreachable(report) == nil)
        #expect(lines(report).last == "for the app ntfy from a store, with --ntfy and --name behind it")
        report.channels[0].problem = "connection refused"
        #expect(
            PairingText.unreachable(report)
                == "the topic server does not answer the box now, and no digits arrive until it does: connection refused"
        )
    }

    @Test("status says what is overdue first, then what is wrong, then what became of the newest messages")
    func statusSaysWhatIsOverdueFirst() {
        #expect(
            status(report) == [
                "Phones      3 phones; ready, push.example.net:5235; 3 waiting; 2 given up",
                "            ('howalarming phones dead'); 4 expired",
                "            OVERDUE: 1 alarm that no phone has confirmed: call the people",
                "            yourself",
                "            1 original app may disarm without a signature: pair the phone, then",
                "            'howalarming phones disapprove'",
                "Delivery    Pixel 8 received 05:59:51, Tablet sent 05:59:01, no receipt (paired,",
                "            not heard yet), fV1x:APA nothing since the start",
                "Pairing     waiting for the phone",
                "            1 original app to be let in: see 'howalarming phones list'",
            ])
    }

    @Test("the end of Google's service is told while nothing answers there, and only then")
    func theEndOfGooglesServiceIsToldWhileNothingAnswersThere() {
        func problem(_ phase: TransportHealth.Phase, _ server: String, _ why: String? = nil) -> String? {
            PhonesStatus(
                report: PhonesReport(connection: .channel(phase), server: server, problem: why), now: Self.now,
                rules: .utc
            ).problem
        }
        #expect(
            problem(.waiting, "fcm-xmpp.googleapis.com:5235", "timed out")
                == "timed out; Google ended its hosted XMPP service in 2024, so nothing can be expected to answer there; "
                + "name another server in phones.fcm.host")
        #expect(problem(.connecting, "gcm.googleapis.com")?.hasPrefix("Google ended") == true)
        #expect(problem(.ready, "fcm-xmpp.googleapis.com:5235") == nil)
        #expect(problem(.waiting, "push.example.net:5235") == nil)
    }

    @Test("programs get the same, with null for what is not known")
    func programsGetTheSame() {
        let json = PhonesJSON.of(report)
        let entries = json["phones"]?.arrayValue ?? []
        #expect(json["overdue"] == .integer(1))
        #expect(entries.map { $0["id"] } == report.entries.map { .string($0.id) })
        #expect(entries[0]["last_received"] == .integer(1_795_240_791))
        #expect(entries[0]["passkey"]?.text == #"{"rp":"example.org","origin":"https://alarm.example.org"}"#)
        #expect(entries[1]["last_received"] == .null && entries[1]["passkey"] == nil)
        #expect(entries[2]["level"] == .string("legacy"))
        #expect(json["rejected"]?.arrayValue?.first?["count"] == .integer(7))
        #expect(json["problem"] == .null)
    }

    @Test("nobody sees who is a duress contact unless it was asked for, and then there is a warning")
    func nobodySeesWhoIsADuressContactUnlessItWasAskedFor() {
        let anna = Person(id: PersonID(1), name: "Anna", isDuressContact: true)
        let ben = Person(id: PersonID(2), name: "Ben", language: "de", receives: [.alarm])
        let reports = [
            PersonReport(person: anna, phones: ["Pixel 8", "Tablet"]), PersonReport(person: ben, phones: []),
        ]
        var text = PeopleText(people: reports)
        #expect(
            text.lines == [
                "Name               Language Is told of                Phones",
                "Anna               en       alarm, fault, state       Pixel 8, Tablet",
                "Ben                de       alarm                     none",
            ])
        #expect(
            text.json == [
                #"{"name":"Anna","language":"en","receives":["alarm","fault","state"],"phones":["Pixel 8","Tablet"]}"#,
                #"{"name":"Ben","language":"de","receives":["alarm"],"phones":[]}"#,
            ])
        text.showsDuress = true
        #expect(text.lines.first?.hasPrefix("This list shows who is told of duress") == true)
        #expect(text.lines.last == "Ben                de       alarm                     no     none")
        #expect(text.json.first?.hasSuffix(#""duress":true}"#) == true)
        #expect(PeopleText(people: []).lines.first?.contains("howalarming people add NAME") == true)
    }

    @Test("messages that were given up tell their phone, their event and why")
    func messagesThatWereGivenUpTellTheirPhone() throws {
        let message = StoredMessage(
            message: MessageID("a-1"), address: AddressID(1), seq: SequenceNumber(9),
            event: Event(
                type: .alarm, code: "601", raw: "", message: "Alarm: Kitchen\u{1B}", time: Self.now,
                isTimeTrusted: true), createdAt: Self.now, expiresAt: Self.now, state: .dead,
            detail: "nobody is there")
        let dead = DeadMessage(phone: "Pixel 8", message: message)
        #expect(
            DeadText(rules: .utc).lines([dead]) == [
                "2026-11-21 06:00:01  Pixel 8: Alarm: Kitchen? — nobody is there"
            ])
        let json = try JSON(parsing: DeadText.json(dead))
        #expect(json["seq"] == .integer(9))
        #expect(json["why"] == .string("nobody is there"))
        #expect(DeadText(rules: .utc).lines([]) == ["no message was given up"])
    }
}
