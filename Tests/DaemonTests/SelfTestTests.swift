import AlarmModel
import ApplianceCore
import Foundation
import PanelLink
import PhoneProtocol
import Platform
import Testing

@testable import Subcommands

@Suite("self-test, line by line")
struct SelfTestTests {
    private func status(_ change: (inout StatusReport) -> Void = { _ in }) -> StatusReport {
        var report = StatusReport(
            siteName: "Mill", version: Product.version, uptime: .hours(1), time: WallTime(milliseconds: 0),
            isTimeTrusted: true, panel: PanelState(), panelPhase: .up, panelProblem: nil, panelHost: "evl.lan:4025",
            store: StoreReport(lastSequence: .zero), isMaintenance: false, clients: 1)
        change(&report)
        return report
    }

    @Test("a lost panel fails with the reason and what to do")
    func aLostPanelFailsWithTheReasonAndWhatToDo() {
        let up = SelfTest.panel(status { $0.panel.link = .up })
        #expect(up.result == .passed && up.text.contains("evl.lan:4025"))
        let down = SelfTest.panel(
            status {
                $0.panel.link = .down
                $0.panelProblem = "wrong password"
            })
        #expect(down.result == .failed && down.text == "wrong password")
        // What is known to be wrong is not followed by a guess.
        #expect(down.advice?.contains("cable") == false && down.advice?.contains("panel trace") == true)
        let unknown = SelfTest.panel(status { $0.panel.link = .down })
        #expect(unknown.advice?.contains("cable") == true)
    }

    @Test("the watchdog passes while pings leave, and fails with the part that is stuck")
    func theWatchdogPassesWhilePingsLeave() {
        let good = WatchdogReport(interval: .seconds(30), sincePing: .seconds(9))
        #expect(SelfTest.watchdog(good).result == .passed)
        #expect(SelfTest.watchdog(WatchdogReport(interval: .seconds(30))).result == .passed, "just started")
        #expect(SelfTest.watchdog(WatchdogReport(interval: .seconds(30), sincePing: .seconds(31))).result == .failed)
        let stuck = SelfTest.watchdog(
            WatchdogReport(interval: .seconds(30), sincePing: .seconds(9), stuck: ["the part 'panel'"]))
        #expect(stuck.result == .failed && stuck.text == "the part 'panel'")
        #expect(SelfTest.watchdog(nil).result == .skipped)
    }

    @Test("a clock that is not synchronised fails, with a daemon and without")
    func aClockThatIsNotSynchronisedFails() {
        #expect(SelfTest.clock(isTrusted: true, isSynchronised: true).result == .passed)
        #expect(SelfTest.clock(isTrusted: nil, isSynchronised: true).result == .passed)
        for (isTrusted, isSynchronised) in [(false, true), (false, false), (nil, false)] as [(Bool?, Bool)] {
            let line = SelfTest.clock(isTrusted: isTrusted, isSynchronised: isSynchronised)
            #expect(line.result == .failed)
            // The console shows it, too, where nobody can type a program's name.
            #expect(line.advice?.contains("'") == false)
        }
    }

    @Test("a slow card and a full one fail")
    func aSlowCardAndAFullOneFail() throws {
        #expect(SelfTest.judged(sync: .milliseconds(20)).result == .passed)
        #expect(SelfTest.judged(sync: .milliseconds(501)).result == .failed)
        #expect(SelfTest.judged(free: 33 << 20, of: 1 << 30).result == .passed)
        #expect(SelfTest.judged(free: 31 << 20, of: 1 << 30).result == .failed)
        let directory = FileManager.default.temporaryDirectory.path
        #expect(SelfTest.writing(in: directory).result == .passed)
        #expect(!FileManager.default.fileExists(atPath: "\(directory)/self-test"))
        #expect(SelfTest.writing(in: "/proc").result == .failed)
        #expect(SelfTest.room(in: "/nowhere").result == .failed)
    }

    @Test("a strict reverse path filter fails where there are two links, and only there")
    func aStrictReversePathFilterFailsWhereThereAreTwoLinks() throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("conf-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: directory) }
        func set(_ interface: String, _ value: Int) throws {
            let folder = directory.appendingPathComponent(interface)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try "\(value)\n".write(to: folder.appendingPathComponent("rp_filter"), atomically: true, encoding: .utf8)
        }
        func lines(_ links: LinksReport?) -> [SelfTestLine] {
            SelfTest.reversePaths(links, in: directory.path)
        }
        let two = LinksSample.report([LinksSample.link("ethernet"), LinksSample.link("wifi", interface: "wlan0")])
        // Of "all" and one's own the larger holds: 0 none, 1 strict, 2 loose.
        for (all, own, isDeaf) in [(0, 0, false), (0, 1, true), (1, 0, true), (2, 1, false), (1, 2, false)] {
            try set("all", all)
            try set("wlan0", own)
            let found = lines(two)
            #expect(found.count == 1)
            #expect((found.first?.result == .failed) == isDeaf, "all \(all), own \(own)")
            if isDeaf {
                #expect(found.first?.subject == "link wifi" && found.first?.text.contains("of wlan0 drops") == true)
                #expect(found.first?.advice?.contains("net.ipv4.conf.all.rp_filter=2") == true)
            }
        }
        try set("all", 1)
        #expect(lines(LinksSample.report([LinksSample.link("wifi", interface: "wlan0")])) == [])
        #expect(lines(nil) == [])
    }

