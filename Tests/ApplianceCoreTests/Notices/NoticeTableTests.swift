import AlarmModel
import Foundation
import PanelLink
import PhoneProtocol
import Testing

@testable import ApplianceCore
@testable import PhoneLink

/// Every kind of news in every language, as people read it: `docs/notices.txt`. To write it anew:
/// `HOWALARMING_KEEP_TOLD=1 swift test --filter NoticeTableTests`.
@Suite("What people are told, in words")
struct NoticeTableTests {
    private static let names = SiteNames(
        partitions: [.init(number: 1, name: "Ground floor"), .init(number: 2, name: "Workshop")],
        zones: [
            .init(number: 3, name: "Kitchen window", partition: 1),
            .init(number: 7, name: "Hall smoke", partition: 1, isFire: true),
            .init(number: 8, name: "Boiler room", partition: 1, deviceClass: "carbon_monoxide"),
            .init(number: 9, name: "Stove", partition: 1, deviceClass: "gas"),
            .init(number: 10, name: "Washing machine", partition: 1, deviceClass: "moisture"),
        ], users: [.init(number: 3, name: "Anna")])

    /// 2026-11-24 16:40:21.
    private static let noon = WallTime(milliseconds: 1_795_538_421_000)

    private struct Sample {
        var name: String
        var event: Event
        var status = PartitionStatus.ready
        var alarmZones: [Int] = []
        /// End of the alarm that the event is about; nil while the alarm goes on.
        var end: Incident.End?
        var began = NoticeTableTests.noon + .seconds(-60)
        var unheardSince: WallTime?
        var sirenStopped: WallTime?

        var hasIncident: Bool { end != nil || unheardSince != nil || sirenStopped != nil }
    }

    private static func event(
        _ type: EventType, _ code: String, _ message: String, zone: Int? = nil, partition: Int? = nil,
        user: String? = nil, flags: EventFlags = []
    ) -> Event {
        Event(
            type: type, code: code, raw: code, message: message, time: noon, isTimeTrusted: true, partition: partition,
            partitionName: partition.flatMap { names.partition($0) }, zone: zone,
            zoneName: zone.flatMap { names.zone($0)?.name }, userName: user, flags: flags)
    }

    private static func own(_ type: EventType, _ code: EventCode, _ message: String) -> Event {
        event(type, code.rawValue, message)
    }

    private static func ups(_ reading: UPSReading) -> UPSWords {
        UPSWords(name: "eaton", reading: reading, isPanelCut: false)
    }

    private static let inAlarm = PartitionStatus.alarm(.away)

