import AlarmModel
import ApplianceCore
import PanelLink
import PhoneLink
import PhoneProtocol
import Testing

@testable import Reports

@Suite struct CommandsStatusTests {
    private func report(_ panel: PanelState) -> StatusReport {
        StatusReport(
            siteName: "Lake house", version: "1.0.0", uptime: .hours(76),
            time: WallTime(milliseconds: 1_795_240_801_250),
            isTimeTrusted: true, panel: panel, panelPhase: .up, panelProblem: nil, panelHost: "192.168.1.50:4025",
            store: StoreReport(
                lastSequence: SequenceNumber(1234),
                latency: .init(
                    count: 9, p50: .microseconds(3400), p90: .milliseconds(9), p99: .milliseconds(21),
                    max: .milliseconds(30))),
            isMaintenance: false, clients: 1)
    }

    private var house: PanelState {
        var panel = PanelState(link: .up)
        panel.withPartition(1) {
            $0.name = "House"
            $0.status = .known(.armed(.stay))
            $0.trouble = .known(true)
            $0.chime = .known(false)
            $0.lastChangedBy = .user(2)
            $0.lastChangedByName = "Anna"
        }
        panel.withPartition(2) {
            $0.name = "Garage and workshop"
            $0.status = .known(.ready)
            $0.trouble = .known(false)
        }
        for number in 1...4 {
            panel.withZone(number) {
                $0.name = "Window \(number)"
                $0.open = number == 4 ? .unknown : .known(number == 2)
            }
        }
        panel.withZone(3) { $0.bypassed = .known(true) }
        panel.system[.ac] = .known(.trouble)
        panel.system[.battery] = .known(.ok)
        return panel
    }

    private func lines(_ report: StatusReport) -> [String] { StatusText(view: StatusView(report), rules: .utc).lines }

