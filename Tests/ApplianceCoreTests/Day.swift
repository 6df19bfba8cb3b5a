import AlarmModel
import ApplianceCore
import PanelLink

/// A day in the house with everything in it: people, alarms, a wrong code, keys, broken disk, lost link, stop.
struct Day {
    static let keys = "*7719#"
    static let otherCode = "4455"

    /// What happens, one step after the other.
    static let steps: [@Sendable (inout Bench) -> Void] = [
        { $0.start() },
        { $0.logIn() },
        { $0.ask(.trace, as: 1) },
        { $0.ask(.events(EventQuery(), follow: true), as: 2) },
        { $0.panel("609003", "610003") },
        { $0.ask(.command(.arm(partition: 1, mode: .away, force: false), code: nil), as: 3) },
        { $0.settle() },
        { $0.panel("900") },
        { $0.settle() },
        { $0.panel("6561", "65210", "7001" + "0040", "8410") },
        { $0.panel("6011003", "6541") },
        { $0.panel("6200000") },
        { $0.ask(.status, as: 4) },
        { $0.ask(.panel, as: 4) },
        { $0.ask(.command(.disarm(partition: 1), code: Secret(otherCode)), as: 3) },
        { $0.settle() },
        { $0.panel("502023", "6701") },
        { $0.ask(.command(.disarm(partition: 1), code: nil), as: 3) },
        { $0.settle() },
        { $0.panel("6551", "7501" + "0040") },
        { $0.disk = .fails(Bench.broken) },
        { $0.panel("6200000", "6011003") },
        { $0.advance(.seconds(5)) },
        { $0.disk = .answers },
        { $0.advance(.seconds(40)) },
        { $0.ask(.command(.keys(partition: 1, keys: Secret(keys), allowInstaller: false), code: nil), as: 3) },
        { $0.settle() },
        { $0.panel("005" + Bench.password, "200" + Bench.master) },
        { $0.advance(.seconds(20)) },
        { $0.feed(.closed(ConnectionID(1), .reset)) },
        { $0.advance(.seconds(40)) },
        { $0.logIn() },
        { $0.ask(.maintenance(on: true), as: 5) },
        { $0.panel("6200000", "609003") },
        { $0.ask(.events(EventQuery(order: .newest, limit: 5), follow: false), as: 6) },
        { $0.ask(.status, as: 4) },
        { bench in
            var new = Bench.configuration()
            new.panel.password = Secret("n3wPass")
            new.panel.masterCode = Secret(Bench.master)
            bench.feed(.reload(.configuration(new)))
        },
        { $0.feed(.signal(.terminate)) },
        { $0.advance(.seconds(4)) },
    ]

    static func whole() -> Bench {
        var bench = Bench()
        for step in steps { step(&bench) }
        return bench
    }
}
