import AlarmModel
import ApplianceCore
import PanelLink
import PhoneLink
import PhoneProtocol
import SoftwareUpdate
import Testing
import Uplinks

@testable import Daemon
@testable import EventStore
@testable import Reports
@testable import Subcommands

/// What earlier versions have stored and recorded, and what scripts read. See `KeptForm` for how lines are added.
@Suite("Forms of what is stored, recorded and read by scripts")
struct KeptFormTests {
    @Test("everything that the core is told is read as a version before wrote it into a recording")
    func everythingThatTheCoreIsToldIsReadAsAVersionBeforeWrote() throws {
        try KeptForm("inputs.jsonl").check(as: Input.self)
    }

    @Test("every answer of the control socket is as it was")
    func everyAnswerOfTheControlSocketIsAsItWas() throws { try KeptForm("replies.jsonl").check(as: ControlReply.self) }

    @Test("phone books, the snapshot's rows and outcomes of commands are read as they were stored")
    func phoneBooksTheSnapshotsRowsAndOutcomesOfCommandsAreRead() throws {
        try KeptForm("phone-books.jsonl").check(as: PhoneBook.self)
        try KeptForm("snapshot-partitions.jsonl").check(as: PartitionState.self)
        try KeptForm("snapshot-zones.jsonl").check(as: ZoneState.self)
        try KeptForm("snapshot-systems.jsonl").check(as: SystemState.self)
        try KeptForm("snapshot-boxes.jsonl").check(as: SnapshotRows.Box.self)
        try KeptForm("outcomes.jsonl").check(as: Outcome.self)
    }

    @Test("a snapshot's row with what few houses have, has its kept form")
    func aSnapshotsRowWithWhatFewHousesHave() throws {
        let time = WallTime(milliseconds: 1_796_079_600_000)
        let snapshots = [
            Snapshot(refusedPIN: .max, receiver: ReceiverRecord(sequence: 17, message: MessageID("00000001-2"))),
            Snapshot(linkUsage: [LinkUsage(name: "lte", month: 24_322, bytes: 7, monthBefore: .max)]),
            Snapshot(acceptedTime: time, ups: UPSRecord(place: "eaton 192.0.2.9:3493", supply: .low, isLost: true)),
            Snapshot(
                reminders: RemindersRecord(
                    armings: [.init(partition: 1, at: time)], toldOpen: [3])),
            Snapshot(
                watch: ["phone 0000000000000007", "service", "receiver"].map { watcher in
                    WatchRecord(watcher: watcher, month: 24_322, count: 9, longestGap: 900, last: time)
                }),
        ]
        var kept = try KeptForm("snapshot-boxes-rare.jsonl")
        try kept.expect(snapshots.map { try KeptForm.text(SnapshotRows.Box($0)) })
        kept.check(as: SnapshotRows.Box.self)
    }

    @Test("an outcome with each reason has its kept form")
    func anOutcomeWithEachReasonHasItsKeptForm() throws {
        let reasons: [Reason] = [
            .notReady(openZones: [1, 2]), .alreadyArmed, .wrongCode, .noCode, .lockedOut, .installerMode,
            .partitionBusy, .keybusDown, .panelStale, .panelRefused(error: 24), .notSupported("x"), .badRequest("y"),
            .unknownZone(65), .unknownPartition(9), .bypassWhileArmed, .bypassNeedsCode, .storageFailed, .queueFull,
            .stopping, .staleChallenge, .notAllowed, .unknownVerb("z"), .tooManyCommands, .conditionChanged,
            .codeWithheld,
        ]
        let outcomes =
            [Outcome.done, .notConfirmed, .expired] + reasons.map { .refused($0) } + reasons.map { .failed($0) }
        var kept = try KeptForm("outcomes-all.jsonl")
        try kept.expect(outcomes.map { try KeptForm.text($0) })
        kept.check(as: Outcome.self)
    }

