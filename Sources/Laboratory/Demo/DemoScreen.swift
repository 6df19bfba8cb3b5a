import AlarmModel
import CommandKit

/// Output of the demo: plain lines of at most 80 columns, one below the other.
struct DemoScreen {
    let console: Console
    private let colours: Bool
    /// The hour of the story: the last that the panel's clock told.
    private var time = "--:--"
    /// Only titles and sentences are shown.
    var isMuted = false
    /// The house as it was shown last.
    private var picture: DemoPicture?
    static let width = 80

    init(_ console: Console) {
        self.console = console
        colours = console.takesColours
    }

    func opening(directory: String, pace: DemoPace, isDay: Bool) {
        let title = "HowAlarming demo: \(isDay ? "a day" : "a night") in \(DemoConfiguration.siteName)"
        say("\(title) with the real daemon. Who speaks:")
        say("  house  a simulated DSC panel           box    the daemon")
        say("  Anna   her paired phone, a virtual one  Ben    his app from a store")
        say("  push   a simulated push service")
        say("")
        let text =
            "The exit delay is \(DemoPace.seconds(pace.exitDelay)) s, and the panel is polled every "
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

    /// Request to the reader to do something now. An address stays in one line, so that it can be copied.
    func notice(_ lines: [String]) {
        let rule = String(repeating: "═", count: 72)
        let wrapped = lines.flatMap { $0.isEmpty ? [""] : Text.wrapped($0, width: Self.width, label: "  ") }
        for line in ["", rule] + wrapped + [rule] { say(line) }
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
        show(
            .box, event.message, label: Text.padded(event.type.rawValue, to: 8) + "  ", in: Self.paint(event.type))
    }

    /// A line of somebody; nil: it belongs to the line above.
    func show(_ speaker: DemoSpeaker?, _ text: String, label: String = "", in paint: Paint? = nil) {
        guard !isMuted else { return }
        let name = Text.padded(speaker?.rawValue ?? "", to: DemoSpeaker.width)
        let start = "\(speaker == nil ? "     " : time)  \(name)  \(label)"
        for line in Text.wrapped(Text.printable(text), width: Self.width, label: start) {
            console.print([Paint.painted(Text.trimmed(line), paint, isOn: colours)])
        }
    }

    /// A notice of a phone: its title, and below it the text.
    func show(_ speaker: DemoSpeaker, _ notice: DemoNotice) {
        show(speaker, notice.title, in: notice.alarmPlace == nil ? nil : .red)
        show(nil, notice.text)
    }

    /// A line that the phone printed, if it is news for its owner.
    func showPhone(_ line: String) {
        let parts = line.split(separator: " ", maxSplits: 3).map(String.init)
        if parts.first == "command", parts.count == 4 {
            if parts[3] != "pending" { show(.anna, "\(parts[2]): \(parts[3])") }
        } else if parts.first == "digits" || line.hasPrefix("paired with ") {
            show(.anna, line)
        }
    }

    /// The house as the daemon knows it: whole at the first time, then what has changed, a line for each.
    mutating func house(_ panel: PanelState) {
        guard !isMuted else { return }
        let new = DemoPicture(panel)
        for line in picture.map({ new.changes(since: $0) }) ?? new.lines {
            console.print(["       " + Paint.painted(line.text, line.paint, isOn: colours)])
        }
        picture = new
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
