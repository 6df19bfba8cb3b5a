import AlarmModel
import ApplianceCore
import CommandKit
import EventStore
import PhoneProtocol
import Platform
import Reports

/// `events`: lists, and follows if wanted.
struct EventsCommand: Command {
    var selection: EventsSelection
    var stateDirectory: String
    var form: Form

    /// How they are printed.
    enum Form: Equatable {
        case lines, json, table
    }

    func run(on console: Console) -> Int32 {
        let rules = LocalTime.rules()
        let query = selection.query(now: SystemClock.wallTime(), in: rules)
        let printer = Printer(
            console: console, text: EventText(rules: rules, colours: console.takesColours), rules: rules, form: form)
        printer.begin()
        do throws(DaemonLinkError) {
            let link = try DaemonLink(stateDirectory: stateDirectory)
            guard selection.follow else { return try list(query, from: link, printer) }
            Console.endQuietlyOnInterrupt()
            return follow(query, from: link, printer)
        } catch {
            guard error.isNoDaemon else {
                console.complain(error.description)
                return error.status
            }
            return readStore(query, printer)
        }
    }

    private struct Printer {
        var console: Console
        var text: EventText
        var rules: TimeZoneRules
        var form: Form

        func begin() { if form == .table { console.print([EventTable.head]) } }

        /// - Parameter count: of the events that were printed
        func end(_ count: Int) { if count == 0, form == .lines { console.complain("no event matches") } }

        func print(_ events: [StoredEvent]) {
            console.print(
                events.map { event in
                    switch form {
                    case .lines: text.line(event)
                    case .json: EventText.json(event)
                    case .table: EventTable.row(event, rules)
                    }
                })
        }
        func print(unstored event: Event) {
            switch form {
            case .lines: console.print([text.line(unstored: event)])
            case .json: console.print([EventText.json(unstored: event)])
            case .table: console.print([EventTable.row(StoredEvent(seq: .zero, event: event), rules)])
            }
        }
    }

    private func list(_ query: EventQuery, from link: DaemonLink, _ printer: Printer) throws(DaemonLinkError) -> Int32 {
        try link.send(.events(query, follow: false))
        var count = 0
        while !printer.console.isOutputGone {
            let reply = try link.receive()
            if case .endOfEvents = reply {
                printer.end(count)
                return ExitStatus.done
            }
            if case .events(let events) = reply {
                count += events.count
                printer.print(events)
            } else if case .unstored(let event) = reply {
                count += 1
                printer.print(unstored: event)
            } else {
                throw reply.misfit
            }
        }
        return ExitStatus.done
    }

    /// Goes on behind the last printed event whenever the daemon comes back.
    private func follow(_ query: EventQuery, from first: DaemonLink, _ printer: Printer) -> Int32 {
        var cursor = query
        var link: DaemonLink? = first
        var isFirst = true
        let console = printer.console
        while !console.isOutputGone {
            do throws(DaemonLinkError) {
                let current: DaemonLink
                if let link { current = link } else { current = try DaemonLink(stateDirectory: stateDirectory) }
                if link == nil { console.complain("the daemon is there again") }
                link = current
                try current.send(.events(cursor, follow: true))
                if let refusal = try pump(current, &cursor, printer) {
                    console.complain(refusal)
                    if isFirst { return ExitStatus.failed }
                }
            } catch {
                if link != nil { console.complain("\(error.description)\ntrying again every second") }
            }
            if link != nil { isFirst = false }
            link = nil
            console.waitForOutputEnd(.seconds(1))
        }
        return ExitStatus.done
    }

