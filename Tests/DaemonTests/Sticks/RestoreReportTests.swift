import AlarmModel
import Card
import Daemon
import EventStore
import Foundation
import Testing

@testable import SerialConsole

@Suite("what came of a backup that was to be brought back") struct RestoreReportTests {
    private static let time = WallTime(milliseconds: 1_795_240_801_250)
    private static let file = "howalarming-2026-11-21-0600.backup"

    /// A state directory, beside which a backup of another one can be prepared.
    private final class Place {
        let directory = NSTemporaryDirectory() + "restore-" + UUID().uuidString
        init() throws {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        }
        deinit { try? FileManager.default.removeItem(atPath: directory) }

        func prepare() throws {
            let other = directory + "/other"
            try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
            let journal = try Journal(directory: other, options: Journal.Options(run: "run"))
            _ = try journal.commit([
                Batch(
                    id: BatchID(1),
                    events: [
                        Event(
                            type: .info, code: "601", raw: "601", message: "of the backup",
                            time: WallTime(milliseconds: 1000), isTimeTrusted: true)
                    ])
            ])
            try StateArchive(of: other).prepareRestoring(into: directory)
        }

        func keep(_ state: RestoreReport.State) {
            RestoreReport(state, file: RestoreReportTests.file, at: WallTime(milliseconds: 0)).keep(in: directory)
        }

        var kept: RestoreReport? { RestoreReport.kept(in: directory) }
        func start() -> RestoreEnd.Outcome { RestoreEnd.reach(in: directory, at: RestoreReportTests.time) }
    }

    @Test("it is read as it was written, and what is no report is none", arguments: RestoreReport.State.allCases)
    func itIsReadAsItWasWritten(state: RestoreReport.State) {
        let report = RestoreReport(state, file: "a \"b\".backup", why: "So it is.", at: Self.time)
        #expect(RestoreReport(json: Array(report.json.utf8)) == report)
        for text in ["", "{}", "{\"state\":\"lost\",\"file\":\"\",\"why\":\"\",\"time\":1}"] {
            #expect(RestoreReport(json: Array(text.utf8)) == nil)
        }
    }

    @Test("the start that puts a backup in place says so, also of one whose report was not finished")
    func theStartThatPutsABackupInPlaceSaysSo() throws {
        for state in [RestoreReport.State.prepared, .begun] {
            let place = try Place()
            try place.prepare()
            place.keep(state)
            #expect(place.start() == .restored)
            #expect(place.kept == RestoreReport(.restored, file: Self.file, at: Self.time))
            #expect(place.start() == .nothing)
            #expect(place.kept?.state == .restored)
        }
    }

    @Test("one that was cut off while it was read is told as not brought back by the next start")
    func oneThatWasCutOffIsToldByTheNextStart() throws {
        let place = try Place()
        place.keep(.begun)
        #expect(place.start() == .nothing)
        let kept = try #require(place.kept)
        #expect(kept.state == .failed && kept.file == Self.file && kept.why.contains("cut off"))
    }

    @Test("a power cut after the last move, before the report of it, is no failure")
    func aPowerCutAfterTheLastMoveIsNoFailure() throws {
        let place = try Place()
        place.keep(.prepared)
        #expect(place.start() == .nothing)
        #expect(place.kept?.state == .restored)
    }

    @Test("a start that cannot put it in place says why, and the first one that can says that it has")
    func aStartThatCannotPutItInPlaceSaysWhy() throws {
        let place = try Place()
        try place.prepare()
        place.keep(.prepared)
        // In the place of the file for the log's number: it can be moved over by nobody.
        let number = "\(place.directory)/\(LogNumber.fileName)"
        try FileManager.default.createDirectory(atPath: number + "/x", withIntermediateDirectories: true)
        guard case .waiting(let why) = place.start() else {
            Issue.record("it was put in place")
            return
        }
        let kept = try #require(place.kept)
        #expect(kept.state == .waiting && kept.file == Self.file && kept.why.contains(why))
        try FileManager.default.removeItem(atPath: number)
        #expect(place.start() == .restored)
        #expect(place.kept?.state == .restored)
    }