    private static let samples: [Sample] = [
        Sample(name: "a zone", event: event(.alarm, "601", "Alarm", zone: 3, partition: 1), status: inAlarm),
        Sample(
            name: "its partition", event: event(.alarm, "654", "Alarm", partition: 1), status: inAlarm, alarmZones: [3]),
        Sample(name: "a partition, nobody knows why", event: event(.alarm, "654", "Alarm", partition: 2)),
        Sample(
            name: "a smoke detector", event: event(.alarm, "601", "Fire", zone: 7, partition: 1), status: .alarm(nil)),
        Sample(name: "the fire key", event: event(.alarm, "621", "Alarm: fire key")),
        Sample(name: "carbon monoxide", event: event(.alarm, "601", "Alarm", zone: 8, partition: 1)),
        Sample(name: "gas", event: event(.alarm, "601", "Alarm", zone: 9, partition: 1)),
        Sample(name: "water", event: event(.alarm, "601", "Alarm", zone: 10, partition: 1)),
        Sample(name: "the key for help", event: event(.alarm, "623", "Alarm: auxiliary key")),
        Sample(name: "the panic key", event: event(.alarm, "625", "Alarm: panic key")),
        Sample(name: "tamper", event: event(.alarm, "603", "Tamper", zone: 3, partition: 1)),
        Sample(name: "a wrong code", event: event(.alarm, "670", "Wrong code", partition: 1)),
        Sample(name: "keypads locked", event: event(.alarm, "658", "Keypads locked out", partition: 1)),
        Sample(
            name: "the module lost while armed",
            event: own(.alarm, .panelOffline, "The module has been out of reach for 60 s while a partition is armed."),
            status: .armed(.away)),
        Sample(name: "mains and battery lost", event: own(.alarm, .powerLost, "The panel has lost mains and battery.")),
        Sample(
            name: "the window is closed, the alarm goes on",
            event: event(.recovery, "602", "Alarm restored", zone: 3, partition: 1), status: inAlarm),
        Sample(name: "the window is closed", event: event(.recovery, "602", "Alarm restored", zone: 3, partition: 1)),
        Sample(name: "the key is reset", event: event(.recovery, "626", "Panic key alarm restored")),
        Sample(name: "tamper over", event: event(.recovery, "604", "Tamper over", zone: 3, partition: 1)),
        Sample(
            name: "the end of an alarm",
            event: event(.disarmed, "655", "Disarmed", partition: 1, flags: .endsAlarm), alarmZones: [3],
            end: Incident.End(.disarmed, at: noon, person: "Anna"), began: noon + .seconds(-1080)),
        Sample(
            name: "the siren stopped, nobody has disarmed",
            event: event(.info, "652", "The siren has stopped", partition: 1, flags: .sirenStopped),
            status: .armed(.away), alarmZones: [3], began: noon + .seconds(-240), sirenStopped: noon),
        Sample(
            name: "the window is closed behind the siren's time",
            event: event(.recovery, "602", "Alarm restored", zone: 3, partition: 1), status: .armed(.away),
            alarmZones: [3], began: noon + .seconds(-240), sirenStopped: noon),
        Sample(
            name: "a fire is no longer shown, nobody has disarmed",
            event: event(.info, "651", "No longer reported", partition: 1, flags: .endsAlarm), status: .notReady,
            alarmZones: [7], end: Incident.End(.noLongerReported, at: noon), began: noon + .seconds(-180)),
        Sample(
            name: "armed again, nobody has disarmed",
            event: event(.armed, "656", "Arming", partition: 1, flags: .endsAlarm), status: .exitDelay(.away),
            alarmZones: [3], end: Incident.End(.armedAgain, at: noon), began: noon + .seconds(-600)),
        Sample(
            name: "an alarm while the box did not hear the panel, still armed",
            event: event(.alarm, "ALARM_UNHEARD", "Alarm while away", partition: 1, flags: .whileAway),
            status: .armed(.away), began: noon, unheardSince: noon + .seconds(-300), sirenStopped: noon),
        Sample(
            name: "an alarm while the box did not hear the panel, disarmed since",
            event: event(.alarm, "ALARM_UNHEARD", "Alarm while away", partition: 1, flags: .whileAway),
            end: Incident.End(.disarmed, at: noon), began: noon, unheardSince: noon + .seconds(-300)),
        Sample(
            name: "an alarm of which only the end was heard",
            event: event(.alarm, "ALARM_UNHEARD", "Alarm while away", zone: 3, partition: 1, flags: .whileAway),
            status: .armed(.away)),
        Sample(
            name: "an alarm cannot be excluded",
            event: event(
                .fault, "ALARM_NOT_EXCLUDED",
                "Whether there was an alarm while the box did not hear the panel is not known: partition 1 is armed",
                partition: 1, flags: .whileAway), status: .armed(.away)),
        Sample(
            name: "an alarm that no service accepts",
            event: event(
                .fault, "ALARM_UNACCEPTED",
                "No service has accepted an alarm for anybody's phone within 1 minute: Alarm",
                zone: 3, partition: 1), status: inAlarm),
        Sample(
            name: "the end of an alarm, told late",
            event: event(.disarmed, "655", "Disarmed", partition: 1, flags: .endsAlarm)),
        Sample(
            name: "arming", event: event(.armed, "656", "Partition 1 Ground floor is arming: exit delay", partition: 1)),
        Sample(
            name: "armed",
            event: event(.armed, "652", "Partition 1 Ground floor armed away, by Anna", partition: 1, user: "Anna"),
            status: .armed(.away)),
        Sample(name: "disarmed", event: event(.disarmed, "655", "Partition 1 Ground floor disarmed", partition: 1)),
        Sample(name: "somebody comes in", event: event(.info, "657", "Entry delay", partition: 1)),
        Sample(
            name: "automatic arming",
            event: event(.info, "674", "Partition 1 Ground floor is about to arm by itself", partition: 1)),
        Sample(
            name: "armed with a bypass",
            event: event(.info, "702", "Armed with bypassed zones, partition 1 Ground floor", partition: 1)),
        Sample(name: "installer's mode", event: event(.info, "680", "The panel is in installer mode")),
        Sample(name: "not armed", event: event(.fault, "659", "Partition 1 Ground floor failed to arm", partition: 1)),
        Sample(
            name: "reminder: not armed",
            event: event(.info, "REMIND_NOT_ARMED", "Partition 1 Ground floor is not armed", partition: 1)),
        Sample(
            name: "reminder: a door left open",
            event: event(
                .info, "REMIND_OPEN", "Zone 3 Kitchen window has been open for 15 minutes", zone: 3, partition: 1)),
        Sample(
            name: "reminder: zones left bypassed",
            event: event(.info, "REMIND_BYPASSED", "Still bypassed: Kitchen window, Stove")),
        Sample(
            name: "reminder: maintenance",
            event: event(
                .info, "REMIND_MAINTENANCE",
                "The maintenance mode is still on: nobody is told of anything. It ends by itself in 15 minutes")),
        Sample(
            name: "reminder: nobody home",
            event: event(
                .info, "REMIND_NOBODY_HOME",
                "Partition 1 Ground floor is not armed, and nobody has been home for 15 minutes", partition: 1)),
        Sample(
            name: "the schedule is about to arm",
            event: event(
                .info, "SCHEDULE_SOON",
                "Partition 1 Ground floor is not armed; unless somebody declines, the schedule arms it (stay) at 23:30",
                partition: 1)),
        Sample(
            name: "declined",
            event: event(
                .info, "SCHEDULE_DECLINED",
                "Partition 1 Ground floor stays disarmed: what the schedule was about to arm was declined by Anna (Pixel)",
                partition: 1)),
        Sample(
            name: "armed by the schedule",
            event: event(
                .armed, "652", "Partition 1 Ground floor armed stay, by the schedule", partition: 1,
                user: "the schedule"),
            status: .armed(.stay)),
        Sample(
            name: "not armed by the schedule",
            event: event(
                .fault, "SCHEDULE_FAILED",
                "Partition 1 Ground floor was NOT armed by the schedule: refused: not ready: open zones 3 (Kitchen window)",
                partition: 1)),
        Sample(name: "power cut", event: event(.fault, "802", "Mains power lost")),
        Sample(name: "power back", event: event(.recovery, "803", "Mains power restored")),
        Sample(name: "power back in an alarm", event: event(.recovery, "803", "Mains power restored"), status: inAlarm),
        Sample(name: "panel battery low", event: event(.fault, "800", "Panel battery low")),
        Sample(name: "panel battery good", event: event(.recovery, "801", "Panel battery restored")),
        Sample(name: "siren", event: event(.fault, "806", "Bell circuit trouble")),
        Sample(name: "siren good", event: event(.recovery, "807", "Bell circuit restored")),
        Sample(
            name: "monitoring station",
            event: event(.fault, "814", "The panel could not report to its monitoring station")),
        Sample(
            name: "station good", event: event(.recovery, "815", "The panel reports to its monitoring station again")),
        Sample(name: "fire detector faulty", event: event(.fault, "842", "Fire detector trouble (not a fire)")),
        Sample(name: "fire detector good", event: event(.recovery, "843", "Fire detector trouble over")),
        Sample(
            name: "detector missing",
            event: event(
                .fault, "605", "Zone 3 Kitchen window does not report (supervision lost)", zone: 3, partition: 1)),
        Sample(
            name: "detector back",
            event: event(.recovery, "606", "Zone 3 Kitchen window reports again", zone: 3, partition: 1)),
        Sample(
            name: "detector battery low",
            event: event(.fault, "832", "Zone 3 Kitchen window battery low", zone: 3, partition: 1)),
        Sample(
            name: "detector battery good",
            event: event(.recovery, "833", "Zone 3 Kitchen window battery restored", zone: 3, partition: 1)),
        Sample(
            name: "trouble light",
            event: event(.fault, "840", "Trouble light on, partition 1 Ground floor", partition: 1)),
        Sample(name: "troubles", event: event(.fault, "849", "Troubles: the panel needs service")),
        Sample(name: "no trouble", event: event(.recovery, "849", "The panel reports no trouble")),
        Sample(
            name: "module lost", event: own(.fault, .panelOffline, "Session with the panel lost: the module closed it.")
        ),
        Sample(name: "module back", event: own(.recovery, .panelOnline, "Session with the panel is back")),
        Sample(name: "key bus lost", event: own(.fault, .keybusLost, "The module does not reach the panel.")),
        Sample(name: "key bus back", event: own(.recovery, .keybusRestored, "The module reaches the panel again")),
        Sample(name: "card failing", event: own(.fault, .storeFailed, "Storage failed: the disk is full")),
        Sample(
            name: "card good",
            event: own(.recovery, .storeRestored, "The store works again; waiting events are being written.")),
        Sample(
            name: "crashed",
            event: own(.fault, .started, "The last run ended by a crash; nothing that was stored is lost.")),
        Sample(name: "a link lost", event: own(.fault, .linkLost, "The link house does not work: no answer.")),
        Sample(name: "a link back", event: own(.recovery, .linkRestored, "The link house works again.")),
        Sample(
            name: "all links lost",
            event: own(.fault, .linksLost, "No link works: nobody outside the house can be reached.")),
        Sample(name: "a channel to phones lost", event: own(.fault, .pushOffline, "ntfy cannot be reached.")),
        Sample(name: "a channel to phones back", event: own(.recovery, .pushOnline, "ntfy is reached again.")),
        Sample(name: "a phone lost", event: own(.fault, .phoneLost, "Anna's phone cannot be reached any more.")),
        Sample(
            name: "sign of life refused", event: own(.fault, .deadManPingFailed, "The sign of life could not be given.")
        ),
        Sample(
            name: "sign of life taken", event: own(.recovery, .deadManPingRestored, "The sign of life is taken again.")),
        Sample(
            name: "a UPS on battery",
            event: own(.fault, .upsOnBattery, ups(UPSReading(.battery, charge: 87, runtime: .seconds(2520))).battery)),
        Sample(
            name: "a UPS on battery, nobody knows how long",
            event: own(.fault, .upsOnBattery, ups(UPSReading(.battery)).battery)),
        Sample(
            name: "a UPS nearly empty",
            event: own(.fault, .upsBatteryLow, ups(UPSReading(.low, charge: 9, runtime: .seconds(250))).low)),
        Sample(
            name: "a UPS with mains again", event: own(.recovery, .upsMains, ups(UPSReading(.mains, charge: 35)).mains)),
        Sample(
            name: "a UPS lost",
            event: own(
                .fault, .upsLost,
                UPSWords.lost(
                    UPSSettings(host: "192.168.1.20", name: "eaton"), silentFor: .minutes(2),
                    "it did not answer in time",
                    .mains))),
        Sample(name: "a UPS found", event: own(.recovery, .upsRestored, ups(UPSReading(.mains)).found)),
        Sample(name: "another trouble", event: own(.fault, .modem, "The modem does not work: no SIM.")),
        Sample(name: "another end", event: event(.recovery, "999", "It is over")),
        Sample(name: "test notice", event: own(.info, .test, "Test notice: the box is heard here.")),
        Sample(
            name: "test alarm",
            event: {
                var event = own(.info, .test, "Test alarm: nothing has happened.")
                event.flags.insert(.testAlarm)
                return event
            }()),
        Sample(name: "somebody has seen it", event: event(.info, "SEEN", "Anna has seen the alarm.", user: "Anna")),
        Sample(name: "news", event: own(.info, .configurationChanged, "The configuration was read anew.")),
    ]

