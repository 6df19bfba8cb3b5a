import AlarmModel
import ApplianceCore
import CommandKit
import EventStore
import PhoneProtocol
import Platform
import Reports

/// `events`: lists, and follows if wanted.
struct EventsCommand {
    var selection: EventsSelection
    var stateDirectory: String
    var json: Bool

    func run(on console: Console) -> Int32 {
        let rules = LocalTime.rules()
        let query = selection.query(now: SystemClock.wallTime(), in: rules)
        let printer = Printer(
            console: console, text: EventText(rules: rules, colours: console.takesColours), json: json)
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
        var json: Bool

        func print(_ events: [StoredEvent]) {
            console.print(events.map { json ? EventText.json($0) : text.line($0) })
        }
        func print(unstored event: Event) {
            console.print([json ? EventText.json(unstored: event) : text.line(unstored: event)])
        }
    }

    private func list(_ query: EventQuery, from link: DaemonLink, _ printer: Printer) throws(DaemonLinkError) -> Int32 {
        try link.send(.events(query, follow: false))
        while !printer.console.isOutputGone {
            let reply = try link.receive()
            if case .endOfEvents = reply { return ExitStatus.done }
            if case .events(let events) = reply {
                printer.print(events)
            } else if case .unstored(let event) = reply {
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
            try StoredEvents(reader: reader).read(query) { events in
                printer.print(events)
                return !printer.console.isOutputGone
            }
            printer.console.complain(OfflineText.remark(isMissingNewest: reader.isMissingNewest))
        } catch {
            printer.console.complain(OfflineText.failure(error, stateDirectory))
        }
        return ExitStatus.noDaemon
    }
}