    @Test("a service that was killed in the midst of it is told as that, and only then")
    func aServiceThatWasKilledInTheMidstOfItIsTold() {
        let killed = StickReport(id: 7, .failed, "It was stopped at: The backup is opened and checked …")
        let begun = RestoreReport(.begun, file: Self.file, at: Self.time)
        #expect(
            begun.cutOff(by: killed, isPrepared: false)
                == RestoreReport(.failed, file: Self.file, why: killed.message, at: Self.time))
        #expect(begun.cutOff(by: killed, isPrepared: true)?.state == .prepared)
        for phase in [StickReport.Phase.working, .done] {
            #expect(begun.cutOff(by: StickReport(id: 7, phase, "x"), isPrepared: false) == nil)
        }
        for state in RestoreReport.State.allCases where state != .begun {
            let report = RestoreReport(state, file: Self.file, at: Self.time)
            #expect(report.cutOff(by: killed, isPrepared: false) == nil)
        }
    }

    @Test("without a backup from a stick nothing is kept")
    func withoutABackupNothingIsKept() throws {
        let place = try Place()
        #expect(place.start() == .nothing)
        #expect(place.kept == nil)
    }

    // MARK: At the console

    private func bench(_ report: RestoreReport?, columns: Int = 80) -> ConsoleBench {
        var bench = ConsoleBench.up(columns: columns, rows: 24)
        bench.session.view.machine.restore = report
        return bench
    }

    @Test("the first screen says which backup did not come, why, that nothing was changed, and what to do next")
    func theFirstScreenSaysWhichBackupDidNotCome() {
        let report = RestoreReport(.failed, file: Self.file, why: "The passphrase is wrong.", at: Self.time)
        for columns in [80, 40] {
            var bench = bench(report, columns: columns)
            bench.session.view.status = nil
            let words = bench.words.split(separator: " ").joined(separator: " ")
            #expect(words.contains("Restore NOT BROUGHT BACK, 2026-11-21 06:00:01"))
            #expect(words.contains("howalarming-2026-11-21-0600."))
            #expect(words.contains("The passphrase is wrong. Nothing was changed"))
            #expect(words.contains("Press B to try again."))
        }
    }

    @Test("it stays until somebody has read it, which needs neither daemon nor PIN")
    func itStaysUntilSomebodyHasReadIt() {
        var bench = ConsoleBench()
        bench.session.view.machine.restore = RestoreReport(.failed, file: Self.file, why: "Why.", at: Self.time)
        bench.session.closed(.look, "no daemon runs on this state directory", into: &bench.actions)
        bench.type("21")
        #expect(bench.words.contains("NOT BROUGHT BACK"))
        bench.type("m")
        #expect(bench.words.contains("I have read what came of the backup"))
        bench.press(.escape)
        bench.actions = []
        bench.type("k")
        #expect(bench.actions == [.restoreRead])
        #expect(!bench.words.contains("NOT BROUGHT BACK"))
        bench.actions = []
        bench.type("k")
        #expect(bench.actions.isEmpty)
    }

    @Test("a backup that was brought back is told, too, and can be put away")
    func aBackupThatWasBroughtBackIsTold() {
        var bench = bench(RestoreReport(.restored, file: Self.file, at: Self.time))
        #expect(bench.words.contains("brought back, 2026-11-21 06:00:01"))
        bench.type("k")
        #expect(bench.actions == [.restoreRead])
    }

    @Test(
        "what is not over cannot be put away, and is told",
        arguments: [
            (RestoreReport.State.begun, "It is being read"), (.prepared, "The next start of the daemon"),
            (.waiting, "The disk is full. The journal of before goes on"),
        ])
    func whatIsNotOverCannotBePutAway(state: RestoreReport.State, text: String) {
        var bench = bench(RestoreReport(state, file: Self.file, why: "The disk is full.", at: Self.time))
        #expect(bench.words.split(separator: " ").joined(separator: " ").contains(text))
        bench.type("k")
        #expect(bench.actions.isEmpty)
        #expect(bench.session.view.machine.restore != nil)
    }

    @Test("a terminal that only prints gets the page anew when something came of it")
    func aTerminalThatOnlyPrintsGetsThePageAnew() {
        var bench = bench(nil)
        var face = PlainFace()
        _ = face.print(bench.session)
        #expect(face.print(bench.session).isEmpty)
        bench.session.view.machine.restore = RestoreReport(.failed, file: Self.file, why: "Why.", at: Self.time)
        #expect(face.print(bench.session).contains { $0.contains("NOT BROUGHT BACK") })
    }
}
