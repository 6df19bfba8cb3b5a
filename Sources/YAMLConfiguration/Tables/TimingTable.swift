import AlarmModel
import PhoneLink

/// One key of a `timing` section.
struct TimingSetting<Settings>: Sendable {
    let key: String
    let range: ClosedRange<Duration>
    let get: @Sendable (Settings) -> Duration
    let set: @Sendable (inout Settings, Duration) -> Void

    init(_ key: String, _ path: Path<Settings, Duration>, in range: ClosedRange<Duration>) {
        self.key = key
        self.range = range
        get = { $0[keyPath: path] }
        set = { $0[keyPath: path] = $1 }
    }

    /// From 10 ms: tests and the demo shorten them.
    init(_ key: String, _ path: Path<Settings, Duration>, upTo longest: Duration) {
        self.init(key, path, in: .milliseconds(10)...longest)
    }

    private init<Inner>(_ inner: TimingSetting<Inner>, _ path: Path<Settings, Inner>) {
        key = inner.key
        range = inner.range
        get = { inner.get($0[keyPath: path]) }
        set = { inner.set(&$0[keyPath: path], $1) }
    }

    /// How a channel comes back.
    static func reconnects(_ path: Path<Settings, ReconnectPace>) -> [Self] {
        let timings: [TimingSetting<ReconnectPace>] = [
            .init("reconnect_minimum", \.minimum, upTo: .hours(1)),
            .init("reconnect_maximum", \.maximum, upTo: .hours(1)),
            .init("reconnect_urgent", \.urgentMaximum, upTo: .hours(1)),
            .init("refused_wait", \.refusedWait, upTo: .hours(24)),
        ]
        return timings.map { Self($0, path) }
    }
}

extension Setting {
    /// `timing`: spans of the same section.
    static func timing(_ timings: [TimingSetting<Section>]) -> Self {
        Self("timing", inner: timings.map(\.key)) { reading, field, section in
            reading.readTiming(field, timings, into: &section)
        }
    }
}

extension SettingsReading {
    mutating func readTiming<Settings>(
        _ field: Field?, _ timings: [TimingSetting<Settings>], into settings: inout Settings
    ) {
        guard let field, let section = section(field, known: timings.map(\.key)) else { return }
        for timing in timings {
            guard let field = section[timing.key], let span = ValueKind.span(timing.range).read(&self, field) else {
                continue
            }
            timing.set(&settings, span)
        }
        guard let shortest = timings.first(where: { $0.key == "reconnect_minimum" }),
            let longest = timings.first(where: { $0.key == "reconnect_maximum" }),
            shortest.get(settings) > longest.get(settings)
        else { return }
        report(
            at: (section[shortest.key] ?? section[longest.key])?.place ?? section.place, section.path(of: shortest.key),
            "the shortest wait before a reconnect, \(ConfigurationText.words(shortest.get(settings))), is above the "
                + "longest, \(ConfigurationText.words(longest.get(settings)))",
            expected: "reconnect_minimum up to reconnect_maximum")
    }
}
