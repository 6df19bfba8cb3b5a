import AlarmModel
import Foundation
import Glibc
import Testing

@Suite("demo", .serialized, .timeLimit(.minutes(15)))
struct DemoTests {
    /// What runs with this directory as its TMPDIR: the demo and its children, which inherit that.
    private func programs(below directory: TestDirectory) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { Int($0) != nil }.filter { number in
            let environment = FileManager.default.contents(atPath: "/proc/\(number)/environ") ?? Data()
            return String(decoding: environment, as: UTF8.self).contains("TMPDIR=\(directory.path)")
        }
    }

    @Test(
        "the fast demo sees everything, says what to type next, the phone's log is the journal, and leaves neither process nor file"
    )
    func theFastDemoSeesEverything() throws {
        let directory = try TestDirectory()
        let file = "\(directory.path)/demo.yaml"
        let result = try Program.run(
            ["demo", "--fast", "--config-out", file], in: directory, environment: ["TMPDIR": directory.path],
            within: .seconds(120))
        #expect(result.status == 0, "\(result.output.suffix(2000)) \(result.errors)")
        for text in [
            "alarm     Alarm: zone 3 Kitchen window", "Disarmed by Anna (user 1)", "fault     Mains power lost",
            "info      while away: zone 3 Kitchen window open", "events are stored, all that were expected",
            "What to type next:", "22:50", "phone  alarm     Alarm: zone 3 Kitchen window", "phone  arm: ok",
            "Disarmed by Anna (Anna's phone)", "with the same id", "nothing came of it",
            "phone's own log holds",
        ] {
            #expect(result.output.contains(text), "\(text)")
        }
        let phoneAlarms = result.lines.filter { $0.contains("phone  alarm     Alarm: zone") }
        #expect(phoneAlarms.count == 4 && Set(phoneAlarms).count == 4, "\(phoneAlarms)")
        // A path is as long as it is.
        let lines = result.lines.filter { !$0.contains(directory.path) && !$0.contains(Program.path) }
        #expect(lines.filter { $0.count > 100 || $0.contains("\u{1B}") }.isEmpty)
        #expect(try programs(below: directory).isEmpty)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: directory.path).allSatisfy {
                !$0.contains("howalarming-demo")
            })
        let check = try Program.run(["check", file], in: directory)
        #expect(check.status == 0 && check.output.contains("2 partitions, 10 zones, 3 users"))
    }

    @Test("interrupted, it stops all programs", arguments: [SIGINT, SIGTERM])
    func interruptedItStopsAllPrograms(signal: Int32) throws {
        let directory = try TestDirectory()
        let demo = try Program(
            "demo", ["demo", "--fast"], in: directory, environment: ["TMPDIR": directory.path])
        _ = try demo.waitForLine(containing: "Morning")
        #expect(try programs(below: directory).count == 6)
        demo.signal(signal)
        #expect(try demo.waitForExit() == 128 + signal)
        #expect(demo.errors.contains("all programs are stopped"))
        #expect(try programs(below: directory).isEmpty)
    }
}