    @Test("an app has the test message when it says so, others when the service took it")
    func anAppHasTheTestMessageWhenItSaysSo() {
        func entry(_ level: PhonesReport.Entry.Level, accepted: Int64? = nil, received: Int64? = nil)
            -> PhonesReport.Entry
        {
            var entry = PhonesReport.Entry(id: "1", name: "Pixel", person: "Anna", level: level, roles: [])
            entry.lastAccepted = accepted.map { WallTime(milliseconds: $0) }
            entry.lastReceived = received.map { WallTime(milliseconds: $0) }
            return entry
        }
        let app = entry(.app, accepted: 1, received: 1)
        #expect(SelfTest.arrival(app, app) == nil)
        #expect(SelfTest.arrival(app, entry(.app, accepted: 2, received: 1)) == nil)
        #expect(SelfTest.arrival(app, entry(.app, accepted: 2, received: 2)) != nil)
        #expect(SelfTest.arrival(entry(.topic), entry(.topic, accepted: 2)) != nil)
        let lost = SelfTest.missing(app, entry(.app, accepted: 2, received: 1))
        #expect(lost.result == .failed && lost.subject == "phone Anna" && lost.text.contains("service took"))
        #expect(SelfTest.missing(app, app).text.contains("has not left"))
    }

    @Test("a house with mail or a broker only has somebody who hears; one with nobody fails")
    func aHouseWithMailOnlyHasSomebodyWhoHears() {
        let mail = PhonesReport.Entry(
            id: "mail", name: "anna@example.net", person: nil, level: .house, roles: ["alarm"])
        let app = PhonesReport.Entry(id: "01", name: "Pixel", person: "Anna", level: .app, roles: ["view"])
        #expect(
            SelfTest.audience([mail])
                == .passed("phones", "nobody is paired; alarms go to mail anna@example.net"))
        #expect(SelfTest.audience([mail, app]) == nil)
        #expect(SelfTest.audience([])?.text.contains("nobody hears of an alarm") == true)
        let missing = SelfTest.missing(mail, mail)
        #expect(missing.subject == "mail" && missing.advice?.contains("section of the configuration") == true)
    }

    @Test("an authority's file passes, fails three weeks before it ends, and fails when it is none")
    func anAuthoritysFilePasses() throws {
        let authority = try Authority()
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("ca-\(UUID().uuidString).pem").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        try authority.certificatePEM.write(toFile: file, atomically: true, encoding: .utf8)
        let until = try AuthorityFile.read(file)[0].until
        #expect(until > SystemClock.wallTime(), "a new authority is valid")
        #expect(SelfTest.certificate(file, now: until - .hours(24 * 22)).result == .passed)
        let soon = SelfTest.certificate(file, now: until - .hours(49))
        #expect(soon.result == .failed && soon.text.contains("ends in 2 days"))
        #expect(SelfTest.certificate(file, now: until + .seconds(1)).result == .failed)
        #expect(SelfTest.certificate("/etc/hostname", now: until).result == .failed)
        let configuration = JSON.object([
            "phones": .object([
                "authorityFile": .string("/a.pem"), "x": .array([.object(["caFile": .string("/b.pem")])]),
            ]),
            "other": .object(["caFile": .string("/a.pem")]),
        ])
        #expect(SelfTest.authorityFiles(in: configuration) == ["/a.pem", "/b.pem"])
    }

    @Test("a failed line says what to do, within 80 columns")
    func aFailedLineSaysWhatToDo() {
        let line = SelfTestLine.failed("panel", String(repeating: "found ", count: 30), "do this")
        let lines = line.lines()
        #expect(lines[0].hasPrefix("FAIL panel"))
        #expect(lines.last?.trimmingCharacters(in: .whitespaces) == "→ do this")
        #expect(lines.allSatisfy { $0.count <= 80 })
    }
}

extension WallTime {
    fileprivate static func - (time: WallTime, span: Duration) -> WallTime {
        WallTime(milliseconds: time.milliseconds - span.milliseconds)
    }
}
