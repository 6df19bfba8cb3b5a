import AlarmModel
import ApplianceCore
import PanelLink
import PhoneLink
import Platform

@testable import Reports
@testable import SerialConsole

/// A console without terminal and daemon: keys and replies in, orders and lines out.
struct ConsoleBench {
    var session: ConsoleSession
    var actions: [ConsoleSession.Action] = []
    var now = ConsoleBench.start
    static let start = Moment(
        boot: BootTime(nanoseconds: 1_000_000_000_000), wall: WallTime(milliseconds: 1_795_240_801_250),
        isWallTrusted: true)

    init(columns: Int = 80, rows: Int = 24, mayQuit: Bool = true) {
        session = ConsoleSession(mayQuit: mayQuit, at: Self.start)
        session.size = Terminal.Size(columns: columns, rows: rows)
        session.view.machine = Self.machine
    }

    /// With a daemon, a house and a lock.
    static func up(
        columns: Int = 80, rows: Int = 24, isPINSet: Bool = true, isUnlocked: Bool = false, house: PanelState = house
    ) -> ConsoleBench {
        var bench = ConsoleBench(columns: columns, rows: rows)
        bench.told(.state, isPINSet: isPINSet, isUnlocked: isUnlocked)
        for channel in [ConsoleSession.Channel.look, .feed, .act] { bench.open(channel) }
        bench.hear(.status(report(house)), on: .look)
        bench.hear(.events(events(40)), on: .feed)
        bench.actions = []
        return bench
    }

    mutating func open(_ channel: ConsoleSession.Channel) { session.opened(channel, into: &actions) }
    mutating func hear(_ reply: ControlReply, code: Secret? = nil, on channel: ConsoleSession.Channel = .act) {
        session.heard(reply, code: code, on: channel, into: &actions)
    }

    mutating func told(
        _ answer: ConsoleReport.Answer, isPINSet: Bool = true, isUnlocked: Bool = false, triesLeft: Int = 5,
        wait: Duration? = nil
    ) {
        session.told(
            ConsoleReport(
                answer: answer, isPINSet: isPINSet, isUnlocked: isUnlocked, triesLeft: triesLeft, wait: wait),
            into: &actions)
    }

    mutating func press(_ keys: ConsoleKey...) { for key in keys { session.take(key, at: now, into: &actions) } }
    mutating func type(_ text: String) { for character in text { press(.character(character)) } }

    mutating func tick(after span: Duration = .seconds(1)) {
        now.boot = now.boot + span
        now.wall = now.wall + span
        session.tick(at: now, into: &actions)
    }

    /// What was asked on the connection that changes something.
    var orders: [ControlRequest] {
        actions.compactMap { if case .send(.act, let request) = $0 { request } else { nil } }
    }

    var text: String { session.lines.map(\.text).joined(separator: "\n") }

    /// The same with its lines joined: what is long is broken between words.
    var words: String { session.lines.map(\.text).joined(separator: " ") }

    // MARK: A house

    static var machine: ConsoleMachine {
        var machine = ConsoleMachine()
        machine.hostName = "howalarming"
        machine.kernel = "Linux 6.12.0-rather-long-name-of-a-kernel aarch64"
        machine.uptime = .hours(77)
        machine.temperature = 415
        machine.freeBytes = 512 << 20
        machine.totalBytes = 4 << 30
        machine.network.interfaces = [
            .init(
                name: "eth0", isUp: true, hasCarrier: true,
                addresses: [IPAddress("192.168.1.7"), IPAddress("2001:db8:1234:5678:9abc:def0:1234:5678")]
                    .compactMap { $0 }),
            .init(name: "wlan0", isUp: true, hasCarrier: false, addresses: []),
            .init(name: "wwan0", isUp: true, hasCarrier: true, addresses: []),
        ]
        return machine
    }

