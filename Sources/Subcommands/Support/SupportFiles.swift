import AlarmModel
import ApplianceCore
import CommandKit
import Daemon
import EventStore
import Glibc
import PanelLink
import PhoneProtocol
import Platform
import Reports
import YAMLConfiguration

/// What goes into the archive. Whatever cannot be had is a file that says why.
struct SupportFiles {
    var stateDirectory: String
    var configurationFile: String?
    var keptLogs = KeptLogs()

    /// Events, newest, that help to understand a fault.
    private static let eventLimit = 5000
    private static let traceTime: Duration = .seconds(3)

    /// All of it as a tar archive.
    func archive(at time: WallTime) -> [UInt8] {
        var archive = TarArchive(time: time.seconds)
        for (name, content) in all() { archive.add("howalarming-support/\(name)", content) }
        return archive.complete
    }

    func all() -> [(name: String, content: [UInt8])] {
        let file = configurationFile ?? SavedConfiguration.path(of: stateDirectory)
        let result = file.map { ConfigurationReader.read(file: $0) }
        let redaction = SupportRedaction(result?.configuration)
        let texts: [(String, String)] = [
            ("version.txt", VersionText.line(json: false) + "\n"), ("status.json", status()),
            ("panel.json", ask(.panel)), ("panel-trace.txt", trace()), ("links.json", ask(.links(isTest: false))),
            ("phones.json", ask(.phones(.list))), ("events.jsonl", events()),
            ("configuration.json", configuration(file, result)), ("self-test.json", selfTest()),
            ("system.txt", SystemFacts.text(stateDirectory: stateDirectory)), ("log.txt", ServiceLog.text()),
        ]
        return (texts + keptLogs.all()).map { ($0.0, redaction.clean(Array($0.1.utf8))) } + recordings(redaction)
    }

    /// The flight recorder's segments, which hold placeholders; one that holds a secret all the same stays here.
    /// Where there was duress they all stay, in the same words: nothing that is handed out tells of it
    /// (docs/ARCHITECTURE.md 1.6).
    private func recordings(_ redaction: SupportRedaction) -> [(name: String, content: [UInt8])] {
        let directory = RecordingFiles.directory(in: stateDirectory)
        let isShareable = (try? JournalReader(directory: stateDirectory).hasDuress()) == false
        return RecordingFiles.names(in: directory).map { name in
            isShareable ? recording(name, in: directory, redaction) : Self.withheld(name)
        }
    }

    private func recording(
        _ name: String, in directory: String, _ redaction: SupportRedaction
    ) -> (name: String, content: [UInt8]) {
        do {
            let bytes = try FileReader.read("\(directory)/\(name)", limit: RecordingSegment.limit)
            if redaction.clean(bytes) == bytes { return ("recorder/\(name)", bytes) }
            return Self.withheld(name)
        } catch {
            return ("recorder/\(name).txt", Array("\(error)\n".utf8))
        }
    }

    private static func withheld(_ name: String) -> (name: String, content: [UInt8]) {
        ("recorder/\(name).txt", Array("left out: a secret is in it\n".utf8))
    }

    private func status() -> String {
        do throws(DaemonLinkError) {
            switch try DaemonLink.ask(.status, in: stateDirectory) {
            case .status(var report):
                report.phones = report.phones.map(SupportRedaction.phones)
                return StatusJSON.of(StatusView(report)).text + "\n"
            case let other: return Self.unexpected(other)
            }
        } catch {
            guard error.isNoDaemon else { return "\(error)\n" }
            do throws(StoreError) {
                let reader = try JournalReader(directory: stateDirectory)
                let store = StoreReport(lastSequence: try reader.lastSequence())
                let view = StatusView(
                    snapshot: try reader.snapshot(), store: store, time: SystemClock.wallTime())
                return StatusJSON.of(view).text + "\n"
            } catch {
                return "no daemon runs, and the journal cannot be read: \(error)\n"
            }
        }
    }

    private func ask(_ request: ControlRequest) -> String {
        do throws(DaemonLinkError) {
            switch try DaemonLink.ask(request, in: stateDirectory) {
            case .panel(let report): return PanelText.json(report, now: SystemClock.bootTime()).text + "\n"
            case .links(let report): return LinksJSON.of(report).text + "\n"
            case .phones(let report): return PhonesJSON.of(SupportRedaction.phones(report)).text + "\n"
            case let other: return Self.unexpected(other)
            }
        } catch {
            return "\(error)\n"
        }
    }

    private static func unexpected(_ reply: ControlReply) -> String {
        if case .error(let why) = reply { return "\(why)\n" }
        return "the daemon answered something else\n"
    }

    /// A moment of the line: enough to see a session that fails again and again.
    private func trace() -> String {
        var lines: [String] = []
        do throws(DaemonLinkError) {
            let link = try DaemonLink(stateDirectory: stateDirectory)
            try link.send(.trace)
            let end = SystemClock.bootTime() + Self.traceTime
            while SystemClock.bootTime() < end {
                guard case .trace(let line, _) = try link.receive(within: end - SystemClock.bootTime()) else { break }
                lines.append("\(line.direction.rawValue) \(Text.printable(line.text))")
            }
        } catch {
            if !error.isTimeOut { lines.append("\(error)") }
        }
        return (lines + ["(\(Text.span(Self.traceTime)) of the line)"]).joined(separator: "\n") + "\n"
    }

    private func events() -> String {
        do throws(StoreError) {
            let stored = StoredEvents(reader: try JournalReader(directory: stateDirectory))
            var lines: [String] = []
            try stored.read(EventQuery(order: .newest, limit: Self.eventLimit)) { events in
                lines += events.map(EventText.json)
                return true
            }
            return lines.joined(separator: "\n") + "\n"
        } catch {
            return "\(error)\n"
        }
    }

    private func configuration(_ file: String?, _ result: ConfigurationResult?) -> String {
        guard let file, let result else { return "no daemon has run here yet, and none was named\n" }
        let problems = JSON.array(result.problems.map { .string($0.description) })
        return JSON.object([
            "file": .string(file), "problems": problems,
            "configuration": result.configuration.map(SupportRedaction.configuration) ?? .null,
        ]).text + "\n"
    }

    private func selfTest() -> String {
        var lines: [SelfTestLine] = []
        let test = SelfTest(stateDirectory: stateDirectory, configurationFile: configurationFile, sendsPush: false)
        test.run { lines.append($0) }
        return SelfTestCommand.json(lines).text + "\n"
    }
}
