import AlarmModel
import EventStore
import Glibc
import Platform

/// `howalarming demo`: a day of a simulated house with the real daemon; checks itself.
package enum DemoCommand {
    /// Reads its own arguments; gives the exit status.
    package static func run(arguments: [String]) -> Int32 {
        let console = Console()
        do throws(DemoOptions.Misuse) {
            return perform(try DemoOptions(arguments), on: console)
        } catch .help {
            console.print([DemoOptions.usage])
            return HowAlarmingCommand.Status.done
        } catch {
            console.complain("\(error); see 'howalarming demo --help'")
            return HowAlarmingCommand.Status.usage
        }
    }

    private static func perform(_ options: DemoOptions, on console: Console) -> Int32 {
        SignalSource.blockSignals()
        let directory: String
        do throws(SystemError) {
            directory = try DemoDirectory.make()
        } catch {
            console.complain("no directory for the demo: \(error); set TMPDIR to one that can be written")
            return HowAlarmingCommand.Status.failed
        }
        let isRemoved = options.isFast && !options.keeps
        defer { if isRemoved { DemoDirectory.remove(directory) } }
        do {
            let count = try play(options, in: directory, on: console)
            for line in closing(count, directory: directory, isRemoved: isRemoved) { console.print([line]) }
            return HowAlarmingCommand.Status.done
        } catch {
            console.complain("\(error)")
            if !isRemoved { console.complain("what was stored until then is in \(directory)") }
            return (error as? DemoEnd)?.exitStatus ?? HowAlarmingCommand.Status.failed
        }
    }

    /// The number of events in the journal.
    private static func play(_ options: DemoOptions, in directory: String, on console: Console) throws -> Int {
        let pace = options.isFast ? DemoPace.fast : .leisurely
        let screen = DemoScreen(console)
        screen.opening(directory: directory, pace: pace)
        let stage = try DemoStage(directory: directory, pace: pace)
        // Both programs end on every way out.
        defer { stage.stop() }
        let text = DemoConfiguration.text(port: try stage.startPanel(), pace: pace)
        let file = "\(directory)/howalarming.yaml"
        try AtomicFile.write(file, Array(text.utf8))
        if let copy = options.configurationFile { try AtomicFile.write(copy, Array(text.utf8)) }
        let director = DemoDirector(stage, screen, pace: pace)
        try stage.startDaemon(configurationFile: file)
        try director.play(DemoStory.acts)
        stage.stop()
        return try verify(director.seen, in: directory)
    }

    /// All that the daemon reported as stored is in the journal, in order and without gaps.
    private static func verify(_ seen: [StoredEvent], in directory: String) throws -> Int {
        let reader = try JournalReader(directory: directory)
        var stored: [StoredEvent] = []
        var query = EventQuery(limit: 1000)
        while true {
            let page = try reader.page(query, slice: .seconds(1))
            stored += page.events
            guard page.hasMore else { break }
            query.after = page.cursor
        }
        let isComplete = stored.enumerated().allSatisfy { $0.element.seq.number == Int64($0.offset) + 1 }
        guard isComplete, Array(stored.prefix(seen.count)) == seen else {
            throw DemoEnd.failed("the journal differs from what the daemon reported as stored; please report this")
        }
        return stored.count
    }

    private static func closing(_ count: Int, directory: String, isRemoved: Bool) -> [String] {
        let database = "\(directory)/\(Journal.fileName)"
        let program = CommandLine.arguments.first ?? "howalarming"
        let head = [
            "", String(repeating: "─", count: 72),
            "\(count) events are stored, all that were expected among them. Both programs are stopped.",
        ]
        let look =
            isRemoved
            ? [
                "The database was \(database); --fast has removed it.", "", "What to type next:",
                "  \(program) demo --keep",
            ]
            : [
                "The database: \(database)", "", "What to type next:", "  \(program) events --state \(directory)",
                "  sqlite3 \(database) 'select * from log'",
            ]
        let real = [
            "",
            "With a real panel: copy howalarming.example.yaml, set 'host', 'password' and 'code_master', then",
            "  \(program) check FILE", "  \(program) run --config FILE --state DIR",
        ]
        return head + look + real
    }
}