    @Test("what a start finds, and how a connection ends, is read as it was recorded")
    func whatAStartFinds() throws {
        let failures: [TLSFailure] = [
            .certificateExpired, .certificateNotYetValid, .clockDoubtful(WallTime(milliseconds: 5)), .wrongHost,
            .selfSigned, .unknownAuthority, .tooWeak("a"), .certificateRejected("b"), .stalled, .cutOff,
            .protocolError("c"), .noAuthorities("d"), .impostor,
        ]
        let ends: [ConnectionEnd] =
            [.refused, .reset, .timedOut, .unreachable, .finished, .local, .failed(errno: 5)]
            + failures.map { .tls($0) }
        let findings: [StartFinding] = [
            .storeDamaged(keptAs: "a", why: "b"), .storeUnavailable(why: "c"), .snapshotUnreadable(why: "d"),
            .checkUnfinished, .safeMode(crashes: 3, setAside: 2), .searchUnfinished, .crashed, .restoredFromBackup,
            .phoneFileDamaged(why: "e"), .consolePINReset, .consolePINNotReset(why: "f"),
        ]
        let inputs: [Input] =
            ends.map { .closed(ConnectionID(7), $0) } + findings.map { .found($0) } + [
                .reload(.refused(["c.yaml:1:1: wrong"])), .signal(.terminate),
                .resolved(ResolveID(3), .failed(.timedOut)), .badRequest(ConnectionID(9), ControlRequestError("x")),
                .commitFailed(from: BatchID(1), upTo: BatchID(2), StoreFailure(.full, "x")),
                .request(ConnectionID(9), .command(.arm(partition: 1, mode: .away, force: true), code: Secret("1234"))),
                .request(ConnectionID(9), .update(bundle: "/x.bundle", isOlderConfirmed: true)),
                .derived(DeriveID(1), .made(ConsolePIN(logN: 14, blockSize: 8, parallel: 1, salt: [1], hash: [2]))),
                .timer(.power), .started(Self.withUPS), .started(Self.withReceiver),
                .started(Self.withCalls(hasKeys: true)), .started(Self.withCalls(hasKeys: false)),
                .modem(.textReceived(number: "+431234567", text: "OK")), .started(Self.withNamedTexts),
                .modem(.call(CallID(3), .answered)), .modem(.call(CallID(3), .keyPressed)),
                .modem(.call(CallID(3), .toneFailed(ModemFailure(.notAllowed)))), .modem(.call(CallID(4), .ended)),
                .modem(.call(CallID(5), .failed(ModemFailure(.other, "the call broke off")))),
                .started(Self.withModemCalls()),
                .modem(.call(CallID(3), .unspoken(ModemFailure(.other, "no sound")))),
                .started(Self.withModemCalls(speaker: "/run/other/socket")), .started(Self.watched),
            ]
        var kept = try KeptForm("inputs-rare.jsonl")
        try kept.expect(inputs.map { try KeptForm.text($0) })
        kept.check(as: Input.self)
    }

    /// With a UPS that was told of before.
    private static var withUPS: Start {
        var configuration = Configuration(panelHost: "192.0.2.7", panel: PanelSettings(password: Secret("x")))
        configuration.ups = UPSSettings(host: "192.0.2.9", name: "eaton", user: "a", password: Secret("b"))
        return Start(
            configuration: configuration,
            snapshot: Snapshot(ups: UPSRecord(place: "eaton 192.0.2.9:3493", supply: .low)))
    }

    /// With a receiver that was told something before.
    private static var withReceiver: Start {
        var configuration = Configuration(panelHost: "192.0.2.7", panel: PanelSettings(password: Secret("x")))
        var receiver = ReceiverSettings(
            host: "192.0.2.9", port: 9999, security: .tls(authorityFile: "ca.pem"), account: "12AB", key: Secret("b"))
        (receiver.receiver, receiver.line) = (31, 2)
        configuration.phones.channels = [.receiver(receiver)]
        configuration.phones.house = [
            .init(kind: .receiver, value: "12AB", triggers: [.alarm], goesByOwnType: true, isDuressContact: true)
        ]
        var book = PhoneBook()
        book.house = [
            HouseAddress(
                address: AddressID(1), kind: .receiver, value: "12AB", triggers: [.alarm], goesByOwnType: true,
                isDuressContact: true)
        ]
        var start = Start(
            configuration: configuration,
            snapshot: Snapshot(receiver: ReceiverRecord(sequence: 17, message: MessageID("00000001-2"))))
        start.phoneBook = book
        return start
    }

