import AlarmModel
import ApplianceCore
import CommandKit
import PanelLink
import Reports

/// What the demo prints: plain lines of at most 100 columns, one below the other.
struct DemoScreen {
    let console: Console
    private let colours: Bool
    /// The hour of the story: the last that the panel's clock told.
    private var time = "--:--"
    /// Only titles and sentences are shown.
    var isMuted = false
    private static let width = 100

    init(_ console: Console) {
        self.console = console
        colours = console.takesColours
    }

    func opening(directory: String, pace: DemoPace, isDay: Bool) {
        let title = "HowAlarming demo: \(isDay ? "a day" : "a night") in \(DemoConfiguration.siteName)"
        say("\(title) with the real daemon. Who speaks:")
        say("  house  a simulated DSC panel            box    the daemon")
        say("  push   a simulated push service         phone  Anna's, a virtual one")
        say("  topic  what Ben's store app is told")
        say("")
        let text =
            "The exit delay is \(DemoPace.seconds(pace.exitDelay)) s, the bell rings for "
            + "\(DemoPace.seconds(pace.bellTime)) s, and the panel is polled every "
            + "\(DemoPace.seconds(pace.pollInterval)) s (20 s in life). The hours are those of the panel's own clock; "
            + "the daemon's clock is the real one. In the picture: · closed, o open, ! alarm, ? not known."
        for line in Text.wrapped(text, width: Self.width) { say(line) }
        say("State and configuration: \(directory)")
    }

    func title(_ act: DemoAct) {
        let text = "── \(Self.hour(act.hour, act.minute))  \(act.title) "
        say("")
        say(text + String(repeating: "─", count: max(0, 72 - text.count)))
    }

    /// What somebody is to do now; a line stays as long as it is, so that an address can be copied.
    func notice(_ lines: [String]) {
        let rule = String(repeating: "═", count: 72)
        for line in ["", rule] + lines.map({ "  \($0)" }) + [rule] { say(line) }
    }

    func story(_ sentence: String) {
        for line in Text.wrapped(sentence, width: Self.width, label: "       ") { say(line) }
    }

    /// One line of the timeline; the panel's clock sets the hour.
    mutating func show(_ event: Event) {
        if event.code == "550" {
            let digits = event.raw.dropFirst(3).prefix(4)
            if digits.count == 4 { time = "\(digits.prefix(2)):\(digits.suffix(2))" }
            return
        }
        guard !Self.unshown.contains(event.code) else { return }
        say(.box, event.type, event.message)
    }

    private func say(_ speaker: DemoSpeaker, _ type: EventType, _ message: String) {
        show(speaker, message, label: Text.padded(type.rawValue, to: 8) + "  ", in: Self.paint(type))
    }

    /// A line of somebody.
    func show(_ speaker: DemoSpeaker, _ text: String, label: String = "", in paint: Paint? = nil) {
        guard !isMuted else { return }
        let start = "\(time)  \(Text.padded(speaker.rawValue, to: DemoSpeaker.width))  \(label)"
        for line in Text.wrapped(Text.printable(text), width: Self.width, label: start) {
            console.print([Paint.painted(Text.trimmed(line), paint, isOn: colours)])
        }
    }

    /// A line that the phone printed, if it is news for its owner.
    func showPhone(_ line: String) {
        let parts = line.split(separator: " ", maxSplits: 4).map(String.init)
        if parts.first == "event", parts.count == 5 {
            // What was fetched later comes without a sound.
            guard !line.hasSuffix(" (repeat)"), let type = EventType(rawValue: parts[2]) else { return }
            switch type {
            case .alarm, .fault, .recovery, .armed, .disarmed: say(.phone, type, parts[4])
            case .info, .command, .response, .unknown: break
            }
        } else if parts.first == "command", parts.count >= 4 {
            show(.phone, "\(parts[2]): \(parts[3...].joined(separator: " "))")
        } else if parts.first == "digits" || line.hasPrefix("paired with ") {
            show(.phone, line)
        }
    }

    /// The house as the daemon knows it.
    func picture(_ panel: PanelState) {
        guard !isMuted else { return }
        for line in DemoPicture(panel).lines {
            console.print(["       " + Paint.painted(line.text, line.paint, isOn: colours)])
        }
    }

    /// The same in a line, with what the picture does not show.
    func state(_ report: StatusReport) {
        var parts = report.panel.partitions.filter { $0.name != nil }
            .map { "\($0.name ?? ""): \(PartitionText.state($0))" }
        let open = report.panel.zones.filter { $0.open.last == true }
            .map { ($0.name ?? "zone \($0.number)") + ($0.open.current == nil ? " (stale)" : "") }
        parts.append("open: " + (open.isEmpty ? "nothing known" : open.joined(separator: ", ")))
        let troubles = report.panel.partitions.contains { $0.trouble.last == true }
        if troubles { parts.append("trouble") }
        parts.append(report.panel.link == .up ? "link up" : "link down, all this is stale")
        for line in Text.wrapped(parts.joined(separator: " | "), width: Self.width, label: "\(time)  box    =>  ") {
            say(line)
        }
    }

    func say(_ line: String) { console.print([Text.trimmed(line)]) }

    static func hour(_ hour: Int, _ minute: Int) -> String {
        "\(hour.padded()):\(minute.padded())"
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