    @Test("the table in docs has every kind of news, with its sound and buttons, in English and German")
    func theTableInDocsHasEveryKindOfNews() throws {
        var subjects: Set<NoticeSubject> = []
        var out =
            """
            What people are told: title and text in each language, and how it reaches them. This file is written by
            NoticeTableTests. "rings" is the priority of ntfy: 5 rings through "do not disturb", 4 rings, 3 does not, 2 is silent.
            Mails with high importance are those of alarms. Buttons are those of a phone that may do everything.

            """
        for sample in Self.samples {
            var partition = PartitionState(number: sample.event.partition ?? 1, name: nil)
            partition.status = .known(sample.status)
            if sample.status.isAlarm || sample.hasIncident {
                var incident = Incident(
                    since: sample.began, wasArmed: true, unheardSince: sample.unheardSince, zones: sample.alarmZones)
                incident.isShown = true
                incident.sirenStopped = sample.sirenStopped
                incident.end = sample.end
                partition.incident = incident
            }
            subjects.insert(sample.event.subject(Self.names, partitions: [partition]))
            out += "\n== \(sample.name)\n"
            for language in NoticeLanguage.allCases {
                let words = NoticeText(
                    siteName: "Mill Lane 4", names: Self.names, timeZone: .utc, language: language)
                let notice = words.notice(sample.event, partitions: [partition])
                let buttons = Deliveries.buttons(ContactVerb.allCases, for: sample.event).prefix(3).map {
                    words.label($0, for: sample.event)
                }
                out += "\(language.rawValue)  \(notice.title)\n    \(notice.text)\n"
                if !buttons.isEmpty { out += "    [\(buttons.joined(separator: "] ["))]\n" }
                guard language == .german else { continue }
                var delivery = Delivery(
                    message: MessageID("m"),
                    address: DeliveryAddress(.phone(.topic), "ntfy.sh/t"), content: .words(notice),
                    priority: sample.event.priority, timeToLive: 0)
                if sample.event.priority == .info { delivery.priority = .state }
                out += "    rings \(NtfyPublication.priority(of: delivery)), picture \(try Self.picture(delivery))"
                out += delivery.isAlarm ? ", mail of high importance\n" : "\n"
            }
        }
        out +=
            "\n\nThe lives of seven incidents as a person reads them who is told everything, behind the panel's lines.\n"
        for life in IncidentLives.all {
            var house = IncidentLives(names: Self.names, at: Self.noon)
            out += "\n== \(life.name)\n" + house.lines(of: life).joined(separator: "\n") + "\n"
        }
        #expect(subjects == Set(NoticeSubject.allCases), "\(Set(NoticeSubject.allCases).subtracting(subjects))")
        let file = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../../docs/notices.txt").standardized
        if ProcessInfo.processInfo.environment["HOWALARMING_KEEP_TOLD"] == "1" { try Data(out.utf8).write(to: file) }
        let kept = try String(contentsOf: file, encoding: .utf8)
        for (line, (is_, was)) in zip(out.split(separator: "\n"), kept.split(separator: "\n")).enumerated() {
            #expect(is_ == was, "line \(line + 1) without blank ones")
        }
        #expect(out == kept)
    }

