import AlarmModel
import PanelLink
import Simulators

/// A panel with one client and a fake clock; every line that the client hears is written down with its time.
struct PanelBench {
    var panel: PanelSimulator
    var now = BootTime.zero
    let client = ConnectionID(1)
    /// All that the panel did, in order, with its time.
    private(set) var actions: [Timed] = []
    private var heard: [UInt8] = []
    private var reader = ""
    private(set) var lines: [String] = []

    struct Timed: Equatable {
        var time: BootTime
        var action: PanelSimulator.Action
    }

    init(house: SimulatedHouse = .sample, seed: UInt64 = 1) {
        panel = PanelSimulator(house: house, seed: seed)
        step { panel, time, actions in panel.timerFired(at: time, into: &actions) }
    }

    private mutating func step(_ body: (inout PanelSimulator, BootTime, inout [PanelSimulator.Action]) -> Void) {
        var new: [PanelSimulator.Action] = []
        body(&panel, now, &new)
        for action in new {
            actions.append(Timed(time: now, action: action))
            if case .send(client, let bytes) = action { hear(bytes) }
        }
    }

    private mutating func hear(_ bytes: [UInt8]) {
        for byte in bytes {
            heard.append(byte)
            guard byte == 10 else { continue }
            let text = String(decoding: heard.filter { $0 != 13 && $0 != 10 }, as: UTF8.self)
            heard = []
            let cut = text.hasPrefix("615") ? "615" : String(text.dropLast(2))
            lines.append("\(now.nanoseconds / 1_000_000) \(cut)")
        }
    }

    /// Lets time pass, and fires every timer when it is due.
    mutating func wait(_ span: Duration) {
        let end = now + span
        while let due = panel.nextDeadline, due <= end {
            now = max(now, due)
            step { panel, time, actions in panel.timerFired(at: time, into: &actions) }
        }
        now = end
    }

    mutating func connect(_ id: ConnectionID? = nil) {
        let id = id ?? client
        step { panel, time, actions in panel.accepted(id, at: time, into: &actions) }
    }

    mutating func close(why: ConnectionEnd) {
        let id = client
        step { panel, time, actions in panel.closed(id, why: why, at: time, into: &actions) }
    }

    /// Sends one well-formed line.
    mutating func send(_ code: String, _ data: String = "") { sendRaw(Frame.bytes(code: code, data: data)) }

    mutating func sendRaw(_ bytes: [UInt8]) {
        let id = client
        step { panel, time, actions in panel.received(id, bytes, at: time, into: &actions) }
    }

    mutating func act(_ stimulus: PanelSimulator.Stimulus) {
        step { panel, time, actions in panel.perform(stimulus, at: time, into: &actions) }
    }

    /// Connects and logs in; what was said until then is forgotten.
    mutating func logIn() {
        connect()
        send("005", "user")
        wait(.seconds(1))
        forget()
    }

    mutating func forget() {
        lines = []
        actions = []
    }

    /// The lines since the last call, without times.
    mutating func texts() -> [String] {
        let result = lines.map { String($0.drop { $0 != " " }.dropFirst()) }
        forget()
        return result
    }

    /// The lines since the last call; times in milliseconds after `start`.
    mutating func timed(since start: BootTime) -> [String] {
        let base = start.nanoseconds / 1_000_000
        let result = lines.map { line -> String in
            let parts = line.split(separator: " ", maxSplits: 1)
            return "\((Int64(parts[0]) ?? 0) - base) \(parts.count > 1 ? parts[1] : "")"
        }
        forget()
        return result
    }

    var sends: [[UInt8]] {
        actions.compactMap {
            if case .send(_, let bytes) = $0.action { bytes } else { nil }
        }
    }
}
