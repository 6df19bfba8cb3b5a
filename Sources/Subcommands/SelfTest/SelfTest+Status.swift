import AlarmModel
import ApplianceCore
import CommandKit
import Glibc
import PanelLink
import Platform
import Uplinks

/// What follows from the daemon's own report.
extension SelfTest {
    static func panel(_ status: StatusReport) -> SelfTestLine {
        switch status.panel.link {
        case .up: .passed("panel", "the session with \(status.panelHost) is up")
        case .resynchronising: .passed("panel", "the session with \(status.panelHost) is up, its state is being asked")
        case .down:
            // A problem says itself what to do.
            .failed(
                "panel", status.panelProblem ?? "there is no session with \(status.panelHost)",
                (status.panelProblem == nil
                    ? "check the module's power and cable, and 'panel' in the configuration" : "if all that is right")
                    + "; 'howalarming panel trace' shows what is said")
        }
    }

    static func links(_ report: LinksReport?) -> [SelfTestLine] {
        guard let links = report?.links, !links.isEmpty else {
            return [.skipped("links", "none is configured: the system's own routes are used")]
        }
        return links.map { link in
            let subject = "link \(link.name)"
            let why = link.why ?? "its state is '\(link.state.rawValue)'"
            switch link.state {
            case .up: return .passed(subject, link.isActive ? "works, and is in use" : "works")
            case .asleep: return .skipped(subject, "it is cold: opened when the others fail", why)
            case .connecting: return .skipped(subject, "it has not been up long enough to be judged")
            case .suspect: return .failed(subject, why, "try again in a minute; 'howalarming links watch' shows more")
            case .absent, .noCarrier:
                return .failed(subject, why, "check its cable, its adapter, and 'interface' in the configuration")
            case .noAddress: return .failed(subject, why, "check the router: it gives out no address")
            case .down: return .failed(subject, why, "check the router and the provider")
            }
        }
    }

    static func modem(_ report: LinksReport?) -> SelfTestLine {
        guard let modem = report?.modem else { return .skipped("modem", "none is configured") }
        if let problem = modem.problem {
            return .failed("modem", "\(problem)", "'howalarming links' shows more")
        }
        guard modem.status != nil else {
            return .failed("modem", "none is found", "check that it is plugged in and that ModemManager runs")
        }
        return .passed("modem", "it is there: \(modem.step)")
    }

    static func clock(isTrusted: Bool?, isSynchronised: Bool) -> SelfTestLine {
        switch (isTrusted, isSynchronised) {
        case (true?, _), (nil, true): .passed("clock", "it is synchronised")
        case (false?, true):
            .failed("clock", "it is synchronised, but differs from what was seen before", "check the time server")
        case (_, false):
            .failed(
                "clock", "it is not synchronised: times may be wrong, and certificates cannot be judged",
                "check the network and the time servers; a board without a clock needs some minutes")
        }
    }

    static func watchdog(_ report: WatchdogReport?) -> SelfTestLine {
        guard let report else {
            return .skipped(
                "watchdog", "no service manager watches the daemon", "run it as howalarming.service, with WatchdogSec")
        }
        if let stuck = report.stuck.first {
            return .failed("watchdog", stuck, "the service manager restarts it; pack up with 'howalarming support'")
        }
        let ping = report.sincePing.map { "the last sign of life left \(Text.span($0)) ago" } ?? "no sign of life yet"
        guard report.sincePing.map({ $0 <= report.interval }) ?? true else {
            return .failed("watchdog", ping, "the service manager restarts the daemon")
        }
        return .passed("watchdog", "a silence of \(Text.span(report.interval)) would restart the daemon; \(ping)")
    }

    /// The one that restarts a hung machine; the service manager has to use it.
    static func hardwareWatchdog(in directory: String = "/sys/class/watchdog/watchdog0") -> SelfTestLine {
        func text(_ name: String) -> String? {
            guard let bytes = try? FileReader.read("\(directory)/\(name)", limit: 256) else { return nil }
            return String(decoding: bytes.prefix { $0 != 10 }, as: UTF8.self)
        }
        guard let state = text("state") else { return .skipped("board watchdog", "this machine shows none") }
        let name = text("identity") ?? "it"
        return state == "active"
            ? .passed("board watchdog", "\(name) is active")
            : .failed(
                "board watchdog", "\(name) is not used: a hung machine would stay so",
                "set RuntimeWatchdogSec=15 in /etc/systemd/system.conf.d and restart")
    }
}
