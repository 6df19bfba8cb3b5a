import AlarmModel
import CommandKit
import EventStore
import Glibc
import Platform

/// `howalarming-lab demo`: a night, or a day, of a simulated house with the real daemon; checks itself.
struct DemoCommand: Command {
    private let isDay: Bool
    private let isFast: Bool
    private let stays: Bool
    private let keeps: Bool
    /// Where the configuration is written, too.
    private let configurationFile: String?
    /// The web app; nil: no browser takes part.
    private let appFolder: String?
    /// The browser is one that the demo starts.
    private let hasFirefox: Bool

    static let entry = CommandEntry(
        laboratory: "demo",
        """
        usage: howalarming-lab demo [--day] [--stay] [--fast] [--keep] [--app DIR [--firefox]]
                                    [--config-out FILE]

        A simulated house, push service, topic server and phone around the real daemon, as programs of their own that
        speak over real sockets: armed, a burglar, two phones told, disarmed. Takes some twenty seconds. Needs no
        panel, no phone, no rights and no network, and changes nothing outside a new directory under $TMPDIR.

          --day               a whole day and what goes wrong in it, within two minutes
          --stay              everything goes on running at the end, to be tried from another terminal
          --fast              without pauses, for tests; the directory is removed at the end
          --keep              keep it all the same
          --app DIR           you take part with a browser on this machine: it is paired, you arm, see the alarm and
                              disarm; then everything goes on running. DIR is of 'tools/build-app --demo'
          --firefox           with a Firefox that the demo starts, in a profile of its own that is removed: its pushes
                              come by a push service of the demo, so that the alarm reaches it with the page closed,
                              and its finger is simulated
          --config-out FILE   write the configuration that is used to FILE, too, and the authority of its push service
                              to FILE.pem
        """
    ) { given throws(UsageError) in try DemoCommand(given) }

    private init(_ given: ParsedArguments) throws(UsageError) {
        isDay = given.has("--day")
        isFast = given.has("--fast")
        stays = given.has("--stay") || given.value("--app") != nil
        keeps = given.has("--keep")
        configurationFile = given.value("--config-out")
        appFolder = given.value("--app")
        hasFirefox = given.has("--firefox")
        guard !hasFirefox || appFolder != nil else {
            throw given.misuse("'--firefox' opens the app; give '--app', too")
        }
        guard appFolder == nil || !isDay else { throw given.misuse("'--app' plays a night; leave '--day' out") }
    }

    func run(on console: Console) -> Int32 {
        SignalSource.blockSignals()
        let directory: String
        let firefox: String?
        do throws(DemoEnd) {
            firefox = hasFirefox ? try FirefoxProfile.program() : nil
        } catch {
            console.complain("\(error)")
            return ExitStatus.failed
        }
        do throws(SystemError) {
            directory = try DemoDirectory.make()
        } catch {
            console.complain("no directory for the demo: \(error); set TMPDIR to one that can be written")
            return ExitStatus.failed
        }
        let isRemoved = isFast && !keeps && !stays
        defer { if isRemoved { DemoDirectory.remove(directory) } }
        do {
            let counts = try play(in: directory, firefox, on: console)
            for line in closing(counts, directory: directory, isRemoved: isRemoved) { console.print([line]) }
            return ExitStatus.done
        } catch {
            console.complain("\(error)")
            if !isRemoved { console.complain("what was stored until then is in \(directory)") }
            return (error as? DemoEnd)?.exitStatus ?? ExitStatus.failed
        }
    }

    private var story: [DemoAct] {
        if isDay { return DemoStory.day }
        if hasFirefox { return DemoStory.nightWithFirefox }
        return appFolder == nil ? DemoStory.night : DemoStory.nightWithBrowser
    }