    /// As the store app shows it.
    private static func picture(_ delivery: Delivery) throws -> String {
        let settings = NtfySettings()
        guard case .success(let request) = NtfyPublication.request(for: delivery, settings) else { return "none" }
        return try #require(
            try JSON(parsing: String(decoding: request.body, as: UTF8.self))["tags"]?.arrayValue?.first?.stringValue)
    }

    @Test(
        "what somebody can mend is told with the journal's sentence in English, and with what to do next",
        arguments: [
            "the module lost while armed", "mains and battery lost", "armed with a bypass",
            "reminder: zones left bypassed", "not armed by the schedule", "panel battery low", "siren",
            "monitoring station", "fire detector faulty", "detector missing", "detector battery low", "trouble light",
            "troubles", "module lost", "key bus lost", "card failing",
        ])
    func whatSomebodyCanMendIsToldWithWhatToDo(name: String) throws {
        let event = try #require(Self.samples.first { $0.name == name }).event
        let words = NoticeText(siteName: "", names: Self.names, timeZone: .utc, language: .english)
        let text = words.notice(event, partitions: []).text
        let advice = text.dropFirst(event.message.count).drop { $0 == "." }
        #expect(text.hasPrefix(event.message) && advice.hasPrefix(" ") && advice.hasSuffix("."), "\(text)")
    }

    @Test("good news in an alarm says that the alarm goes on; a zone or key of the alarm that is quiet is no good news")
    func goodNewsInAnAlarmSaysThatTheAlarmGoesOn() {
        var partition = PartitionState(number: 1)
        partition.status = .known(Self.inAlarm)
        for sample in Self.samples where sample.event.type == .recovery {
            for language in NoticeLanguage.allCases {
                let words = NoticeText(siteName: "", names: Self.names, timeZone: .utc, language: language)
                let notice = words.notice(sample.event, partitions: [partition])
                let isSaid = notice.text.contains("still in alarm") || notice.text.contains("weiter im Alarm")
                #expect(isSaid, "\(sample.name)")
                guard sample.event.zone != nil, ["602", "604"].contains(sample.event.code) else { continue }
                #expect(notice.subject == .otherAlarm && notice.title.contains("ALARM"), "\(sample.name)")
            }
        }
    }
}