    static var house: PanelState {
        var panel = PanelState(link: .up)
        for number in 1...2 {
            panel.withPartition(number) {
                $0.name = number == 1 ? "House" : "Garage and workshop with a long name"
                $0.status = .known(number == 1 ? .armed(.stay) : .ready)
                $0.trouble = .known(false)
            }
        }
        for number in 1...64 {
            panel.withZone(number) {
                $0.name = "Window \(number)"
                $0.open = .known(number % 3 == 0)
            }
        }
        panel.system[.ac] = .known(.trouble)
        return panel
    }

    static func report(_ panel: PanelState = house) -> StatusReport {
        var phones = PhonesReport(connection: .channel(.ready), server: "push.example.net:5235", problem: nil)
        phones.entries = (1...30).map { number in
            var entry = PhonesReport.Entry(
                id: "000000000000000\(number % 10)", name: "Phone number \(number) \u{1B}[31m", person: "Anna",
                level: .app, roles: ["view", "arm", "disarm"])
            entry.note = "paired, not heard yet"
            entry.overdue = number == 3 ? 1 : 0
            return entry
        }
        phones.overdue = 1
        phones.channels = [.init(kind: "ccs", phase: .ready, problem: nil, lastAccepted: nil, waiting: 0)]
        return StatusReport(
            siteName: "A house with a name that is rather long, by the lake", version: "1.0.0", uptime: .hours(76),
            time: start.wall, isTimeTrusted: false, panel: panel, panelPhase: .up,
            panelProblem: "the module answers slowly; restart it if that goes on, and look at its cable",
            panelHost: "192.168.1.50:4025",
            store: StoreReport(
                lastSequence: SequenceNumber(1234), problem: "the disk is full; delete something", waitingEvents: 3),
            isMaintenance: true, clients: 4, phones: phones)
    }

    static func events(_ count: Int, from first: Int = 1) -> [StoredEvent] {
        (first..<first + count).map { number in
            StoredEvent(
                seq: SequenceNumber(Int64(number)),
                event: Event(
                    type: EventType.allCases[number % EventType.allCases.count], code: "601", raw: "601",
                    message: "Event \(number): a sentence that goes on and on, further than any line of a terminal",
                    time: WallTime(milliseconds: 1_795_240_000_000 + Int64(number) * 1000),
                    isTimeTrusted: number % 2 == 0))
        }
    }

    /// Every state of the house and of dialogs that has a look of its own.
    static func looks(columns: Int, rows: Int) -> [(name: String, bench: ConsoleBench)] {
        var all: [(String, ConsoleBench)] = []
        for screen in ConsoleScreen.allCases {
            for isHere in [true, false] {
                var bench = isHere ? up(columns: columns, rows: rows) : ConsoleBench(columns: columns, rows: rows)
                if !isHere {
                    bench.session.closed(.look, "no daemon runs on this state directory", into: &bench.actions)
                }
                bench.type("\(screen.rawValue)")
                bench.hear(.trace(TraceLine(.fromPanel, String(repeating: "61500", count: 40)), dropped: 7), on: .trace)
                all.append(("\(screen.title), daemon \(isHere ? "here" : "away")", bench))
            }
        }
        for key in "madtcprsbu" {
            for isUnlocked in [true, false] {
                var bench = up(columns: columns, rows: rows, isUnlocked: isUnlocked)
                bench.type("\(key)")
                all.append(("key \(key)", bench))
                if key == "a" || key == "d" {
                    bench.type("1")
                    all.append(("key \(key), first choice", bench))
                }
            }
        }
        var pairing = up(columns: columns, rows: rows, isUnlocked: true)
        pairing.type("pAnna")
        pairing.press(.enter, .character("y"))
        pairing.hear(
            .pairing(.ready(validFor: .minutes(10))), code: Secret("HA2:" + String(repeating: "AB3DE", count: 22)))
        all.append(("pairing, code only", pairing))
        pairing.session.pictureDrawn(.rows(Array(repeating: String(repeating: "█▀▄ ", count: 10) + "█", count: 21)))
        all.append(("pairing, picture", pairing))
        pairing.hear(.pairing(.heard(phone: "Anna's phone")))
        all.append(("pairing, digits", pairing))
        return all
    }
}