    @Test("how the box writes is told apart from the house, and only where something was written")
    func howTheBoxWritesIsToldApart() {
        #expect(
            StatusText.writing(report(house).store) == [
                "Writing     a line is on the disk: half within 3.4 ms, 99 of 100 within 21.0 ms, longest 30.0 ms"
            ])
        #expect(StatusText.writing(StoreReport(lastSequence: .zero)) == [])
        #expect(!lines(report(house)).contains { $0.contains("Writing") })
    }

    @Test("a time with a ? and an arming without a name are explained")
    func aTimeWithAQuestionMarkIsExplained() {
        var report = report(house)
        report.isTimeTrusted = false
        report.clockProblem = "no time server answers"
        report.panel.withPartition(2) { $0.lastChangedBy = .special }
        let lines = lines(report)
        #expect(lines.contains("Clock       not trusted, so times have a ?: no time server answers"))
        #expect(lines.contains { $0.hasPrefix("2 Garage") && $0.hasSuffix("not named") })
    }

    @Test(
        "who is at home is a line of its own where a topic says it",
        arguments: [
            (Presence.home, "At home     somebody, says house/presence"),
            (.notHome, "At home     nobody, says house/presence"),
            (.unknown, "At home     not known: neither home nor not_home was heard at house/presence"),
        ])
    func whoIsAtHome(_ presence: Presence, _ line: String) {
        var report = report(house)
        #expect(!lines(report).contains { $0.hasPrefix("At home") })
        #expect(StatusJSON.of(StatusView(report))["presence"] == nil)
        report.presence = PresenceReport(presence, topic: "house/presence")
        #expect(lines(report).contains(line))
        #expect(StatusJSON.of(StatusView(report))["presence"]?["state"] == .string(presence.rawValue))
    }

    @Test("what the schedule is about to arm is a line of its own, and says what declines it")
    func whatTheScheduleIsAboutToArm() {
        var report = report(house)
        #expect(!lines(report).contains { $0.hasPrefix("Schedule") })
        #expect(StatusJSON.of(StatusView(report))["schedule"] == nil)
        report.schedule = [RemindersRecord.Arming(partition: 2, at: WallTime(milliseconds: 1_795_000_000_000))]
        #expect(
            lines(report).contains("Schedule    arms Garage and workshop at 11:06; 'disarm' before then declines it"))
        #expect(StatusJSON.of(StatusView(report))["schedule"]?.text == #"[{"partition":2,"at":1795000000}]"#)
    }

    @Test("a house in step with its panel")
    func aHouseInStepWithItsPanel() {
        #expect(
            lines(report(house)) == [
                "Lake house                                                   2026-11-21 06:00:01",
                "Panel       up, 192.168.1.50:4025",
                "Partition          State                        Trouble   Chime    Changed by",
                "1 House            armed stay                   trouble   off      Anna",
                "2 Garage and work… ready                        none      unknown  unknown",
                "Open        2 Window 2",
                "Bypassed    3 Window 3",
                "Unknown     4 Window 4",
                "Troubles    AC power",
                "Power       panel WITHOUT MAINS, battery good",
                "Store       last event 1234",
                "Daemon      1.0.0, up 3 days 4 h, 1 client; maintenance off",
            ])
    }

    @Test("without the link everything known is marked stale, and the problem says what to do")
    func withoutTheLinkEverythingKnownIsMarkedStale() {
        var panel = house
        panel.age()
        var report = report(panel)
        report.panelPhase = .waiting
        report.panelProblem = "the module does not answer: check its power and its network cable, we try again"
        report.isTimeTrusted = false
        report.isMaintenance = true
        report.store.problem = "the disk is full, make room on it"
        report.store.waitingEvents = 12
        report.store.droppedEvents = 3
        report.store.latency = nil
        #expect(
            lines(report) == [
                "Lake house                               2026-11-21 06:00:01 (clock not trusted)",
                "Panel       down, waiting for the next attempt, 192.168.1.50:4025",
                "            everything below is stale since the link was lost, or unknown",
                "Problem     the module does not answer: check its power and its network cable,",
                "            we try again",
                "Partition          State                        Trouble   Chime    Changed by",
                "1 House            armed stay (stale)           trouble?  off?     Anna",
                "2 Garage and work… ready (stale)                none?     unknown  unknown",
                "Open        2 Window 2?",
                "Bypassed    3 Window 3?",
                "Unknown     4 Window 4",
                "Troubles    AC power?",
                "Power       panel WITHOUT MAINS?, battery good?",
                "Store       last event 1234, 12 waiting, 3 DROPPED",
                "            FAILING: the disk is full, make room on it",
                "Daemon      1.0.0, up 3 days 4 h, 1 client; MAINTENANCE ON (nobody is notified)",
            ])
    }

    @Test("the worst day of the largest panel still fits 80 columns and 23 lines, and says how many")
    func theWorstDayOfTheLargestPanelStillFits80ColumnsAnd23Lines() {
        var panel = PanelState(link: .up)
        for number in 1...8 {
            panel.withPartition(number) {
                $0.name = String(repeating: "Partition name ", count: 4)
                $0.status = .known(.armed(.zeroEntryAway))
                $0.isBusy = true
                $0.isArmedWithBypass = true
                $0.lastChangedBy = .user(17)
                $0.lastChangedByName = "A person with a very long name"
            }
        }
        for number in 1...64 {
            panel.withZone(number) {
                $0.name = "Zone with a long name \(number)"
                $0.open = number % 2 == 0 ? .known(true) : .unknown
                $0.alarm = .known(true)
                $0.tamper = .known(true)
                $0.fault = .known(true)
                $0.lowBattery = .known(true)
                $0.bypassed = .known(true)
            }
        }
        for trouble in Trouble.allCases { panel.system[trouble] = .known(.trouble) }
        panel.age()
        var report = report(panel)
        report.panelProblem = String(repeating: "something is wrong ", count: 30)
        report.store.problem = String(repeating: "something is wrong ", count: 30)
        var phones = PhonesReport(
            connection: .channel(.waiting), server: "fcm-xmpp.googleapis.com:5235",
            problem: String(repeating: "something is wrong ", count: 30))
        for number in 1...30 {
            phones.entries.append(
                .init(id: "\(number)", name: "Phone \(number)", person: nil, level: .legacy, roles: ["disarm"]))
        }
        phones.overdue = 12
        phones.pairing = String(repeating: "waiting ", count: 30)
        report.phones = phones
        let shown = lines(report)
        #expect(shown.contains { $0.hasPrefix("Phones      OVERDUE: 12 alarms that no phone has confirmed") })
        #expect(shown.count <= 23)
        for line in shown { #expect(line.count <= 80, "\(line)") }
        #expect(shown.contains { $0.hasPrefix("In alarm") && $0.hasSuffix("… (64 in all)") })
        #expect(shown.contains("Zone faults 64 tampered, 64 faulty, 64 low battery"))
        #expect(shown.contains { $0.hasPrefix("Open") && $0.hasSuffix("… (32 in all)") })
    }

    @Test("without a daemon the journal's snapshot is shown as old")
    func withoutADaemonTheJournalsSnapshotIsShownAsOld() {
        let view = StatusView(
            snapshot: Snapshot(panel: house), store: StoreReport(lastSequence: SequenceNumber(7)),
            time: WallTime(milliseconds: 1_795_240_801_250))
        let shown = StatusText(view: view, rules: .utc).lines
        #expect(shown[0] == "No daemon runs here                                          2026-11-21 06:00:01")
        #expect(shown[1] == "Panel       not connected: everything below is stale, from the journal")
        #expect(shown[3].contains("armed stay (stale)"))
        let json = StatusJSON.of(view)
        #expect(json["daemon"] == .null)
        #expect(json["time_trusted"] == .null)
        #expect(
            json["partitions"]?.arrayValue?.first?["stale"]
                == .array([.string("state"), .string("trouble"), .string("chime")]))
    }

    @Test("programs get null for what is not known, and the names of what is stale")
    func programsGetNullForWhatIsNotKnown() {
        var panel = house
        panel.withZone(2) { $0.lastOpened = WallTime(milliseconds: 1_795_240_000_900) }
        panel.withPartition(1) { $0.chime = .stale(true) }
        let json = StatusJSON.of(StatusView(report(panel)))
        let zones = json["zones"]?.arrayValue ?? []
        #expect(zones.map { $0["open"] } == [.bool(false), .bool(true), .bool(false), .null])
        #expect(zones[1]["last_opened"] == .integer(1_795_240_000))
        #expect(zones[1]["stale"] == .array([]))
        let partition = json["partitions"]?.arrayValue?.first
        #expect(partition?["state"] == .string("armed"))
        #expect(partition?["mode"] == .string("stay"))
        #expect(partition?["user_name"] == .string("Anna"))
        #expect(partition?["chime"] == .bool(true))
        #expect(partition?["stale"] == .array([.string("chime")]))
        let troubles = json["troubles"]?.arrayValue ?? []
        #expect(troubles.first { $0["trouble"] == .string("ac") }?["state"] == .string("trouble"))
        #expect(troubles.first { $0["trouble"] == .string("smoke") }?["state"] == .null)
        #expect(json["store"]?["latency_ms"]?["p50"] == .number(3.4))
    }
}