    /// The number of events in the journal, and of those in the phone's log.
    private func play(
        in directory: String, _ firefox: String?, on console: Console
    ) throws -> (journal: Int, phone: Int) {
        let pace = isFast ? DemoPace.fast : .leisurely
        let screen = DemoScreen(console)
        screen.opening(directory: directory, pace: pace, isDay: isDay)
        let stage = try DemoStage(directory: directory, pace: pace)
        // All programs end on every way out.
        defer { stage.stop() }
        let authority = "push-authority.pem"
        let panel = try stage.startPanel()
        let push = try stage.startPush(authorityFile: "\(directory)/\(authority)")
        let topicAuthority = "topic-authority.pem"
        let topics = try stage.startTopics(
            authorityFile: "\(directory)/\(topicAuthority)", takesPlain: appFolder != nil)
        if let appFolder { try stage.startApp(folder: appFolder) }
        let browserAuthority = "browser-authority.pem"
        let browsers =
            firefox == nil ? nil : try stage.startBrowserPush(authorityFile: "\(directory)/\(browserAuthority)")
        // A demo's page knows the topic servers of this machine by their address.
        let topicHost = appFolder == nil ? "localhost" : "127.0.0.1"
        func text(_ authority: String, _ topicAuthority: String, _ browserAuthority: String) -> [UInt8] {
            Array(
                DemoConfiguration.text(
                    port: panel, push: push.service, topics: topics, authorityFile: authority,
                    topicAuthorityFile: topicAuthority, topicHost: topicHost,
                    browsers: browsers.map { ($0, browserAuthority) }, pace: pace
                ).utf8)
        }
        let file = "\(directory)/howalarming.yaml"
        try AtomicFile.write(file, text(authority, topicAuthority, browserAuthority))
        if let copy = configurationFile {
            let name = copy.split(separator: "/").last.map(String.init) ?? copy
            try AtomicFile.write(copy, text("\(name).pem", "\(name).topics.pem", "\(name).browsers.pem"))
            let files = [(authority, "pem"), (topicAuthority, "topics.pem")]
            for (file, ending) in files + (browsers == nil ? [] : [(browserAuthority, "browsers.pem")]) {
                let bytes = try FileReader.read("\(directory)/\(file)", limit: 65_536)
                try AtomicFile.write("\(copy).\(ending)", bytes)
            }
        }
        let director = DemoDirector(stage, screen, pace: pace)
        try stage.startDaemon(configurationFile: file)
        try stage.startPhone(name: DemoDirector.phoneName, at: push.phones)
        if let firefox { try stage.startFirefox(firefox) }
        try director.play(story)
        director.showAlarms()
        if stays {
            for line in Self.invitation(directory, app: stage.appAddress, hasFirefox) { console.print([line]) }
            try stage.stay()
        }
        // Lines that the programs print while they end are not shown.
        stage.onLine = nil
        stage.stop()
        return try Self.verify(director, in: directory)
    }

    /// All that the daemon reported as stored is in the journal, in order and without gaps; and all of it is in the phone's
    /// log, which was laid beside it as the last thing of the day.
    private static func verify(_ director: DemoDirector, in directory: String) throws -> (journal: Int, phone: Int) {
        let seen = director.seen
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
        let held = director.phoneLog?.rows.count ?? 0
        if let difference = director.phoneLog?.difference(from: Array(stored.prefix(held))) {
            throw DemoEnd.failed("the phone's log is not what the journal holds: \(difference); please report this")
        }
        return (stored.count, held)
    }

    /// The program that lies beside this one.
    private static var firmware: String {
        let laboratory = CommandLine.arguments.first ?? "howalarming-lab"
        return laboratory.hasSuffix("-lab") ? String(laboratory.dropLast(4)) : "howalarming"
    }

    private static func invitation(_ directory: String, app: String?, _ hasFirefox: Bool) -> [String] {
        let browser = app.map { ["", "Your browser stays paired, at \($0)"] } ?? []
        let more = app == nil || hasFirefox ? [] : ["An alarm with the page closed: 'tools/demo --app --firefox'."]
        return browser + more + [
            "", "All of it goes on running. In another terminal:",
            "  \(firmware) status --state \(directory)",
            "  \(firmware) console --state \(directory)",
            "  \(firmware) arm stay --state \(directory)",
            "Ctrl-C ends it.", "",
        ]
    }

    private func closing(_ counts: (journal: Int, phone: Int), directory: String, isRemoved: Bool) -> [String] {
        let held =
            counts.journal == counts.phone
            ? "The phone's own log holds the same \(counts.phone), each once and in order."
            : "The phone's own log holds the first \(counts.phone), each once and in order."
        let used = [(isDay, "--day"), (stays, "--stay"), (appFolder != nil, "--app")].filter(\.0).map(\.1)
        let tries = [
            ("--app", "arm, see the alarm and disarm in your own browser"),
            ("--stay", "the house goes on running; arm it from another terminal"),
            ("--day", "a day, and what goes wrong in it"),
        ].filter { !used.contains($0.0) }.prefix(2)
        return [
            "", String(repeating: "─", count: 72),
            "\(counts.journal) events are stored, all that were expected among them.", held,
            "All programs are stopped. \(isRemoved ? "--fast has removed the journal." : "The journal:")",
        ] + (isRemoved ? [] : ["  \(directory)/\(Journal.fileName)"]) + ["", "What to try next:"]
            + tries.map { "  tools/demo \(Text.padded($0.0, to: 6))   \($0.1)" }
            + ["  \(Self.firmware) setup --config FILE   your own panel"]
    }
}