    /// Prints what comes until the output is gone (nil) or the daemon refuses (why).
    private func pump(
        _ link: DaemonLink, _ cursor: inout EventQuery, _ printer: Printer
    ) throws(DaemonLinkError) -> String? {
        while !printer.console.isOutputGone {
            let reply: ControlReply
            do throws(DaemonLinkError) {
                reply = try link.receive(within: .seconds(1))
            } catch {
                guard error.isTimeOut else { throw error }
                printer.console.noticeOutputEnd()
                continue
            }
            if case .endOfEvents = reply { return nil }
            if case .events(let events) = reply {
                printer.print(events)
                guard let last = events.last else { continue }
                cursor.after = max(cursor.after, last.seq)
                cursor.order = .oldestFirst
            } else if case .unstored(let event) = reply {
                printer.print(unstored: event)
            } else if case .error(let why) = reply {
                return Text.printable(why)
            } else {
                throw .unexpected
            }
        }
        return nil
    }

    private func readStore(_ query: EventQuery, _ printer: Printer) -> Int32 {
        do throws(StoreError) {
            let reader = try JournalReader(directory: stateDirectory)
            var count = 0
            try StoredEvents(reader: reader).read(query) { events in
                count += events.count
                printer.print(events)
                return !printer.console.isOutputGone
            }
            printer.end(count)
            printer.console.complain(OfflineText.remark(isMissingNewest: reader.isMissingNewest))
        } catch {
            printer.console.complain(OfflineText.failure(error, stateDirectory))
        }
        return ExitStatus.noDaemon
    }
}

extension EventsCommand {
    static let entry = CommandEntry(
        "events", in: .watching, brief: "what happened",
        """
        Lists events, oldest first: the newest 50, or all since WHEN. WHEN is a span (2h, 30min, 3d), a local time
        (2026-11-21, 2026-11-21T06:00) or seconds since 1970. Without a daemon it lists what the journal holds and ends
        with status 69.

        --follow       go on with new events until interrupted
        --since WHEN   only events from then on
        --type T[,T]   only these types: alarm, fault, armed …
        --zone N       only events of zone 1 to 64
        --partition N  only events of partition 1 to 8
        --limit N      the newest N, 1 to 1000
        --json         one JSON object per line
        --csv          a table for a spreadsheet, with a line of titles

        howalarming events --since 2h
        howalarming events --follow --type alarm,fault
        howalarming events --json --zone 3 --limit 10
        """
    ) { given throws(UsageError) in
        guard !given.json || !given.has("--csv") else { throw given.misuse("choose one of --json and --csv") }
        return EventsCommand(
            selection: try EventsSelection(given), stateDirectory: given.stateDirectory,
            form: given.json ? .json : given.has("--csv") ? .table : .lines)
    }
}

/// Which events `events` shows.
struct EventsSelection: Equatable, Sendable {
    var follow = false
    var since: SinceText?
    var types: [EventType] = []
    var zone: Int?
    var partition: Int?
    /// 1…1000; nil is 50 without `since` and everything with it.
    var limit: Int?

    func query(now: WallTime, in rules: TimeZoneRules) -> EventQuery {
        var query = EventQuery(types: types, zone: zone, partition: partition)
        query.since = since.map { $0.time(now: now, in: rules) }
        if limit == nil && since != nil {
            query.order = .oldestFirst
            query.limit = 1_000_000
        } else {
            query.order = .newest
            query.limit = limit ?? 50
        }
        return query
    }
}

extension EventsSelection {
    init(_ given: ParsedArguments) throws(UsageError) {
        follow = given.has("--follow")
        since = try given.read(
            "--since", "2h, 30min, 3d, 2026-11-21, 2026-11-21T06:00 or seconds since 1970"
        ) { SinceText($0) }
        for name in given.value("--type")?.split(separator: ",", omittingEmptySubsequences: false) ?? [] {
            guard let type = EventType(rawValue: String(name)) else {
                let known = EventType.allCases.map(\.rawValue)
                throw given.misuse(
                    "option '--type' takes \(known.joined(separator: ", "))"
                        + UsageError.suggestion(for: String(name), among: known))
            }
            if !types.contains(type) { types.append(type) }
        }
        zone = try given.number("--zone", in: 1...64)
        partition = try given.number("--partition", in: 1...8)
        limit = try given.number("--limit", in: 1...1000)
    }
}
