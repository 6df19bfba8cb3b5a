import AlarmModel
import ApplianceCore
import PanelLink

/// What the demo prints: plain lines of at most 100 columns, one below the other.
struct DemoScreen {
    let console: Console
    private let colours: Bool
    /// The hour of the story: the last that the panel's clock told.
    private var time = "--:--"
    private static let width = 100

    init(_ console: Console) {
        self.console = console
        colours = console.takesColours
    }

    func opening(directory: String, pace: DemoPace) {
        say("HowAlarming demo: a day in \(DemoConfiguration.siteName), a simulated DSC panel and the real daemon.")
        say("")
        let text =
            "Delays and polls are much shorter than in life, so that a day goes by quickly: exit delay "
            + "\(DemoPace.seconds(pace.exitDelay)) s, bell \(DemoPace.seconds(pace.bellTime)) s, poll every "
            + "\(DemoPace.seconds(pace.pollInterval)) s (20 s in life). The hours are those of the panel's own clock; "
            + "the daemon's clock is the real one. Lines of keypad lights and of the clock are stored, not shown."
        for line in Text.wrapped(text, width: Self.width) { say(line) }
        say("State and configuration: \(directory)")
    }

    func title(_ act: DemoAct) {
        let text = "── \(Self.hour(act.hour, act.minute))  \(act.title) "
        say("")
        say(text + String(repeating: "─", count: max(0, 72 - text.count)))
    }

    func story(_ sentence: String) { say("       \(sentence)") }

    /// One line of the timeline; the panel's clock sets the hour.
    mutating func show(_ event: Event) {
        if event.code == "550" {
            let digits = event.raw.dropFirst(3).prefix(4)
            if digits.count == 4 { time = "\(digits.prefix(2)):\(digits.suffix(2))" }
            return
        }
        guard !Self.unshown.contains(event.code) else { return }
        let label = "\(time)  \(Text.padded(event.type.rawValue, to: 8))  "
        for line in Text.wrapped(Text.printable(event.message), width: Self.width, label: label) {
            console.print([Paint.painted(line, Self.paint(event.type), isOn: colours)])
        }
    }

    /// What the daemon knows of the house.
    func state(_ report: StatusReport) {
        var parts = report.panel.partitions.filter { $0.name != nil }
            .map { "\($0.name ?? ""): \(PartitionText.state($0))" }
        let open = report.panel.zones.filter { $0.open.last == true }
            .map { ($0.name ?? "zone \($0.number)") + ($0.open.current == nil ? " (stale)" : "") }
        parts.append("open: " + (open.isEmpty ? "nothing known" : open.joined(separator: ", ")))
        let troubles = report.panel.partitions.contains { $0.trouble.last == true }
        if troubles { parts.append("trouble") }
        parts.append(report.panel.link == .up ? "link up" : "link down, all this is stale")
        for line in Text.wrapped(parts.joined(separator: " | "), width: Self.width, label: "   =>  ") { say(line) }
    }

    func say(_ line: String) { console.print([Text.trimmed(line)]) }

    static func hour(_ hour: Int, _ minute: Int) -> String {
        "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
    }

    /// Lights, clock and zone timers.
    private static let unshown = ["510", "511", "550", "615", "616", "849"]

    private static func paint(_ type: EventType) -> Paint? {
        switch type {
        case .alarm: .red
        case .fault: .yellow
        case .armed, .disarmed, .recovery: .green
        case .command, .info, .response, .unknown: nil
        }
    }
}