    /// Whose signs of life were counted before.
    private static var watched: Start {
        let watchers = ["phone 0000000000000007", "service", "receiver"]
        return Start(
            configuration: Configuration(panelHost: "192.0.2.7", panel: PanelSettings(password: Secret("x"))),
            snapshot: Snapshot(
                watch: watchers.map { watcher in
                    WatchRecord(
                        watcher: watcher, month: 24_322, count: 9, longestGap: 900, last: WallTime(milliseconds: 7))
                }))
    }

    private static var withNamedTexts: Start {
        var configuration = Configuration(panelHost: "192.0.2.7", panel: PanelSettings(password: Secret("x")))
        var texts = TextAlarmSettings(numbers: ["+431234567"])
        texts.people = [.init(name: "Anna", number: "+431234567")]
        configuration.texts = texts
        return Start(configuration: configuration)
    }

    private static func withModemCalls(speaker: String? = nil) -> Start {
        var configuration = Configuration(panelHost: "192.0.2.7", panel: PanelSettings(password: Secret("x")))
        var calls = CallerSettings(
            provider: nil, people: [.init(name: "Anna", number: "+431234567")], unless: .confirmed)
        calls.speaker = speaker
        configuration.calls = calls
        return Start(configuration: configuration)
    }

    private static func withCalls(hasKeys: Bool) -> Start {
        var configuration = Configuration(panelHost: "192.0.2.7", panel: PanelSettings(password: Secret("x")))
        var provider = CallSettings(
            HTTPOrigin(host: "calls.example", port: 443, security: .tls(authorityFile: "ca.pem")), target: Secret("/c"),
            headers: [CallSettings.basic(user: "a", password: Secret("b"))],
            body: hasKeys ? .form([.init("to", Secret("{number}"))]) : .json(Secret(#"["{number}"]"#)))
        if hasKeys { provider.status = .init(callPath: "id", target: Secret("/c/{call}"), keyPath: "key") }
        configuration.calls = CallerSettings(
            provider: provider, people: [.init(name: "Anna", number: "+431234567")], patience: .minutes(2),
            unless: .taken)
        return Start(configuration: configuration)
    }

    private static var powered: StatusReport {
        var report = StatusReport(
            siteName: "Mill", version: "1.0.0", uptime: .seconds(9), time: WallTime(milliseconds: 7),
            isTimeTrusted: true,
            panel: PanelState(), panelPhase: .up, panelProblem: nil, panelHost: "192.0.2.7:4025",
            store: StoreReport(lastSequence: SequenceNumber(8)), isMaintenance: false, clients: 1)
        report.ups = UPSReport(
            name: "eaton", server: "192.0.2.9:3493",
            reading: UPSReading(.battery, isEnding: false, charge: 87, runtime: .seconds(2520)),
            lastRead: WallTime(milliseconds: 6), problem: "it did not answer in time; we try again", isLost: true)
        return report
    }

    /// A topic says who is at home, and the schedule is about to arm.
    private static var scheduled: StatusReport {
        var report = powered
        report.ups = nil
        report.presence = PresenceReport(.notHome, topic: "house/presence")
        report.schedule = [RemindersRecord.Arming(partition: 1, at: WallTime(milliseconds: 8))]
        return report
    }

    @Test("an alarm that could not be stored, a line of the panel and a message that nobody got are told as before")
    func anAlarmThatCouldNotBeStored() throws {
        var event = Event(
            type: .alarm, code: "601", raw: "6011003", message: "Alarm: zone 3", time: WallTime(milliseconds: 7),
            isTimeTrusted: false, partition: 1, partitionName: "House", zone: 3, zoneName: "Door", user: 40,
            userName: "Anna", flags: [.whileAway, .flapping], flapCount: 9, command: CommandID(4))
        let message = StoredMessage(
            message: MessageID("00000001-2"), address: AddressID(3), seq: SequenceNumber(8), event: event,
            createdAt: WallTime(milliseconds: 8), expiresAt: WallTime(milliseconds: 9), state: .dead, detail: "gone",
            takenAt: [AddressID(4)])
        event.unstored = UnstoredMark(boot: "0badcafe", counter: 5)
        let replies: [ControlReply] = [
            .unstored(event), .endOfEvents, .deadMessages([DeadMessage(phone: "Annas phone", message: message)]),
            .trace(TraceLine(.fromPanel, "6011003"), dropped: 2), .status(Self.powered),
            .status(Self.scheduled),
        ]
        var kept = try KeptForm("replies-rare.jsonl")
        try kept.expect(replies.map { try KeptForm.text($0) })
        kept.check(as: ControlReply.self)
    }

    @Test("what --json prints of each kept answer is as it was")
    func whatJsonPrintsOfEachKeptAnswerIsAsItWas() throws {
        var lines: [String] = []
        let now = WallTime(milliseconds: 1_795_000_500_000)
        let replies = try ["replies.jsonl", "replies-rare.jsonl"].flatMap {
            try KeptForm($0).values(ControlReply.self)
        }
        for reply in replies {
            switch reply {
            case .status(let report): lines.append(StatusJSON.of(StatusView(report)).text)
            case .events(let events): lines += events.prefix(2).map { EventText.json($0) }
            case .unstored(let event): lines.append(EventText.json(unstored: event))
            case .panel(let report):
                lines.append(PanelText.json(report, now: BootTime(nanoseconds: 900_000_000_000)).text)
            case .links(let report): lines.append(LinksJSON.of(report).text)
            case .trace(let line, let dropped): lines.append(TraceText.json(line, dropped: dropped, at: now))
            case .people(let people): lines += PeopleText(people: people, showsDuress: true).json
            case .phones(let report): lines.append(PhonesJSON.of(report).text)
            case .deadMessages(let messages): lines += messages.prefix(2).map { DeadText.json($0) }
            case .endOfEvents, .outcome, .maintenance, .pairing, .changed, .console, .error: break
            }
        }
        var kept = try KeptForm("printed.jsonl")
        try kept.expect(lines)
    }

    @Test("the phones' file, a backup and an update's manifest have their kept bytes, and are read from them")
    func thePhonesFileABackupAndAnUpdatesManifestHaveTheirKeptBytes() throws {
        var lines: [String] = []
        for (index, book) in try KeptForm("phone-books.jsonl").values(PhoneBook.self).prefix(4).enumerated() {
            let keys = book.phones.map { ($0.id, [UInt8](repeating: UInt8(index + 1), count: 40)) }
            let codes = index == 0 ? [] : [(PersonID(1), [UInt8](0..<20))]
            let form = PhoneFileForm(generation: UInt64(index + 5), book: book, keys: keys, codes: codes)
            lines.append(Hex.encode(try form.checkedBytes()))
            #expect(try PhoneFileForm(Hex.decode(lines[index])) == form)
        }
        let archive = StateArchive(files: [
            .init(name: "journal.db", content: [1, 2]), .init(name: "phones", content: []),
        ])
        lines.append(Hex.encode(archive.bytes))
        #expect(try StateArchive(parsing: archive.bytes) == archive)
        let manifest = BundleManifest(
            release: ReleaseDescription(
                board: "rpi", version: "2.0.1", number: 7, floor: 3, built: "2026-11-23T10:00:00Z"),
            parts: [.init(name: "slot", bytes: 512, sha256: [UInt8](repeating: 0xAB, count: 32))])
        lines.append(String(decoding: manifest.bytes, as: UTF8.self))
        #expect(try BundleManifest(manifest.bytes) == manifest)
        var kept = try KeptForm("files.txt")
        try kept.expect(lines)
        for line in kept.lines.dropLast(2) { _ = try PhoneFileForm(Hex.decode(line)) }
    }

    @Test("what the core asks of the taker of pictures, and what that answers, has its kept form")
    func whatIsAskedOfTheTakerOfPicturesHasItsKeptForm() throws {
        let server = PictureUpload.sealed(try HTTPURL("https://ntfy.example/"), authorization: Secret("Bearer tk_a"))
        var again = PictureRequest.Again(
            from: WallTime(milliseconds: 1_795_000_000_000), until: WallTime(milliseconds: 1_795_000_025_000), most: 6,
            cameras: ["Garage", "Street 2"])
        again.uploads = [server]
        var shot = PictureRequest.Shot(
            camera: Camera(name: "Garage", url: try HTTPURL("http://192.168.1.60/snapshot.jpg")),
            time: WallTime(milliseconds: 1_795_000_000_000), uploads: [server])
        var tasks: [PictureRequest.Task] = [.tidy, .forget, .take(shot), .again(again)]
        (again.link, shot.link) = ("eth0", "eth0")
        (again.authorities[.topics], shot.authorities[.mail]) = ("PEM", "PEM")
        tasks += [.take(shot), .again(again)]
        let requests = tasks.map { PictureRequest($0, keptDays: 30, keptBytes: 1 << 26) }
        let answers: [PictureAnswer] = [
            .kept(bytes: 5), .done(sent: 1), .failed("a"), .unsent("b"),
            .sealed(
                PictureReference(
                    camera: "Garage", url: "https://ntfy.example/file/a",
                    key: Secret(String(repeating: "k", count: 43)), hash: String(repeating: "h", count: 43), bytes: 17,
                    expires: WallTime(milliseconds: 5000))),
        ]
        var kept = try KeptForm("picture-talk.jsonl")
        try kept.expect(requests.map(\.json.text) + answers.map(\.json.text))
        #expect(kept.lines.prefix(requests.count).map { PictureRequest(Array($0.utf8)) } == requests)
        #expect(kept.lines.dropFirst(requests.count).map { PictureAnswer(Array($0.utf8)) } == answers)
    }

    @Test("a recording of a former version is read from the start of the daemon on, all of it")
    func aRecordingOfAFormerVersionIsReadFromTheStartOfTheDaemonOn() throws {
        var kept = try KeptForm("recording.hex")
        if KeptForm.isKeeping, kept.lines.isEmpty {
            var bench = try RecorderBench(RecorderBench.house())
            bench.connectPanel()
            for line in ["6011003CB", "6543D2", "6021003CC"] {
                bench.feed(.received(ConnectionID(1), Array("\(line)\r\n".utf8)))
            }
            let frames = RecordingSegment(name: "s", bytes: bench.tape.bytes).frames
            let head = JSON.object([
                "format": .integer(2), "version": .string("1.0.0-kept"), "run": .string("r"), "step": .integer(0),
                "state": .object([]),
            ])
            try kept.keep(([.checkpoint(head)] + frames).map { Hex.encode($0.bytes) })
        }
        let tape = Tape()
        tape.segments = [try kept.lines.flatMap { try Hex.decode($0) }]
        let frames = RecordingSegment(name: "s", bytes: tape.bytes).frames
        #expect(frames.count == kept.lines.count - 1 && frames.count > 10)
        // What the core of today orders may be something else; that it was told everything is what counts here.
        let (verdict, lines, _) = tape.replay()
        switch verdict {
        case .same, .differs: break
        case .damaged, .ofAnotherVersion: Issue.record("it is not read: \(lines)")
        }
        for case .input(let recorded) in frames { #expect(try RecordedInput(bytes: recorded.bytes) == recorded) }
    }

    @Test("every property of what is stored and recorded is in its form")
    func everyPropertyOfWhatIsStoredAndRecordedIsInItsForm() throws {
        var found: Set<String> = []
        var harvest = FormHarvest()
        var looked = 0
        try harvest.live { input, effects in
            looked += 1
            if case .received = input {} else { FormCompleteness.check(input, &found) }
            for effect in effects {
                switch effect {
                case .reply(_, let reply): FormCompleteness.check(reply, &found)
                case .commit(let batch):
                    if let book = batch.phoneBook { FormCompleteness.check(book, &found) }
                    if let snapshot = batch.snapshot { FormCompleteness.check(SnapshotRows.Box(snapshot), &found) }
                default: break
                }
            }
        }
        try keep(harvest)
        #expect(looked > 10_000)
        #expect(found.isEmpty, "\(found.sorted())")
    }

    /// Adds the forms of simulated houses to the kept ones, where that is wanted.
    private func keep(_ harvest: FormHarvest) throws {
        guard KeptForm.isKeeping else { return }
        for (name, lines) in [
            ("inputs.jsonl", harvest.inputs), ("replies.jsonl", harvest.replies),
            ("phone-books.jsonl", harvest.books), ("snapshot-partitions.jsonl", harvest.partitions),
            ("snapshot-zones.jsonl", harvest.zones), ("snapshot-systems.jsonl", harvest.systems),
            ("snapshot-boxes.jsonl", harvest.boxes), ("outcomes.jsonl", harvest.outcomes),
        ] {
            var kept = try KeptForm(name)
            try kept.keep(lines)
        }
    }
}
