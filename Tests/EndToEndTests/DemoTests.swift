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
        "the fast demo of a day sees everything, tells both phones of every alarm, the phone's log is the journal, and leaves neither process nor file"
    )
    func theFastDemoOfADaySeesEverything() throws {
        let directory = try TestDirectory()
        let file = "\(directory.path)/demo.yaml"
        let result = try Program.run(
            ["demo", "--day", "--fast", "--config-out", file], in: directory, environment: ["TMPDIR": directory.path],
            within: .seconds(240))
        #expect(result.status == 0, "\(result.output.suffix(2000)) \(result.errors)")
        for text in [
            "alarm     Alarm: zone 3 Kitchen window", "Disarmed by Anna (user 1)", "fault     Mains power lost",
            "info      while away: zone 3 Kitchen window open", "events are stored, all that were expected",
            "22:50", "Anna   arm: ok", "Disarmed by Anna (Anna's phone)", "with the same id", "nothing came of it",
            "phone's own log holds", "│ · Front door", "→ Kitchen window: ALARM",
        ] {
            #expect(result.output.contains(text), "\(text)")
        }
        for text in ["refused", "nothing known"] { #expect(!result.output.contains(text), "\(text)") }
        for person in ["Anna", "Ben"] {
            let alarms = result.lines.filter { $0.contains(" \(person) ") && $0.contains("Mill Lane 4: ALARM, ") }
            #expect(alarms.count == 4 && Set(alarms).count == 4, "\(person): \(alarms)")
        }
        #expect(Self.table(result).map(\.count) == [3, 3, 3, 3])
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
            "demo", ["demo", "--day", "--fast"], in: directory, environment: ["TMPDIR": directory.path])
        _ = try demo.waitForLine(containing: "Morning")
        #expect(try programs(below: directory).count == 6)
        demo.signal(signal)
        #expect(try demo.waitForExit() == 128 + signal)
        #expect(demo.errors.contains("all programs are stopped"))
        #expect(try programs(below: directory).isEmpty)
    }

    @Test(
        "no line is longer than 80 columns, and the house is drawn once with unbroken frames",
        arguments: [[], ["--day"]])
    func noLineIsLongerThan80Columns(arguments: [String]) throws {
        let directory = try TestDirectory()
        let result = try Program.run(
            ["demo", "--fast"] + arguments, in: directory, environment: ["TMPDIR": directory.path],
            within: .seconds(240))
        #expect(result.status == 0, "\(result.output.suffix(2000)) \(result.errors)")
        // A path is as long as it is.
        let lines = result.lines.filter { !$0.contains(directory.path) && !$0.contains(Program.path) }
        #expect(lines.filter { $0.count > 80 || $0.contains("\u{1B}") }.isEmpty)
        #expect(lines.count { $0.contains("┌─ Ground floor") } == 1)
        let frames = lines.filter { line in "┌│└".contains { line.contains($0) } }
        #expect(Set(frames.map(\.count)).count == 1 && frames.allSatisfy { "┐│┘".contains($0.last ?? " ") })
    }

    @Test("it ends with what to try next, in three lines")
    func itEndsWithWhatToTryNext() throws {
        let directory = try TestDirectory()
        let result = try Program.run(
            ["demo", "--fast"], in: directory, environment: ["TMPDIR": directory.path], within: .seconds(120))
        let last = result.lines.drop { $0 != "What to try next:" }.dropFirst()
        #expect(last.filter { !$0.isEmpty }.count == 3 && last.contains { $0.contains("tools/demo --app") }, "\(last)")
    }

    /// Times of each alarm in milliseconds: stored within, Anna's phone, Ben's app.
    private static func table(_ result: Program.Result) -> [[Int]] {
        let rows = result.lines.drop { !$0.contains("stored within ") }.dropFirst()
        // The caption below it is indented further.
        return rows.prefix { $0.hasPrefix("  ") && !$0.hasPrefix("   ") }.map { row in
            let words = row.split(separator: " ")
            return zip(words, words.dropFirst()).compactMap { number, unit in
                unit == "ms" ? Int(number) : unit == "s" ? Double(number).map { Int($0 * 1000) } : nil
            }
        }
    }

    @Test("the short demo arms, raises an alarm and disarms; its table has a time for each alarm and each phone")
    func theShortDemoArmsRaisesAnAlarmAndDisarms() throws {
        let directory = try TestDirectory()
        let result = try Program.run(
            ["demo", "--fast"], in: directory, environment: ["TMPDIR": directory.path], within: .seconds(120))
        #expect(result.status == 0, "\(result.output.suffix(2000)) \(result.errors)")
        for text in ["Anna   arm: ok", "Anna   disarm: ok", "its log is the journal", "→ Ground floor: ALARM away"] {
            #expect(result.output.contains(text), "\(text)")
        }
        let table = Self.table(result)
        #expect(table.map(\.count) == [3, 3])
        #expect(table.allSatisfy { $0.min() == $0.first }, "nobody has an alarm before it is stored: \(table)")
    }

    @Test("with --app it serves the folder at the address that it prints, waits for a browser, and ends at Ctrl-C")
    func withAppItServesTheFolder() throws {
        let directory = try TestDirectory()
        let app = "\(directory.path)/app"
        try FileManager.default.createDirectory(atPath: app, withIntermediateDirectories: false)
        try "<title>the page</title> http://127.0.0.1:*".write(
            toFile: "\(app)/index.html", atomically: true, encoding: .utf8)
        let refusal = try Program.run(
            ["demo", "--fast", "--app", app], in: directory, environment: ["TMPDIR": directory.path])
        #expect(refusal.status == 1 && refusal.errors.contains("is no web app for the demo"))
        try "core".write(toFile: "\(app)/core.wasm", atomically: true, encoding: .utf8)
        let demo = try Program(
            "demo", ["demo", "--fast", "--app", app], in: directory, environment: ["TMPDIR": directory.path])
        let line = try demo.waitForLine(containing: "http://localhost:")
        let parts = line.split(separator: "#").map { $0.split(separator: " ").joined() }
        #expect(parts.count == 2 && parts.last?.hasPrefix("HA2:") == true)
        let page = try Program.run(
            ["curl", "-s", "-i", "--max-time", "10", parts.first ?? ""], in: directory, executable: "/usr/bin/env")
        #expect(page.output.contains("<title>the page</title>") && page.output.contains("text/html"), "\(page.output)")
        demo.signal(SIGINT)
        #expect(try demo.waitForExit() == 128 + SIGINT)
        #expect(try programs(below: directory).isEmpty)
    }

    @Test(
        "with --firefox it says in a sentence what is missing, before it makes anything",
        arguments: [
            (["--app", "x"], ["DISPLAY": "", "WAYLAND_DISPLAY": ""], 1, "Firefox wants a screen"),
            (["--app", "x"], ["DISPLAY": ":9", "PATH": "/nowhere"], 1, "there is no Firefox on PATH"),
            ([], ["DISPLAY": ":9"], 64, "'--firefox' opens the app"),
        ] as [([String], [String: String], Int32, String)])
    func withFirefoxItSaysWhatIsMissing(
        arguments: [String], environment: [String: String], status: Int32, words: String
    ) throws {
        let directory = try TestDirectory()
        let result = try Program.run(
            ["demo", "--fast", "--firefox"] + arguments, in: directory,
            environment: environment.merging(["TMPDIR": directory.path]) { $1 })
        #expect(result.status == status && result.errors.contains(words), "\(result.errors)")
        #expect(!result.errors.contains("what was stored"))
        let left = try FileManager.default.contentsOfDirectory(atPath: directory.path)
        #expect(left.allSatisfy { !$0.contains("howalarming-demo") })
    }

    @Test("with --stay everything goes on running until it is interrupted; then the journal is compared all the same")
    func withStayEverythingGoesOnRunning() throws {
        let directory = try TestDirectory()
        let demo = try Program(
            "demo", ["demo", "--fast", "--stay"], in: directory, environment: ["TMPDIR": directory.path])
        let line = try demo.waitForLine(containing: " status --state ")
        let state = line.split(separator: " ").last.map(String.init) ?? ""
        let status = try Program.run(["status", "--state", state], in: directory)
        #expect(status.status == 0 && status.output.contains("Ground floor"), "\(status.output) \(status.errors)")
        let arming = try Program.run(["arm", "stay", "--state", state], in: directory)
        #expect(arming.status == 0, "\(arming.errors)")
        _ = try demo.waitForLine(containing: "arm stay partition 1: done")
        demo.signal(SIGINT)
        #expect(try demo.waitForExit() == 0)
        #expect(demo.output.contains("events are stored, all that were expected"))
        #expect(try programs(below: directory).isEmpty)
    }
}
