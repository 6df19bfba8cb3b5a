import AlarmModel
import ApplianceCore
import CommandKit
import Daemon
import Platform
import Reports
import YAMLConfiguration

/// Tries everything once and says of each thing whether it works, or what to do.
///
/// Waits where it is called: for a command of its own, not for a loop. Works with and without a daemon.
struct SelfTest {
    var stateDirectory: String
    /// nil: the one that the daemon used last.
    var configurationFile: String?
    var sendsPush: Bool

    func run(_ report: (SelfTestLine) -> Void) {
        let status = daemon(report)
        if let status {
            report(Self.panel(status))
        } else {
            report(.skipped("panel", "only the daemon can try it; the module takes one connection at a time"))
        }
        store(status?.store, report)
        if let status {
            phones(report)
            Self.links(status.links).forEach(report)
            Self.reversePaths(status.links).forEach(report)
            report(Self.modem(status.links))
        } else {
            for subject in ["phones", "links", "modem"] { report(.skipped(subject, "only the daemon can try it")) }
        }
        report(Self.clock(isTrusted: status?.isTimeTrusted, isSynchronised: SystemClock.isSynchronised))
        let file = configurationFile ?? SavedConfiguration.path(of: stateDirectory)
        let result = file.map { ConfigurationReader.read(file: $0) }
        report(Self.configuration(file, result))
        certificates(result?.configuration, report)
        if let status { report(Self.watchdog(status.watchdog)) }
        report(Self.hardwareWatchdog())
        permissions(configurationFile: file, secretsFile: result?.secretsFile, report)
    }

    /// What the daemon tells of itself; nil when none answers.
    private func daemon(_ report: (SelfTestLine) -> Void) -> StatusReport? {
        do throws(DaemonLinkError) {
            guard case .status(let status) = try DaemonLink.ask(.status, in: stateDirectory) else {
                throw .unexpected
            }
            if status.version == Product.version {
                report(.passed("daemon", "version \(status.version), up \(Text.span(status.uptime))"))
            } else {
                report(
                    .failed(
                        "daemon", "version \(status.version) runs, this is \(Product.version)",
                        "restart it: 'systemctl restart howalarming'"))
            }
            return status
        } catch {
            report(
                error.isNoDaemon
                    ? .failed(
                        "daemon", "no daemon runs on \(stateDirectory)",
                        "start it with 'systemctl start howalarming' or 'howalarming run'; its log says why it ended")
                    : .failed("daemon", "it does not answer: \(error)", "look at its log and restart it"))
            return nil
        }
    }

    static func configuration(_ file: String?, _ result: ConfigurationResult?) -> SelfTestLine {
        guard let file, let result else {
            return .skipped("configuration", "no daemon has run here yet", "name the file with --config")
        }
        guard result.errorCount == 0 else {
            return .failed(
                "configuration", "\(file) has \(Text.count(result.errorCount, "error"))",
                "see them with 'howalarming check \(file)'; until they are mended it cannot be read again")
        }
        return .passed("configuration", "\(file) can be read")
    }
}
